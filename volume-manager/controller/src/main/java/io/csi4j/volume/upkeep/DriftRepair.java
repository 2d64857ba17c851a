package io.csi4j.volume.upkeep;

import io.csi4j.volume.claim.coordination.ClaimCoordinator;
import io.csi4j.volume.model.OperatorMessage;
import java.util.function.Consumer;

/**
 * Puts right what a policy allows. Each call has the storage system asked under the rules of claims
 * again, through the queue of the volume's calls; it may block.
 *
 * @since 1.0
 */
public interface DriftRepair {

  /** Has a volume attached again for its claim. Returns whether it is. */
  boolean attachAgain(Drift.LostAttachment lost);

  /** Has a volume detached from a node that no claim names. Returns whether it is. */
  boolean detach(Drift.UnknownAttachment unknown);

  /**
   * Repairs through the coordinator of the claims, which looks at them right before the storage
   * system is asked: what is claimed by then is not detached, what is not held any more is not
   * attached. With these repairs {@link DriftCheck#repair} bounds what a plugin that does not
   * answer takes of its time.
   *
   * @param told is told why something could not be put right
   */
  static DriftRepair by(ClaimCoordinator claims, Consumer<OperatorMessage> told) {
    return new ClaimRepair(claims, told);
  }
}
