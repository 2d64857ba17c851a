package io.csi4j.volume.claim;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * The next step of a claim. Each follows from the claim alone, so that any process can go on.
 *
 * @since 1.0
 */
public sealed interface ClaimStep {

  /** Writing down how far it is. */
  record Write(ClaimState state) implements ClaimStep {}

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

  /** The ways to prove that a node cannot write. */
  enum Choice {
    /** The node comes back, and says that it has nothing mounted. */
    NODE_COMES_BACK("let the node come back and give its receipt"),
    /** The storage system takes the volume away from it. */
    TAKE_AWAY("let the storage system detach it, if that really takes the volume away"),
    /** Something keeps the node from the storage. */
    FENCE("fence the node off the storage"),
    /** The node is off. */
    POWER_OFF("attest that the node is off"),
    /** A person answers for it. */
    OVERRIDE("override it with your name and the reason");

    private final String words;

    Choice(String words) {
      this.words = words;
    }

    /** Returns what to do: a clause for people. */
    public String words() {
      return words;
    }
  }

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
