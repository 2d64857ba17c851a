package io.csi4j.volume.claim;

import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeUse;
import java.util.Optional;

/**
 * An event in the lifecycle of a claim. Every event except {@link Unreadable} concerns the claim of
 * one use. Events contain no secrets and no publish context.
 *
 * @since 1.0
 */
public sealed interface ClaimEvent {

  /** The kinds of work on a claim. */
  enum Work {
    /** Claiming the volume, and attaching it if necessary. */
    ACQUIRE,
    /** Waiting for other workloads to release the volume, between two attempts to claim it. */
    WAIT,
    /** Releasing the claim. */
    RELEASE,
    /** Recording a proof that the node no longer uses the volume. */
    PROVE,
    /** Continuing work on a claim that another process has left unfinished. */
    RESUME,
    /** Calling the storage system to attach the volume. */
    ATTACH,
    /** Calling the storage system to detach the volume. */
    DETACH
  }

  /**
   * Work on a claim begins. Exactly one {@link Ended} follows.
   *
   * @param usage the use
   * @param work the kind of work
   */
  record Started(VolumeUse usage, Work work) implements ClaimEvent {}

  /**
   * Work on a claim has ended.
   *
   * @param usage the use
   * @param work the kind of work
   * @param problem the problem, if the work failed
   */
  record Ended(VolumeUse usage, Work work, Optional<OperatorMessage> problem)
      implements ClaimEvent {}

  /**
   * The new state of a claim was written to the store.
   *
   * @param usage the use
   * @param holder the holder in its new state
   */
  record Moved(VolumeUse usage, ClaimHolder holder) implements ClaimEvent {}

  /**
   * A claim was removed.
   *
   * @param usage the use
   * @param epoch the epoch of the claim
   */
  record Freed(VolumeUse usage, long epoch) implements ClaimEvent {}

  /**
   * A proof that a node no longer uses the volume was accepted.
   *
   * @param proof the proof
   */
  record Proven(ReleaseProof proof) implements ClaimEvent {

    /** Returns the use that the proof concerns. */
    public VolumeUse usage() {
      return proof.usage();
    }
  }

  /**
   * Another event that an operator should know about.
   *
   * @param usage the use
   * @param message the message
   */
  record Noticed(VolumeUse usage, OperatorMessage message) implements ClaimEvent {}

  /**
   * A claim cannot be read, and a scan of all claims skips it. Each scan reports the claim again.
   *
   * @param volume the volume; empty if the store cannot determine it with certainty
   * @param message the message for an operator
   */
  record Unreadable(Optional<VolumeKey> volume, OperatorMessage message) implements ClaimEvent {}

  /**
   * A listener for the events of claims. The listener is called on the thread that caused the
   * event, without a lock, so a slow listener delays that thread. If the listener throws, the
   * exception is logged.
   *
   * @since 1.0
   */
  @FunctionalInterface
  interface Listener {

    /** Receives one event. */
    void on(ClaimEvent event);

    /** Returns a listener that ignores all events. */
    static Listener none() {
      return event -> {};
    }
  }
}
