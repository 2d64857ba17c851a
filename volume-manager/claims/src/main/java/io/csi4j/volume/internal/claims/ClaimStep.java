package io.csi4j.volume.internal.claims;

import io.csi4j.volume.claim.ClaimHolder;
import io.csi4j.volume.claim.ClaimProgress.Choice;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * The next step of a claim. The step depends only on the stored claim, so any process can do it.
 */
public sealed interface ClaimStep {

  /** Write the new state of the claim. */
  record Write(ClaimHolder.State state) implements ClaimStep {}

  /** Attach the volume to the node. */
  record Attach() implements ClaimStep {}

  /** Wait until the node has proven that the volume is no longer mounted. */
  record WaitForNode() implements ClaimStep {}

  /**
   * Wait for another proof, because the node is down and cannot send a receipt.
   *
   * @param choices the possible proofs
   */
  record NeedsProof(Set<Choice> choices) implements ClaimStep {

    /** Copies the set. */
    public NeedsProof {
      choices = Set.copyOf(EnumSet.copyOf(choices));
    }
  }

  /**
   * Detach the volume from the node.
   *
   * @param together the holders on the node whose release continues when the volume is detached
   */
  record Detach(List<ClaimHolder> together) implements ClaimStep {

    /** Copies the list. */
    public Detach {
      together = List.copyOf(together);
    }
  }

  /** Remove the claim. */
  record Forget() implements ClaimStep {}

  /** No step is needed, because the claim is in its intended state. */
  record Done() implements ClaimStep {}

  /** The intended result for a claim. */
  enum Intent {
    /** The workload should keep the volume. */
    HOLD,
    /** The claim should be released, and the node can confirm that it has unmounted the volume. */
    GIVE_BACK,
    /**
     * The claim should be released, but the node is reported to be down. The report alone is not a
     * proof.
     */
    GIVE_BACK_WITHOUT_NODE
  }
}
