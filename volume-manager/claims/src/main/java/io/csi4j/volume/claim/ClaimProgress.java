package io.csi4j.volume.claim;

import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeUse;
import java.util.Optional;
import java.util.Set;

/**
 * The progress of a claim, and the next event that the claim waits for. Each value except {@link
 * Unreadable} concerns the claim of one use.
 *
 * @since 1.0
 */
public sealed interface ClaimProgress {

  /**
   * The claim no longer exists, and no work is pending for it.
   *
   * @param usage the use
   */
  record Gone(VolumeUse usage) implements ClaimProgress {}

  /**
   * The claim is held. Its release has not begun.
   *
   * @param usage the use
   * @param holder the holder
   */
  record Held(VolumeUse usage, ClaimHolder holder) implements ClaimProgress {}

  /**
   * The claim is held, but it is uncertain whether the storage system has attached the volume. The
   * host must claim the volume again, or release it.
   *
   * @param usage the use
   * @param holder the holder
   */
  record WaitsForHost(VolumeUse usage, ClaimHolder holder) implements ClaimProgress {}

  /**
   * The claim waits until the node has unmounted the volume and sent its receipt.
   *
   * @param usage the use
   * @param holder the holder of the claim, with its node and epoch
   */
  record WaitsForNode(VolumeUse usage, ClaimHolder holder) implements ClaimProgress {}

  /**
   * The node has sent no receipt, so the claim needs another proof that the node can no longer
   * write to the volume.
   *
   * @param usage the use
   * @param holder the holder of the claim
   * @param choices the possible proofs
   * @param message the message for an operator
   */
  record NeedsProof(
      VolumeUse usage, ClaimHolder holder, Set<Choice> choices, OperatorMessage message)
      implements ClaimProgress {

    /** Copies the set. */
    public NeedsProof {
      choices = Set.copyOf(choices);
    }
  }

  /**
   * The claim waits until the storage system has detached the volume.
   *
   * @param usage the use
   * @param holder the holder of the claim
   * @param message the message for an operator
   */
  record WaitsForStorage(VolumeUse usage, ClaimHolder holder, OperatorMessage message)
      implements ClaimProgress {}

  /**
   * The claim could not be read from the store or written to it.
   *
   * @param usage the use
   * @param message the message for an operator
   */
  record Failed(VolumeUse usage, OperatorMessage message) implements ClaimProgress {}

  /**
   * The claim of a volume cannot be read. It was not changed, and its holders are not known. Only a
   * scan of all claims returns this value.
   *
   * @param volume the volume; empty if the store cannot determine it with certainty
   * @param message the message for an operator
   */
  record Unreadable(Optional<VolumeKey> volume, OperatorMessage message) implements ClaimProgress {}

  /** The possible proofs that a node can no longer write to a volume. */
  enum Choice {
    /** The node comes back, and reports that the volume is no longer mounted. */
    NODE_COMES_BACK("let the node come back and send its receipt"),
    /** The storage system removes the node's access to the volume. */
    TAKE_AWAY("let the storage system detach it, if detaching really ends the node's access"),
    /** The node is fenced off the storage. */
    FENCE("fence the node off the storage"),
    /** The node is powered off. */
    POWER_OFF("attest that the node is off"),
    /** An operator takes responsibility for treating the claim as released. */
    OVERRIDE("override it with your name and the reason");

    private final String words;

    Choice(String words) {
      this.words = words;
    }

    /** Returns the instruction as a clause for display. */
    public String words() {
      return words;
    }
  }
}
