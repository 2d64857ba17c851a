package io.csi4j.volume.internal.engine;

import io.csi4j.volume.internal.lifecycle.ClaimWords;
import io.csi4j.volume.internal.lifecycle.Notice;
import io.csi4j.volume.internal.record.TargetRecord;
import io.csi4j.volume.internal.record.VolumeRecord;
import io.csi4j.volume.model.ClaimStanding;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.UsageKey;
import io.csi4j.volume.node.NodeClaims;
import io.csi4j.volume.node.PathStatus;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What was last heard of the claims under which a volume is mounted, and what follows from it. Used
 * in the mailbox of the volume only.
 */
final class ClaimedUses {

  /** Nothing while there are no claims. */
  private @Nullable Heard heard;

  /**
   * What is remembered of each use.
   *
   * @param since when its claim was last known to be current, or first looked at
   * @param told what was told of it since then
   */
  private record Heard(Map<UsageKey, Long> since, Map<UsageKey, OperatorCode> told) {}

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
    if (mounted.isEmpty()) {
      heard = null;
      return mounted;
    }
    List<UsageKey> uses = mounted.stream().map(TargetRecord::usage).toList();
    Heard known = heard();
    known.since().keySet().retainAll(uses);
    known.told().keySet().retainAll(uses);
    uses.forEach(usage -> known.since().putIfAbsent(usage, now));
    return mounted;
  }

  private Heard heard() {
    Heard known = heard;
    if (known == null) {
      known = new Heard(new HashMap<>(2), new HashMap<>(2));
      heard = known;
    }
    return known;
  }

  /** Somebody has said what the claim of a mounted use is worth, or nobody could. */
  Verdict heard(TargetRecord use, ClaimStanding standing, NodeClaims terms, long now) {
    if (standing instanceof ClaimStanding.Current) {
      heard().since().put(use.usage(), now);
      heard().told().remove(use.usage());
      return Verdict.NOTHING;
    }
    if (standing instanceof ClaimStanding.Stale) {
      return new Verdict(notice(use, OperatorCode.FENCED_WHILE_MOUNTED, standing), true);
    }
    if (standing instanceof ClaimStanding.Missing) {
      return new Verdict(notice(use, OperatorCode.CLAIM_MISSING, standing), false);
    }
    if (standing instanceof ClaimStanding.Unknown) {
      long silent = now - heard().since().getOrDefault(use.usage(), now);
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
        .filter(it -> heard().told().put(use.usage(), it) != it)
        .map(
            it ->
                new Notice(
                    it, ClaimWords.of(standing, use.claim().epoch()), Optional.of(use.usage())))
        .findFirst();
  }
}
