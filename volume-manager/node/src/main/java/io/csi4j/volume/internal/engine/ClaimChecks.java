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
 * Looks whether the mounts of one volume are still claimed, and takes them away if not. Used in the
 * mailbox of the volume only.
 */
final class ClaimChecks {

  /** How long an answer is waited for where the host has said nothing. */
  private static final Duration USUAL = Duration.ofSeconds(10);

  private final VolumeQueue volume;
  private final CleanupSchedule cleanup;

  /** Nothing while there are no claims. */
  private @Nullable Heard heard;

  /**
   * The memory of each use.
   *
   * @param since when its claim was last known to be current, or first looked at
   * @param told the code told of it since then
   */
  private record Heard(Map<VolumeUse, Long> since, Map<VolumeUse, OperatorCode> told) {}

  /**
   * The consequence of an answer.
   *
   * @param notice what an operator is told
   * @param isOver whether the mount has to go
   */
  private record Verdict(Optional<Notice> notice, boolean isOver) {

    private static final Verdict NOTHING = new Verdict(Optional.empty(), false);
  }

  ClaimChecks(VolumeQueue volume, CleanupSchedule cleanup) {
    this.volume = volume;
    this.cleanup = cleanup;
  }

  /**
   * Asks what a claim is worth, and waits no longer for the answer than the host allows.
   *
   * @param then told exactly once, on any thread
   */
  static void ask(EngineParts parts, VolumeUse usage, long epoch, Consumer<ClaimStanding> then) {
    inTime(
        parts,
        answer -> parts.claims().standing(usage, epoch, answer),
        because -> new ClaimStanding.Unknown(new ReasonText(because)),
        then);
  }

  /**
   * Asks whether the volume of a claim exists, and waits no longer for the answer than the host
   * allows.
   *
   * @param then told exactly once, on any thread
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

  /** Asks about the claim of every use; the answers come later. */
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
      // A mount under a later claim may be ahead in the queue.
      volume.take(Operation.Release.unclaimed(volume.engine.nextId(), usage, claim));
    }
  }

  /**
   * The uses to ask about: what is mounted under a claim, and what is in doubt. Nothing else would
   * end one in doubt whose claim is over, such as one that a fence has unmounted.
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

  /** An answer about the claim of a use has come, or none could be had. */
  private Verdict heard(TargetRecord use, ClaimStanding standing, NodeClaims terms, long now) {
    if (standing instanceof ClaimStanding.Current) {
      heard().since().put(use.usage(), now);
      heard().told().remove(use.usage());
      return Verdict.NOTHING;
    }
    if (use.path().is(PathStatus.IN_DOUBT) && !isSeen(use)) {
      // Nothing is mounted, so an operator need not hear of it; only a proof ends it.
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
    // Who gives the claim back also has it unmounted.
    return Verdict.NOTHING;
  }

  /** Whether something is mounted for a use; a workload may write to it, whatever is on record. */
  private boolean isSeen(TargetRecord use) {
    try {
      MountPath target = volume.parts.layout().target(volume.identity, use.usage());
      return !volume.parts.kernel().at(target).isEmpty();
    } catch (MountException unknown) {
      return true;
    }
  }

  /** Each is told once, until the claim is current again. */
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

  /** Returns the times at which the volumes of an engine look at their claims. */
  static Rounds rounds(EngineParts parts) {
    // Spread over half the time, so that the nodes of a cluster do not ask all at once.
    Duration interval = parts.claims().terms().map(NodeClaims::interval).orElse(Duration.ZERO);
    return new Rounds(parts.scheduler(), Backoff.halfJitter(interval, interval));
  }
}
