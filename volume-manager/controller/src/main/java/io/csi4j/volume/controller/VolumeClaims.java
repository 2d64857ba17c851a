package io.csi4j.volume.controller;

import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.claim.ClaimHolder;
import io.csi4j.volume.internal.text.Subject;
import io.csi4j.volume.model.ChangeOutcome;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.VolumeKey;
import java.util.Collection;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Who holds volumes, by the claims that a host has.
 *
 * @param store returns the claim of a volume, if it was ever claimed
 */
record VolumeClaims(Function<VolumeKey, Optional<Claim>> store) {

  /** Refuses what would take a volume from those who hold it, naming them. */
  void refuseHeld(Subject subject, VolumeKey key) {
    Claim claim = claim(subject, key);
    if (!claimants(claim).isEmpty()) {
      throw ControllerFailures.refused(OperatorCode.VOLUME_CLAIMED, subject, holders(claim));
    }
  }

  /** The claim of a volume. */
  Claim claim(VolumeKey key) {
    return claim(Subject.of("reading the claim of volume '" + key + "'"), key);
  }

  private Claim claim(Subject subject, VolumeKey key) {
    try {
      return store.apply(key).orElseGet(() -> Claim.none(key));
    } catch (RuntimeException nobodyCanSay) {
      throw ControllerFailures.failed(
          ChangeOutcome.UNAVAILABLE,
          OperatorCode.CLAIM_STORE_DOWN,
          subject,
          "nobody can say who holds it: " + nobodyCanSay.getMessage(),
          nobodyCanSay);
    }
  }

  /** Returns the claim of a volume, if it was ever claimed. */
  Optional<Claim> find(VolumeKey key) {
    return store.apply(key);
  }

  /** The holders of a claim, for people; empty if there are none. */
  static String holders(Claim claim) {
    return claimants(claim).stream()
        .map(
            holder ->
                "workload '"
                    + holder.workload()
                    + "' on node '"
                    + holder.node()
                    + "' holds it ("
                    + holder.mode()
                    + ", "
                    + holder.state()
                    + ")")
        .collect(Collectors.joining(", "));
  }

  /** Those who have a claim; a deletion, which holds the claims, is none of them. */
  private static Collection<ClaimHolder> claimants(Claim claim) {
    return claim.others(Claim.DELETION);
  }

  /** Whether anybody has a claim of a volume; also if nobody can say. */
  boolean mayBeHeld(VolumeKey key) {
    try {
      return find(key).filter(it -> !claimants(it).isEmpty()).isPresent();
    } catch (RuntimeException nobodyCanSay) {
      return true;
    }
  }

  /** Whether the store of claims knows a claim of this epoch, or a later one; or nobody can say. */
  boolean mayKnow(VolumeKey key, long epoch) {
    try {
      return find(key).filter(it -> it.epoch() >= epoch).isPresent();
    } catch (RuntimeException nobodyCanSay) {
      return true;
    }
  }
}
