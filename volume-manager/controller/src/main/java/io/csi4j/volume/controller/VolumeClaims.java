package io.csi4j.volume.controller;

import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.claim.ClaimHolder;
import io.csi4j.volume.internal.claims.ClaimCodec;
import io.csi4j.volume.internal.store.RecordValues;
import io.csi4j.volume.internal.text.Subject;
import io.csi4j.volume.model.ChangeOutcome;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.OperatorException;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.store.RecordKey;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * The holders of volumes, by the claims of a host.
 *
 * @param store returns the claim of a volume, if it was ever claimed
 * @param records the claims in their store, if the host has set it
 */
record VolumeClaims(
    Function<VolumeKey, Optional<Claim>> store, Optional<RecordValues<Claim>> records) {

  /**
   * The claim of a volume in a list.
   *
   * @param claim the claim; none if it cannot be read
   * @param problem why the claim cannot be read; empty if it can
   */
  record Listed(Claim claim, Optional<OperatorMessage> problem) {}

  /**
   * Returns the claims of some volumes. Reads as many of them at a time as possible. An unreadable
   * claim does not prevent the others from being read.
   *
   * @param sorted the volumes, in the order of their records
   */
  Map<VolumeKey, Listed> claims(List<VolumeKey> sorted) {
    Map<VolumeKey, Listed> found = new HashMap<>();
    boolean isDense = records.isPresent();
    int at = 0;
    while (at < sorted.size()) {
      found.put(sorted.get(at), listed(sorted.get(at)));
      at++;
      if (isDense && at < sorted.size()) {
        int next = scan(sorted, at, found);
        isDense = next > at;
        at = next;
      }
    }
    return found;
  }

  /**
   * Reads the claims that follow that of a volume.
   *
   * @param from the index of the next volume
   * @return the index of the first volume beyond the claims that were read
   */
  private int scan(List<VolumeKey> sorted, int from, Map<VolumeKey, Listed> found) {
    RecordValues.Page<Claim> page =
        asked(
            Subject.of("reading the claims of volumes"),
            () ->
                records
                    .orElseThrow()
                    .page(Optional.of(ClaimCodec.key(sorted.get(from - 1))), sorted.size() - from));
    page.records()
        .forEach(each -> each.value().ifPresent(it -> found.put(it.volume(), listed(it))));
    int at = from;
    for (; at < sorted.size(); at++) {
      VolumeKey volume = sorted.get(at);
      RecordKey key = ClaimCodec.key(volume);
      if (page.next().filter(last -> key.compareTo(last) > 0).isPresent()) {
        break;
      }
      boolean isUnreadable = page.unreadable().stream().anyMatch(it -> it.key().equals(key));
      found.putIfAbsent(volume, isUnreadable ? listed(volume) : listed(Claim.none(volume)));
    }
    return at;
  }

  private static Listed listed(Claim claim) {
    return new Listed(claim, Optional.empty());
  }

  private Listed listed(VolumeKey key) {
    try {
      return listed(claim(key));
    } catch (ControllerException failed) {
      if (failed.code() != OperatorCode.CLAIM_UNREADABLE) {
        throw failed;
      }
      return new Listed(Claim.none(key), Optional.of(failed.operatorMessage()));
    }
  }

  /** Rejects an operation that would take a volume from its holders, naming them. */
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
    return asked(subject, () -> store.apply(key).orElseGet(() -> Claim.none(key)));
  }

  private static <T> T asked(Subject subject, Supplier<T> question) {
    try {
      return question.get();
    } catch (RuntimeException failed) {
      boolean isUnreadable =
          failed instanceof OperatorException known
              && known.code() == OperatorCode.CLAIM_UNREADABLE;
      throw ControllerFailures.failed(
          isUnreadable ? ChangeOutcome.HELD : ChangeOutcome.UNAVAILABLE,
          isUnreadable ? OperatorCode.CLAIM_UNREADABLE : OperatorCode.CLAIM_STORE_DOWN,
          subject,
          "its holders are unknown: " + failed.getMessage(),
          failed);
    }
  }

  /** Returns the claim of a volume, if it was ever claimed. */
  Optional<Claim> find(VolumeKey key) {
    return store.apply(key);
  }

  /** The holders of a claim as text; empty if there are none. */
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

  /** The holders of a claim, without a deletion that holds the claims. */
  private static Collection<ClaimHolder> claimants(Claim claim) {
    return claim.others(Claim.DELETION);
  }

  /** Whether a workload may have a claim on a volume; true also if that cannot be read. */
  boolean mayBeHeld(VolumeKey key) {
    try {
      return find(key).filter(it -> !claimants(it).isEmpty()).isPresent();
    } catch (RuntimeException nobodyCanSay) {
      return true;
    }
  }

  /**
   * Whether the store may know a claim of this epoch or a later one; true also if that cannot be
   * read.
   */
  boolean mayKnow(VolumeKey key, long epoch) {
    try {
      return find(key).filter(it -> it.epoch() >= epoch).isPresent();
    } catch (RuntimeException nobodyCanSay) {
      return true;
    }
  }
}
