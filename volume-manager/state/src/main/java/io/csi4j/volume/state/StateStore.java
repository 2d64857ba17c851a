package io.csi4j.volume.state;

import java.time.Instant;
import java.util.Objects;

/**
 * A durable map with one owner; values are replaced as a whole. Every store guarantees:
 *
 * <ul>
 *   <li>A write that returned {@link Stored#DURABLE} survives any crash and power cut.
 *   <li>After a crash, each key has its value before or after a write, never a mix or another
 *       value.
 *   <li>Writes of a key take effect in the order in which they were made.
 *   <li>There is one owner. Opening a state with a living owner is refused; the failure names the
 *       owner.
 *   <li>A format that is newer than the store is refused, and nothing is written.
 *   <li>An incomplete state is never loaded as if it were complete: it has an {@link Uncertainty}.
 *   <li>Acquisitions need the medium, releases do not: {@link Durability#REQUIRED} is refused when
 *       the medium fails, all other writes continue in memory.
 *   <li>A write that was {@link Stored#DEFERRED} survives the crash of the process. After a power
 *       cut, the first of several deferred writes are kept, and none after a lost one.
 * </ul>
 *
 * <p>Thread-safe. An interrupt neither ends a write nor harms the store, and stays set. The
 * conformance tests of this package check these guarantees.
 *
 * @since 1.0
 */
public interface StateStore extends AutoCloseable {

  /** Returns the state, with its uncertainties. */
  LoadedState load();

  /**
   * Replaces the value of a key. When a write returns that is on the medium, all earlier deferred
   * writes are on the medium, too.
   *
   * @throws StateException if the write is not on the medium and that was required; also if the
   *     store is closed or was taken over
   */
  Stored put(StateKey key, StateValue value, Durability durability);

  /**
   * Removes a key. Does nothing if the key does not exist. Durable if the medium permits it.
   *
   * @throws StateException if the store is closed or was taken over
   */
  Stored remove(StateKey key);

  /**
   * Removes a volume and leaves a tombstone with the same id, atomically: no crash leaves both or
   * neither. Durable if the medium permits it.
   *
   * @throws StateException if the store is closed or was taken over
   * @throws IllegalArgumentException if the key is not that of a volume
   */
  Stored bury(StateKey volume, StateValue tombstone);

  /**
   * Removes all uncertainties. For an owner that has checked the actual state and recorded the
   * result; until then, they are reported again after every restart.
   *
   * @throws StateException if the store is closed or was taken over
   */
  Stored settle();

  /** Returns whether an intent to acquire something can be recorded. */
  Capacity capacity();

  /** Returns the owner of the state: this process, with its epoch. */
  Owner owner();

  /** Releases the state for the next owner. Closing again has no effect; this never throws. */
  @Override
  void close();

  /**
   * Whether a store can still record an intent to acquire something.
   *
   * @since 1.0
   */
  sealed interface Capacity {

    /**
     * The store has free space for new records.
     *
     * @param bytes the free bytes; when they are used up, the store makes more space itself
     */
    record Free(long bytes) implements Capacity {}

    /**
     * The store could not record an acquisition at the last attempt; releases continue. The next
     * write that requires durability tries again.
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
   * @param pid the id of its process
   * @param processStart the start time of that process; distinguishes two processes with the same
   *     pid
   * @param epoch a number that grows with every owner; the owner with the highest one is the
   *     current one
   * @param host the host of the process
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
     * The value is on the medium, or the write was refused. Use this for every intent to acquire
     * something: a caller must not act on an intent that a power cut can erase.
     */
    REQUIRED,
    /**
     * The value is on the medium if the medium permits it, and otherwise in memory until it does.
     * Use this for every release: a broken disk must not keep a volume mounted.
     */
    BEST_EFFORT,
    /**
     * The value is written, and will be on the medium with the next write that waits for it, at the
     * latest when the store is closed. It survives the end of the process. A power cut may erase
     * it, together with all later deferred writes, but without earlier ones. Use this for a step
     * between two durable records that is irrelevant after a restart of the host. If it cannot be
     * written, it is kept as with {@link #BEST_EFFORT}.
     */
    DEFERRED
  }

  /**
   * The durability of a write when it returns.
   *
   * @since 1.0
   */
  enum Stored {
    /** The write is on the medium: it survives a power cut. */
    DURABLE,
    /** The write will be on the medium with the next write that waits for it. */
    DEFERRED,
    /**
     * The write is in memory: it does not survive the process, and is written as soon as the medium
     * permits it.
     */
    REMEMBERED
  }
}
