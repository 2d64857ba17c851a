package io.csi4j.volume.state;

/** Whether a store can still record an intent to take something. */
public sealed interface StateCapacity {

  /**
   * It can.
   *
   * @param bytes how many are left before space has to be found anew, which is tried by itself
   */
  record Room(long bytes) implements StateCapacity {}

  /**
   * It could not when it was last tried; giving back goes on. The next write that requires
   * durability tries again.
   *
   * @param reason why
   * @param text one line for an operator
   */
  record ReleasesOnly(StateReason reason, String text) implements StateCapacity {}

  /** Whether an intent can be recorded. */
  default boolean canRecordIntent() {
    return this instanceof Room;
  }
}
