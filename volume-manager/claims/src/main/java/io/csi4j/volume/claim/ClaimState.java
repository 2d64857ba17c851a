package io.csi4j.volume.claim;

/**
 * How far a claim is on its way back. It only moves down this list, and each step is written before
 * the next one is done.
 *
 * @since 1.0
 */
public enum ClaimState {
  /** The workload may use the volume. */
  TAKEN,
  /** The node was told to take the volume away from the workload, and may be at it. */
  UNPUBLISHING,
  /** The node is proven to have nothing of the volume mounted any more. */
  NODE_DETACHED,
  /** The storage system is proven to have detached the volume from the node. */
  CONTROLLER_DETACHED,
  /** Nothing is owed any more; the claim may be forgotten. */
  READY_TO_FREE;

  /** Whether this state is further on the way back. */
  public boolean isAfter(ClaimState other) {
    return compareTo(other) > 0;
  }
}
