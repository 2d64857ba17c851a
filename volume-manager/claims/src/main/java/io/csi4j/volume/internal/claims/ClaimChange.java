package io.csi4j.volume.internal.claims;

import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.claim.ClaimDecision;
import io.csi4j.volume.claim.ClaimDecision.Granted;
import io.csi4j.volume.claim.ClaimDecision.Refused;
import io.csi4j.volume.internal.store.RecordBook;
import io.csi4j.volume.internal.store.RecordBook.Decision;
import io.csi4j.volume.internal.store.RecordBook.Part;
import io.csi4j.volume.model.VolumeKey;
import java.util.Optional;
import java.util.function.Function;

/** Converts decisions of the rules for claims into changes of records. */
public final class ClaimChange {

  private ClaimChange() {}

  /**
   * Returns a change of the record that contains the claim of a volume.
   *
   * @param acquires whether the change gives a workload access to the volume
   * @param rule decides about the current claim. If the volume was never claimed, the rule receives
   *     a claim without holders
   */
  public static Part<Claim> of(
      RecordBook<Claim> book,
      VolumeKey volume,
      boolean acquires,
      Function<Claim, ClaimDecision> rule) {
    return book.part(
        ClaimCodec.key(volume), acquires, there -> decision(rule.apply(before(volume, there))));
  }

  private static Claim before(VolumeKey volume, Optional<Claim> there) {
    return there.orElseGet(() -> Claim.none(volume));
  }

  private static Decision<Claim> decision(ClaimDecision decision) {
    if (decision instanceof Refused refused) {
      return new Decision.Refuse<>(refused.code(), refused.because().text());
    }
    Granted granted = (Granted) decision;
    return granted.changes() ? new Decision.Write<>(granted.next()) : new Decision.Keep<>();
  }
}
