package io.csi4j.volume.state;

import java.time.Instant;
import java.util.Objects;

/**
 * A durable memory with one owner: a value per key, replaced as a whole. What every store promises:
 *
 * <ul>
 *   <li>A write that returned {@link Stored#DURABLE} survives any crash and power cut.
 *   <li>After a crash each key has the value before or after a write, never a mix or a third.
 *   <li>The writes of a key take effect in the order in which they were made.
 *   <li>There is one owner. Opening the state of a living owner is refused, with its name.
 *   <li>A format that is newer than the store is refused, without a byte written.
 *   <li>A part of the state is never loaded as if it were all of it: there is a {@link
 *       Uncertainty}.
 *   <li>Taking needs the medium, giving back does not: {@link Durability#REQUIRED} is refused when
 *       the medium fails, everything else goes on in memory.
 *   <li>A write that was {@link Stored#DEFERRED} survives the crash of the process. Of several, a
 *       power cut leaves the first ones, and none after one that is lost.
 * </ul>
 *
 * <p>Safe for many threads. An interrupt neither ends a write nor harms the store, and stays set.
 * The conformance tests of this package show whether a store keeps its promises.
 *
 * @since 1.0
 */
public interface StateStore extends AutoCloseable {

  /** Returns the state, with its doubts. */
  LoadedState load();

  /**
   * Replaces the value of a key. When a write returns that is on the medium, so is all that was
   * deferred before.
   *
   * @throws StateException when it is not on the medium and that was required; also when the store
   *     is closed or was taken over
   */
  Stored put(StateKey key, StateValue value, Durability durability);

  /**
   * Forgets a key. Forgetting what is not there is no error. On the medium if it lets it.
   *
   * @throws StateException when the store is closed or was taken over
   */
  Stored remove(StateKey key);

  /**
   * Forgets a volume and leaves a tombstone with the same id, in one step: no crash shows both or
   * neither. On the medium if it lets it.
   *
   * @throws StateException when the store is closed or was taken over
   * @throws IllegalArgumentException when the key is not that of a volume
   */
  Stored bury(StateKey volume, StateValue tombstone);

  /**
   * Forgets all doubts. For the owner that looked at the world and wrote down what it found; until
   * then they come back with every restart.
   *
   * @throws StateException when the store is closed or was taken over
   */
  Stored settle();

  /** Whether an intent to take something can be recorded. */
  Capacity capacity();

  /** Returns the owner of the state: this process, with its epoch. */
  Owner owner();

  /** Gives the state to the next owner. Closing twice is no error; it never throws. */
  @Override
  void close();

  /**
   * Whether a store can still record an intent to take something.
   *
   * @since 1.0
   */
  sealed interface Capacity {

    /**
     * The store has free space for new records.
     *
     * @param bytes the free bytes; when they are used up, the store makes more space on its own
     */
    record Free(long bytes) implements Capacity {}

    /**
     * The store could not take when it was last tried; giving back goes on. The next write that
     * requires durability tries again.
     *
     * @param reason the reason
     * @param text one line for an operator
     */
    record ReleasesOnly(StateException.Reason reason, String text) implements Capacity {}

    /** Whether an intent can be recorded. */
    default boolean canRecordIntent() {
      return this instanceof Free;
    }
  }

  /**
   * The owner of a state.
   *
   * @param pid its process
   * @param processStart when that process began; tells two processes with one pid apart
   * @param epoch grows with every owner; the owner with the highest one is the real one
   * @param host where it runs
   * @since 1.0
   */
  record Owner(long pid, Instant processStart, long epoch, HostIdentity host) {

    /** Checks that all parts are set. */
    public Owner {
      Objects.requireNonNull(processStart, "processStart");
      Objects.requireNonNull(host, "host");
    }
  }

  /**
   * The conditions under which a write returns.
   *
   * @since 1.0
   */
  enum Durability {
    /**
     * The value is on the medium, or the write was refused. For every intent to take something: no
     * caller may act on an intent that a power cut can erase.
     */
    REQUIRED,
    /**
     * The value is on the medium if the medium lets it, else in memory until it does. For
     * everything that gives something back: a broken disk must not keep a volume mounted.
     */
    BEST_EFFORT,
    /**
     * The value is written, and on the medium with the next write that waits for it, at the latest
     * when the store is closed. The end of the process does not take it. A power cut may, with all
     * that was deferred after it and nothing before it. For a step between two records that wait,
     * which means nothing once the host has started again. Where it cannot be written, it is kept
     * as best effort is.
     */
    DEFERRED
  }

  /**
   * Where a write is when it returns.
   *
   * @since 1.0
   */
  enum Stored {
    /** On the medium: it survives a power cut. */
    DURABLE,
    /** Written, and on the medium with the next write that waits for it. */
    DEFERRED,
    /** In memory: it survives nothing, and is written as soon as the medium lets it. */
    REMEMBERED
  }
}
