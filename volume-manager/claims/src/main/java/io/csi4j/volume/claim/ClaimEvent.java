package io.csi4j.volume.claim;

import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeUse;
import java.util.Optional;

/**
 * An event in the lifecycle of a claim. Every event except {@link Unreadable} is about the claim of
 * one use. Events contain no secrets and no publish context.
 *
 * @since 1.0
 */
public sealed interface ClaimEvent {

  /** The kinds of work on a claim. */
  enum Work {
    /** Claiming the volume, and attaching it if necessary. */
    ACQUIRE,
    /** Waiting for the claims of others between two attempts to claim the volume. */
    WAIT,
    /** Releasing the claim. */
    RELEASE,
    /** Recording a proof. */
    PROVE,
    /** Continuing a claim that another process has left unfinished. */
    RESUME,
    /** Asking the storage system to attach the volume. */
    ATTACH,
    /** Asking the storage system to detach the volume. */
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
   * A claim was written with a new state.
   *
   * @param usage the use
   * @param holder its current holder
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
   * A proof was accepted.
   *
   * @param proof the proof
   */
  record Proven(ReleaseProof proof) implements ClaimEvent {

    /** Returns the use. */
    public VolumeUse usage() {
      return proof.usage();
    }
  }

  /**
   * Another event that an operator must know.
   *
   * @param usage the use
   * @param message the message
   */
  record Noticed(VolumeUse usage, OperatorMessage message) implements ClaimEvent {}

  /**
   * A claim cannot be read: a scan of all claims skips it. Reported in each scan that meets it.
   *
   * @param volume the volume, if the store knows it with certainty
   * @param message the message for an operator
   */
  record Unreadable(Optional<VolumeKey> volume, OperatorMessage message) implements ClaimEvent {}

  /**
   * A listener for the events of claims. Events are reported on the thread that caused them,
   * without a lock; an exception of the listener is logged, and a slow listener delays its callers.
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
