package io.csi4j.volume.state;

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
  StateCapacity capacity();

  /** Returns the owner of the state: this process, with its epoch. */
  StateOwner owner();

  /** Gives the state to the next owner. Closing twice is no error; it never throws. */
  @Override
  void close();
}
