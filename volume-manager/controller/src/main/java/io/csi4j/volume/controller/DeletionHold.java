package io.csi4j.volume.controller;

import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.claim.ClaimDecision;
import io.csi4j.volume.claim.ClaimHolder;
import io.csi4j.volume.internal.claims.ClaimChange;
import io.csi4j.volume.internal.claims.ClaimCodec;
import io.csi4j.volume.internal.claims.ClaimRules;
import io.csi4j.volume.internal.store.RecordBook;
import io.csi4j.volume.internal.store.RecordBook.Decision;
import io.csi4j.volume.internal.store.RecordBook.Part;
import io.csi4j.volume.internal.store.RecordFailure;
import io.csi4j.volume.internal.text.Subject;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.store.RecordStore;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * The hold of a deletion on the claims of a volume. Any process may claim; only a conditional write
 * to the claims guarantees that no volume is claimed between the last check of the claims and the
 * call that deletes it.
 *
 * <p>If claims and catalog are in one store that can write several records at once, the hold and
 * the record of the volume are written {@linkplain #isTogether together}. Otherwise, they are
 * written one after the other. Nothing is held if the host gives access to its claims without their
 * store.
 */
final class DeletionHold {

  private final Optional<RecordBook<Claim>> claims;
  private final boolean isTogether;

  /**
   * Creates the hold on claims.
   *
   * @param catalog the store of the catalog
   * @param claims the store of the claims, if the host has set it
   */
  DeletionHold(RecordStore catalog, Optional<RecordStore> claims) {
    this.claims = claims.map(store -> new RecordBook<>(store, new ClaimCodec(), Optional.empty()));
    this.isTogether = claims.filter(store -> store == catalog && store.together() > 1).isPresent();
  }

  /** Whether claims can be held here. */
  boolean isPossible() {
    return claims.isPresent();
  }

  /** Whether the hold is written together with the record of the volume. */
  boolean isTogether() {
    return isTogether;
  }

  // ---- changes of the claims that are written together with a volume record

  /**
   * Takes the hold. A deletion that began earlier loses its hold to this one. Refused if a workload
   * has a claim.
   */
  Part<Claim> taking(VolumeKey volume) {
    return change(volume, true, claim -> ClaimRules.holdForDeletion(claim, Instant.now()));
  }

  /** Ends the hold of this epoch, if it exists. */
  Part<Claim> ending(VolumeKey volume, long epoch) {
    return change(volume, false, claim -> ClaimRules.endDeletion(claim, epoch));
  }

  /** Ends a hold whose deletion no control plane continues. Refused if a workload has a claim. */
  Part<Claim> endingLeft(VolumeKey volume) {
    return unclaimed(volume, claim -> claim.without(Claim.DELETION));
  }

  /** Leaves the claims unchanged. Refused if a workload has one. */
  Part<Claim> unclaimed(VolumeKey volume) {
    return unclaimed(volume, claim -> claim);
  }

  /**
   * A volume that was never claimed gets a record, too; the record is then a condition of the
   * write.
   */
  private Part<Claim> unclaimed(VolumeKey volume, Function<Claim, Claim> next) {
    return claims
        .orElseThrow()
        .part(
            ClaimCodec.key(volume),
            true,
            there -> {
              Claim claim = there.orElseGet(() -> Claim.none(volume));
              String holders = VolumeClaims.holders(claim);
              return holders.isEmpty()
                  ? new Decision.Write<>(next.apply(claim))
                  : new Decision.Refuse<>(OperatorCode.VOLUME_CLAIMED, holders);
            });
  }

  private Part<Claim> change(
      VolumeKey volume, boolean acquires, Function<Claim, ClaimDecision> rule) {
    return ClaimChange.of(claims.orElseThrow(), volume, acquires, rule);
  }

  /** Returns the epoch of a hold that was taken. */
  static long epoch(Part<Claim> taken) {
    return taken.change().after().value().orElseThrow().epoch();
  }

  // ---- changes of the claims alone

  /** Takes the hold, and returns its epoch; 0 if nothing is held here. */
  long take(Subject subject, VolumeKey volume) {
    if (!isPossible()) {
      return 0;
    }
    return epoch(alone(subject, taking(volume)));
  }

  /** Ends the hold of this epoch, if it exists. */
  void end(Subject subject, VolumeKey volume, long epoch) {
    if (isPossible()) {
      var unused = alone(subject, ending(volume, epoch));
    }
  }

  /** Ends the hold, whatever its epoch, of a deletion that no control plane continues. */
  void endLeft(Subject subject, VolumeKey volume) {
    Optional<ClaimHolder> left =
        claims.flatMap(
            book ->
                held(subject, () -> book.look(ClaimCodec.key(volume), false))
                    .value()
                    .flatMap(claim -> claim.holder(Claim.DELETION)));
    left.ifPresent(hold -> end(subject, volume, hold.epoch()));
  }

  private static Part<Claim> alone(Subject subject, Part<Claim> part) {
    return held(
        subject,
        () -> {
          RecordBook.apply(List.of(part));
          return part;
        });
  }

  private static <T> T held(Subject subject, Supplier<T> change) {
    try {
      return change.get();
    } catch (RecordFailure failed) {
      throw ControllerFailures.failed(
          failed.outcome(), failed.code(), subject, failed.seen(), failed);
    }
  }
}
