package io.csi4j.volume.claim;

import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeUse;
import java.util.Optional;
import java.util.Set;

/**
 * The progress of a claim, and what it waits for. Each value except {@link Unreadable} is about the
 * claim of one use.
 *
 * @since 1.0
 */
public sealed interface ClaimProgress {

  /**
   * The claim is gone: no work is pending.
   *
   * @param usage the use
   */
  record Gone(VolumeUse usage) implements ClaimProgress {}

  /**
   * The claim is held, and was not released.
   *
   * @param usage the use
   * @param holder the holder
   */
  record Held(VolumeUse usage, ClaimHolder holder) implements ClaimProgress {}

  /**
   * The claim is held, and the storage system may or may not have attached the volume: claim it
   * again, or release it.
   *
   * @param usage the use
   * @param holder the holder
   */
  record WaitsForHost(VolumeUse usage, ClaimHolder holder) implements ClaimProgress {}

  /**
   * The node must unmount the volume and send its receipt.
   *
   * @param usage the use
   * @param holder the holder of the claim, with its node and epoch
   */
  record WaitsForNode(VolumeUse usage, ClaimHolder holder) implements ClaimProgress {}

  /**
   * The node sends no receipt: another proof that it cannot write is needed.
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
   * The storage system has not detached the volume.
   *
   * @param usage the use
   * @param holder the holder of the claim
   * @param message the message for an operator
   */
  record WaitsForStorage(VolumeUse usage, ClaimHolder holder, OperatorMessage message)
      implements ClaimProgress {}

  /**
   * The claim could not be read or written.
   *
   * @param usage the use
   * @param message the message for an operator
   */
  record Failed(VolumeUse usage, OperatorMessage message) implements ClaimProgress {}

  /**
   * The claim of a volume cannot be read: it was not changed, and its holders are not known. Only a
   * scan of all claims finds such claims.
   *
   * @param volume the volume, if the store knows it with certainty
   * @param message the message for an operator
   */
  record Unreadable(Optional<VolumeKey> volume, OperatorMessage message) implements ClaimProgress {}

  /** The ways to prove that a node cannot write. */
  enum Choice {
    /** The node comes back, and reports that it has nothing mounted. */
    NODE_COMES_BACK("let the node come back and send its receipt"),
    /** The storage system removes the node's access to the volume. */
    TAKE_AWAY("let the storage system detach it, if detaching really ends the node's access"),
    /** The node is fenced off the storage. */
    FENCE("fence the node off the storage"),
    /** The node is powered off. */
    POWER_OFF("attest that the node is off"),
    /** An operator takes responsibility. */
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
