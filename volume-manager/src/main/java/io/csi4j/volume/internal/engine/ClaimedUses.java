package io.csi4j.volume.internal.engine;

import io.csi4j.volume.OperatorCode;
import io.csi4j.volume.PathStatus;
import io.csi4j.volume.UsageKey;
import io.csi4j.volume.claim.ClaimStanding;
import io.csi4j.volume.claim.NodeClaims;
import io.csi4j.volume.internal.lifecycle.ClaimWords;
import io.csi4j.volume.internal.lifecycle.Notice;
import io.csi4j.volume.internal.record.TargetRecord;
import io.csi4j.volume.internal.record.VolumeRecord;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * What was last heard of the claims under which a volume is mounted, and what follows from it. Used
 * in the mailbox of the volume only.
 */
final class ClaimedUses {

  /** When each claim was last known to be current, or first looked at. */
  private final Map<UsageKey, Long> since = new HashMap<>(0);

  /** What was told of each since then. */
  private final Map<UsageKey, OperatorCode> told = new HashMap<>(0);

  /**
   * What follows.
   *
   * @param notice what an operator is told
   * @param isOver whether what is mounted has to go
   */
  record Verdict(Optional<Notice> notice, boolean isOver) {

    private static final Verdict NOTHING = new Verdict(Optional.empty(), false);
  }

  /** The uses to ask about: what is mounted under a claim. */
  List<TargetRecord> mounted(Optional<VolumeRecord> record, long now) {
    List<TargetRecord> mounted =
        record.stream()
            .flatMap(known -> known.targets().values().stream())
            .filter(use -> use.claim().isClaimed() && use.path().is(PathStatus.PRESENT))
            .toList();
    List<UsageKey> uses = mounted.stream().map(TargetRecord::usage).toList();
    since.keySet().retainAll(uses);
    told.keySet().retainAll(uses);
    uses.forEach(usage -> since.putIfAbsent(usage, now));
    return mounted;
  }

  /** Somebody has said what the claim of a mounted use is worth, or nobody could. */
  Verdict heard(TargetRecord use, ClaimStanding standing, NodeClaims terms, long now) {
    if (standing instanceof ClaimStanding.Current) {
      since.put(use.usage(), now);
      told.remove(use.usage());
      return Verdict.NOTHING;
    }
    if (standing instanceof ClaimStanding.Stale) {
      return new Verdict(notice(use, OperatorCode.FENCED_WHILE_MOUNTED, standing), true);
    }
    if (standing instanceof ClaimStanding.Missing) {
      return new Verdict(notice(use, OperatorCode.CLAIM_MISSING, standing), false);
    }
    if (standing instanceof ClaimStanding.Unknown) {
      long silent = now - since.getOrDefault(use.usage(), now);
      boolean isOver =
          terms.selfFence().map(Duration::toNanos).filter(limit -> silent >= limit).isPresent();
      return new Verdict(
          notice(use, isOver ? OperatorCode.SELF_FENCED : OperatorCode.CLAIM_UNCONFIRMED, standing),
          isOver);
    }
    // Who gives the claim back also has it unmounted.
    return Verdict.NOTHING;
  }

  /** Each is told once, until the claim is current again. */
  private Optional<Notice> notice(TargetRecord use, OperatorCode code, ClaimStanding standing) {
    return Stream.of(code)
        .filter(it -> told.put(use.usage(), it) != it)
        .map(
            it ->
                new Notice(
                    it, ClaimWords.of(standing, use.claim().epoch()), Optional.of(use.usage())))
        .findFirst();
  }
}
