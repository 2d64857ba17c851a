package io.csi4j.volume.claim;

import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.VolumeUse;
import java.util.Set;

/**
 * How far a claim has come, and what it waits for.
 *
 * @since 1.0
 */
public sealed interface ClaimProgress {

  /** The use. */
  VolumeUse usage();

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
      VolumeUse usage, ClaimHolder holder, Set<ClaimStep.Choice> choices, OperatorMessage message)
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
}
