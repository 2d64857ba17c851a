package io.csi4j.volume.state;

/**
 * Whether a store can still record an intent to take something.
 *
 * @since 1.0
 */
public sealed interface StateCapacity {

  /**
   * The store has free space for new records.
   *
   * @param bytes the free bytes; when they are used up, the store makes more space on its own
   */
  record Free(long bytes) implements StateCapacity {}

  /**
   * The store could not take when it was last tried; giving back goes on. The next write that
   * requires durability tries again.
   *
   * @param reason the reason
   * @param text one line for an operator
   */
  record ReleasesOnly(StateReason reason, String text) implements StateCapacity {}

  /** Whether an intent can be recorded. */
  default boolean canRecordIntent() {
    return this instanceof Free;
  }
}
