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
 * Checks the claims of one volume's mounts, and releases uses whose claims are over. Used in the
 * mailbox of the volume only.
 */
final class ClaimChecks {

  /** Time limit for an answer if the host has set none. */
  private static final Duration USUAL = Duration.ofSeconds(10);

  private final VolumeQueue volume;
  private final CleanupSchedule cleanup;

  /** Allocated when the node has claims. */
  private @Nullable Heard heard;

  /**
   * The answers received so far for a use.
   *
   * @param since when its claim was last known to be current, or was first checked
   * @param told the code reported for the claim since then
   */
  private record Heard(Map<VolumeUse, Long> since, Map<VolumeUse, OperatorCode> told) {}

  /**
   * The consequence of an answer.
   *
   * @param notice the notice for an operator
   * @param isOver whether the mount must be removed
   */
  private record Verdict(Optional<Notice> notice, boolean isOver) {

    private static final Verdict NOTHING = new Verdict(Optional.empty(), false);
  }

  ClaimChecks(VolumeQueue volume, CleanupSchedule cleanup) {
    this.volume = volume;
    this.cleanup = cleanup;
  }

  /**
   * Asks for the standing of a claim, within the time limit of the host.
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
   * Asks whether the volume of a claim exists, within the time limit of the host.
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

  /** Asks about the claim of each use; the answers arrive later. */
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
      // The release names the claim, as a mount under a later claim may be ahead in the queue.
      volume.take(Operation.Release.unclaimed(volume.engine.nextId(), usage, claim));
    }
  }

  /**
   * Returns the uses to ask about: mounts under a claim, and uncertain uses. An uncertain use whose
   * claim is over, such as one that a fence has unmounted, would never end otherwise.
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

  /** Handles an answer about the claim of a use, or the lack of one. */
  private Verdict heard(TargetRecord use, ClaimStanding standing, NodeClaims terms, long now) {
    if (standing instanceof ClaimStanding.Current) {
      heard().since().put(use.usage(), now);
      heard().told().remove(use.usage());
      return Verdict.NOTHING;
    }
    if (use.path().is(PathStatus.IN_DOUBT) && !isSeen(use)) {
      // Nothing is mounted, so no notice is needed; only a proof ends the use.
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
    // The release of the claim also unmounts the volume.
    return Verdict.NOTHING;
  }

  /**
   * Returns whether something is mounted for a use. A workload may write to such a mount, whatever
   * the record says.
   */
  private boolean isSeen(TargetRecord use) {
    try {
      MountPath target = volume.parts.layout().target(volume.identity, use.usage());
      return !volume.parts.kernel().at(target).isEmpty();
    } catch (MountException unknown) {
      return true;
    }
  }

  /** Returns the notice for a code; each code is reported once until the claim is current again. */
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
    // The checks are spread over half of the interval, so that the nodes of a cluster do not all
    // send theirs at once.
    Duration interval = parts.claims().terms().map(NodeClaims::interval).orElse(Duration.ZERO);
    return new Rounds(parts.scheduler(), Backoff.halfJitter(interval, interval));
  }
}
