package io.csi4j.volume.upkeep;

/**
 * Puts right what a policy allows. Each call has the storage system asked under the rules of claims
 * again, by whoever has the calls of a volume in order; it may block.
 */
public interface DriftRepair {

  /** Has a volume attached again for its claim. */
  void attachAgain(Drift.LostAttachment lost);

  /** Has a volume detached from a node that no claim names. */
  void detach(Drift.UnknownAttachment unknown);
}
