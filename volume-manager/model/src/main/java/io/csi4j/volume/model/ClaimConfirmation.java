package io.csi4j.volume.model;

/**
 * Tells a node what a claim is worth that it was given; asked before it stages and before it
 * publishes. The answer has to be as linearizable as the store: one from a cache is none.
 *
 * <p>May block, and is asked on threads that nothing else waits for. A failure that it throws, and
 * an answer that comes too late, mean that it is not known.
 *
 * @since 1.0
 */
@FunctionalInterface
public interface ClaimConfirmation {

  /**
   * Returns what the claim of a use is worth now.
   *
   * @param epoch the epoch that the node was given with it
   */
  ClaimStanding standing(VolumeUse usage, long epoch);
}
