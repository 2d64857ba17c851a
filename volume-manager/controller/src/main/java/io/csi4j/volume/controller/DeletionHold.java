package io.csi4j.volume.controller;

import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.claim.ClaimException;
import io.csi4j.volume.claim.coordination.ClaimBook;
import io.csi4j.volume.internal.text.Subject;
import io.csi4j.volume.model.VolumeKey;
import java.util.Optional;

/**
 * The hold that a deletion has on the claims of a volume. The claims of a volume and its record may
 * be in two stores, and are written one after the other even where they are in one. Any process may
 * claim: only a conditional write to the claims themselves rules out that a volume is claimed
 * between the last look at them and the call that deletes it.
 *
 * @param book where volumes are claimed; nothing if the host shows its claims without their store
 */
record DeletionHold(Optional<ClaimBook> book) {

  /** Whether claims can be held here. */
  boolean isPossible() {
    return book.isPresent();
  }

  /**
   * Takes the hold. A deletion that was begun before loses its hold to this one. Fails if a
   * workload has a claim.
   *
   * @return its epoch, by which it is ended
   */
  long take(Subject subject, VolumeKey volume) {
    try {
      return book.map(claims -> claims.holdForDeletion(volume)).orElse(0L);
    } catch (ClaimException failed) {
      throw failure(subject, failed);
    }
  }

  /** Ends the hold, if there is one of this epoch. */
  void end(Subject subject, VolumeKey volume, long epoch) {
    try {
      book.ifPresent(claims -> claims.endDeletion(volume, epoch));
    } catch (ClaimException failed) {
      throw failure(subject, failed);
    }
  }

  /** Ends the hold, whatever its epoch, of a deletion that no control plane continues. */
  void endLeft(Subject subject, VolumeKey volume) {
    try {
      book.ifPresent(
          claims ->
              claims
                  .read(volume)
                  .holder(Claim.DELETION)
                  .ifPresent(left -> claims.endDeletion(volume, left.epoch())));
    } catch (ClaimException failed) {
      throw failure(subject, failed);
    }
  }

  private static ControllerException failure(Subject subject, ClaimException failed) {
    return ControllerFailures.failed(
        failed.outcome(),
        failed.operatorMessage().code(),
        subject,
        failed.operatorMessage().seen().text(),
        failed);
  }
}
