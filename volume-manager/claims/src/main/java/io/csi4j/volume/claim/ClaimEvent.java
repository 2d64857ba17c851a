package io.csi4j.volume.claim;

import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeUse;
import java.util.Optional;

/**
 * Something that happened to a claim. Each is about one use, whose claim it is, but {@link
 * Unreadable}. No event holds a secret or a publish context.
 *
 * @since 1.0
 */
public sealed interface ClaimEvent {

  /** The kinds of work on a claim. */
  enum Work {
    /** The volume is claimed, and attached where that is needed. */
    ACQUIRE,
    /** Between two tries to claim the volume, the claims of others are waited for. */
    WAIT,
    /** The claim is given back. */
    RELEASE,
    /** A proof was handed in. */
    PROVE,
    /** A claim that another process has left is brought on. */
    RESUME,
    /** The storage system is asked to attach the volume. */
    ATTACH,
    /** The storage system is asked to detach the volume. */
    DETACH
  }

  /**
   * Something is begun. It is followed by one {@link Ended}.
   *
   * @param usage the use
   * @param work what
   */
  record Started(VolumeUse usage, Work work) implements ClaimEvent {}

  /**
   * Something that was begun has ended.
   *
   * @param usage the use
   * @param work what
   * @param problem what went wrong, if something did
   */
  record Ended(VolumeUse usage, Work work, Optional<OperatorMessage> problem)
      implements ClaimEvent {}

  /**
   * A claim is written to be further.
   *
   * @param usage the use
   * @param holder its holder as it is now
   */
  record Moved(VolumeUse usage, ClaimHolder holder) implements ClaimEvent {}

  /**
   * A claim is forgotten.
   *
   * @param usage the use
   * @param epoch its epoch
   */
  record Freed(VolumeUse usage, long epoch) implements ClaimEvent {}

  /**
   * A proof was taken.
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
   * Something else that an operator has to know.
   *
   * @param usage the use
   * @param message what
   */
  record Noticed(VolumeUse usage, OperatorMessage message) implements ClaimEvent {}

  /**
   * A claim cannot be read: all claims are gone through, and this one is left as it is. Told in
   * each round that meets it.
   *
   * @param volume the volume, if the store knows it for sure
   * @param message the message for an operator
   */
  record Unreadable(Optional<VolumeKey> volume, OperatorMessage message) implements ClaimEvent {}

  /**
   * A listener who is told what happens to claims. Events come on the thread that made them, under
   * no lock; one that throws does no harm, and one that is slow makes its callers slow.
   *
   * @since 1.0
   */
  @FunctionalInterface
  interface Listener {

    /** Told of one event. */
    void on(ClaimEvent event);

    /** Returns a listener that ignores all. */
    static Listener none() {
      return event -> {};
    }
  }
}
