package io.csi4j.volume.internal.claims;

import io.csi4j.volume.claim.ClaimHolder;
import io.csi4j.volume.claim.ClaimProgress.Choice;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * The next step of a claim. Each step follows from the claim alone, so that any process can
 * continue.
 */
public sealed interface ClaimStep {

  /** Writes the new state of the claim. */
  record Write(ClaimHolder.State state) implements ClaimStep {}

  /** Attaches the volume to the node. */
  record Attach() implements ClaimStep {}

  /** Waits until the node has proved that it has nothing mounted. */
  record WaitForNode() implements ClaimStep {}

  /**
   * Waits for a proof, because the node gives none.
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
   * Detaches the volume from the node.
   *
   * @param together the holders on that node that are in the same state
   */
  record Detach(List<ClaimHolder> together) implements ClaimStep {

    /** Copies the list. */
    public Detach {
      together = List.copyOf(together);
    }
  }

  /** Removes the claim. */
  record Forget() implements ClaimStep {}

  /** No step: the claim is in its intended state. */
  record Done() implements ClaimStep {}

  /** The intention for a claim. */
  enum Intent {
    /** The workload uses the volume. */
    HOLD,
    /** The claim has ended, and the node can confirm that. */
    GIVE_BACK,
    /** The claim has ended, but the node is reported to be down, which proves nothing. */
    GIVE_BACK_WITHOUT_NODE
  }
}
