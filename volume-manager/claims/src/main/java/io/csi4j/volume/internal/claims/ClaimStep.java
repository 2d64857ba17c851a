package io.csi4j.volume.internal.claims;

import io.csi4j.volume.claim.ClaimHolder;
import io.csi4j.volume.claim.ClaimProgress.Choice;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** The next step of a claim. Each follows from the claim alone, so that any process can go on. */
public sealed interface ClaimStep {

  /** Writing down how far it is. */
  record Write(ClaimHolder.State state) implements ClaimStep {}

  /** Having the storage system attach the volume to the node. */
  record Attach() implements ClaimStep {}

  /** Waiting until its node has proven that it has nothing mounted. */
  record WaitForNode() implements ClaimStep {}

  /**
   * Waiting for a proof, as the node gives none.
   *
   * @param choices which would do
   */
  record NeedsProof(Set<Choice> choices) implements ClaimStep {

    /** Copies the set. */
    public NeedsProof {
      choices = Set.copyOf(EnumSet.copyOf(choices));
    }
  }

  /**
   * Having the storage system detach the volume from the node.
   *
   * @param together for whom: all of that node who are as far
   */
  record Detach(List<ClaimHolder> together) implements ClaimStep {

    /** Copies the list. */
    public Detach {
      together = List.copyOf(together);
    }
  }

  /** Forgetting the claim. */
  record Forget() implements ClaimStep {}

  /** Nothing: it is where it shall be. */
  record Done() implements ClaimStep {}

  /** The wish for a claim. */
  enum Intent {
    /** The workload uses the volume. */
    HOLD,
    /** The claim is over, and the node can say so. */
    GIVE_BACK,
    /** The claim is over, and the node is said to be down; which proves nothing. */
    GIVE_BACK_WITHOUT_NODE
  }
}
