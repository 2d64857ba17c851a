package io.csi4j.volume.internal.engine;

import io.csi4j.client.internal.time.Backoff;
import io.csi4j.mount.model.MountException;
import io.csi4j.mount.model.MountPath;
import io.csi4j.volume.internal.lifecycle.Event;
import io.csi4j.volume.internal.lifecycle.Turn.Notice;
import io.csi4j.volume.internal.record.ClaimMark;
import io.csi4j.volume.internal.record.TargetRecord;
import io.csi4j.volume.internal.record.VolumeRecord;
import io.csi4j.volume.internal.time.Rounds;
import io.csi4j.volume.internal.time.Scheduler;
import io.csi4j.volume.model.ClaimStanding;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.ReasonText;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.VolumeVerdict;
import io.csi4j.volume.node.NodeClaims;
import io.csi4j.volume.node.PathStatus;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Checks the claims of one volume's mounts, and releases uses whose claims have ended. Used only in
 * the mailbox of the volume.
 */
final class ClaimChecks {

  /** Time limit for an answer if the host has set no limit. */
  private static final Duration USUAL = Duration.ofSeconds(10);

  private final VolumeQueue volume;
  private final CleanupSchedule cleanup;

  /** The answers so far; allocated only while the volume has claims to check. */
  private @Nullable Heard heard;

  /**
   * The answers received so far about the claims of the uses.
   *
   * @param since the time when the claim of a use was last confirmed, or was first checked
   * @param told the code that was last reported for the claim of a use
   */
  private record Heard(Map<VolumeUse, Long> since, Map<VolumeUse, OperatorCode> told) {}

  /**
   * The consequence of an answer about a claim.
   *
   * @param notice the notice for an operator, if the answer needs one
   * @param isOver whether the use must be released
   */
  private record Verdict(Optional<Notice> notice, boolean isOver) {

    private static final Verdict NOTHING = new Verdict(Optional.empty(), false);
  }

  ClaimChecks(VolumeQueue volume, CleanupSchedule cleanup) {
    this.volume = volume;
    this.cleanup = cleanup;
  }

  /**
   * Queries the standing of a claim, within the host's time limit.
   *
   * @param then receives the answer exactly once, on any thread
   */
  static void ask(EngineParts parts, VolumeUse usage, long epoch, Consumer<ClaimStanding> then) {
    inTime(
        parts,
        answer -> parts.claims().standing(usage, epoch, answer),
        because -> new ClaimStanding.Unknown(new ReasonText(because)),
        then);
  }

  /**
   * Checks whether the volume of a claim exists, within the host's time limit.
   *
   * @param then receives the answer exactly once, on any thread
   */
  static void lookUp(EngineParts parts, VolumeUse usage, long epoch, Consumer<VolumeVerdict> then) {
    inTime(
        parts,
        answer -> parts.claims().verdict(usage, epoch, answer),
        because -> new VolumeVerdict.Unknown(new ReasonText(because)),
        then);
  }

  private static <T> void inTime(
      EngineParts parts,
      Consumer<Consumer<T>> question,
      Function<String, T> unknown,
      Consumer<T> then) {
    Duration patience = parts.claims().terms().map(NodeClaims::patience).orElse(USUAL);
    AtomicBoolean isTold = new AtomicBoolean();
    Consumer<T> once =
        answer -> {
          if (isTold.compareAndSet(false, true)) {
            then.accept(answer);
          }
        };
    Scheduler.Timer limit =
        parts
            .scheduler()
            .after(
                patience,
                () ->
                    once.accept(
                        unknown.apply(
                            "there was no answer within " + patience.toMillis() + " ms")));
    question.accept(
        answer -> {
          limit.cancel();
          once.accept(answer);
        });
  }

  /** Queries the claim of each use. The answers arrive later. */
  void confirm() {
    for (TargetRecord use : claimed(volume.memory.record(), now())) {
      ask(
          volume.parts,
          use.usage(),
          use.claim().epoch(),
          standing -> volume.aside(() -> confirmed(use.usage(), use.claim(), standing)));
    }
  }

  private long now() {
    return volume.parts.clock().nanos();
  }

  private void confirmed(VolumeUse usage, ClaimMark claim, ClaimStanding standing) {
    Optional<TargetRecord> use =
        volume
            .memory
            .use(usage)
            .filter(ClaimChecks::isPerhapsThere)
            .filter(it -> it.claim().epoch() == claim.epoch());
    Optional<NodeClaims> terms = volume.parts.claims().terms();
    if (use.isEmpty() || terms.isEmpty() || volume.engine.index.isClosing()) {
      return;
    }
    Verdict verdict = heard(use.get(), standing, terms.get(), now());
    verdict.notice().ifPresent(volume.report::tell);
    if (verdict.isOver() && cleanup.may(usage)) {
      // The release names the claim, because a mount under a newer claim may be queued before the
      // release.
      volume.take(Operation.Release.unclaimed(volume.engine.nextId(), usage, claim));
    }
  }

  /**
   * Returns the uses with claims to check: mounted uses, and uncertain uses. Uncertain uses are
   * included because an uncertain use whose claim has ended would otherwise stay on record forever.
   * For example, a fence may have unmounted it.
   */
  private List<TargetRecord> claimed(Optional<VolumeRecord> record, long now) {
    List<TargetRecord> claimed =
        record.stream()
            .flatMap(known -> known.targets().values().stream())
            .filter(use -> use.claim().isClaimed() && isPerhapsThere(use))
            .toList();
    if (claimed.isEmpty()) {
      heard = null;
      return claimed;
    }
    List<VolumeUse> uses = claimed.stream().map(TargetRecord::usage).toList();
    Heard known = heard();
    known.since().keySet().retainAll(uses);
    known.told().keySet().retainAll(uses);
    uses.forEach(usage -> known.since().putIfAbsent(usage, now));
    return claimed;
  }

  private static boolean isPerhapsThere(TargetRecord use) {
    return use.path().is(PathStatus.PRESENT) || use.path().is(PathStatus.IN_DOUBT);
  }

  private Heard heard() {
    Heard known = heard;
    if (known == null) {
      known = new Heard(new HashMap<>(2), new HashMap<>(2));
      heard = known;
    }
    return known;
  }

  /** Handles the answer about the claim of a use; a missing answer counts as "unknown". */
  private Verdict heard(TargetRecord use, ClaimStanding standing, NodeClaims terms, long now) {
    if (standing instanceof ClaimStanding.Current) {
      heard().since().put(use.usage(), now);
      heard().told().remove(use.usage());
      return Verdict.NOTHING;
    }
    if (use.path().is(PathStatus.IN_DOUBT) && !isSeen(use)) {
      // Nothing is mounted, so no notice is needed. The use ends only if the claim has certainly
      // ended.
      return new Verdict(Optional.empty(), standing instanceof ClaimStanding.Stale);
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
    // The claim is being released, and that release also unmounts the volume.
    return Verdict.NOTHING;
  }

  /**
   * Returns whether the mount table shows a mount for a use. A workload may write to such a mount,
   * even if the record says that the use is uncertain.
   */
  private boolean isSeen(TargetRecord use) {
    try {
      MountPath target = volume.parts.layout().target(volume.identity, use.usage());
      return !volume.parts.kernel().at(target).isEmpty();
    } catch (MountException unknown) {
      return true;
    }
  }

  /** Returns the notice for a code; empty if the same code was reported last for this use. */
  private Optional<Notice> notice(TargetRecord use, OperatorCode code, ClaimStanding standing) {
    return Stream.of(code)
        .filter(it -> heard().told().put(use.usage(), it) != it)
        .map(
            it ->
                new Notice(
                    it,
                    Event.Confirmed.words(standing, use.claim().epoch()),
                    Optional.of(use.usage())))
        .findFirst();
  }

  /** Returns the schedule for the claim checks of all volumes. */
  static Rounds rounds(EngineParts parts) {
    // The checks are spread over half of the interval, so the nodes of a cluster do not all send
    // their checks at the same time.
    Duration interval = parts.claims().terms().map(NodeClaims::interval).orElse(Duration.ZERO);
    return new Rounds(parts.scheduler(), Backoff.halfJitter(interval, interval));
  }
}
