package io.csi4j.volume.claim;

import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeUse;
import java.util.Optional;
import java.util.Set;

/**
 * How far a claim has come, and what it waits for. Each is about one use, whose claim it is, but
 * {@link Unreadable}.
 *
 * @since 1.0
 */
public sealed interface ClaimProgress {

  /**
   * The claim is gone: nothing is owed.
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
   * The claim is held, and the storage system may have attached it or not: claim it again, or
   * release it.
   *
   * @param usage the use
   * @param holder the holder
   */
  record WaitsForHost(VolumeUse usage, ClaimHolder holder) implements ClaimProgress {}

  /**
   * Its node has to unmount it and to give its receipt.
   *
   * @param usage the use
   * @param holder whose claim it is: which node, and which epoch
   */
  record WaitsForNode(VolumeUse usage, ClaimHolder holder) implements ClaimProgress {}

  /**
   * Its node gives no receipt: something else has to prove that it cannot write.
   *
   * @param usage the use
   * @param holder whose claim it is
   * @param choices what would prove it
   * @param message what an operator is told
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
   * The storage system has not detached it.
   *
   * @param usage the use
   * @param holder whose claim it is
   * @param message what an operator is told
   */
  record WaitsForStorage(VolumeUse usage, ClaimHolder holder, OperatorMessage message)
      implements ClaimProgress {}

  /**
   * The claim could not be read, or not be written.
   *
   * @param usage the use
   * @param message the message for an operator
   */
  record Failed(VolumeUse usage, OperatorMessage message) implements ClaimProgress {}

  /**
   * The claim of a volume cannot be read: nothing was done about it, and nobody knows who holds it.
   * Found only where all claims are gone through.
   *
   * @param volume the volume, if the store knows it for sure
   * @param message the message for an operator
   */
  record Unreadable(Optional<VolumeKey> volume, OperatorMessage message) implements ClaimProgress {}

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
}
