package io.csi4j.volume.internal.lifecycle;

import io.csi4j.volume.internal.port.CrashPoint;
import io.csi4j.volume.internal.record.ClaimMark;
import io.csi4j.volume.internal.record.Verb;
import io.csi4j.volume.internal.record.VolumeRecord;
import io.csi4j.volume.model.ClaimStanding;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.state.Durability;
import java.util.Optional;

/**
 * Asks what a claim is worth before each call that takes something. The use is on record by then:
 * whoever asks this node for a receipt after the claim was moved on gets none, so the answer cannot
 * be overtaken by a claim that was freed behind it.
 */
final class Confirming {

  private Confirming() {}

  /** Whether a claim has to be asked about. */
  static boolean isNeeded(Goal.Publish goal, Situation now) {
    return goal.epoch() > 0 && now.rules().on(Rule.EPOCH_CONFIRMED);
  }

  /** Asks. */
  static Turn ask(Turn turn, Goal.Publish goal, Phase phase) {
    return turn.to(phase, new Step.Confirm(goal.usage(), goal.epoch()));
  }

  /** Makes a call that takes something, once its claim is confirmed. */
  static Turn call(Turn turn, Goal.Publish goal, Verb verb, Situation now) {
    return barred(turn, now)
        .orElseGet(
            () ->
                isNeeded(goal, now)
                    ? ask(
                        turn,
                        goal,
                        verb == Verb.STAGE ? Phase.CONFIRM_STAGE : Phase.CONFIRM_PUBLISH)
                    : callNow(turn, goal, verb));
  }

  private static Optional<Turn> barred(Turn turn, Situation now) {
    return now.bar().map(failure -> Releasing.undo(turn, failure, now));
  }

  private static Turn callNow(Turn turn, Goal.Publish goal, Verb verb) {
    if (verb == Verb.PUBLISH && Admission.isForOne(goal) && turn.phase() != Phase.LOOK_AT_OTHERS) {
      return turn.to(Phase.LOOK_AT_OTHERS, new Step.LookAtUses());
    }
    return verb == Verb.STAGE
        ? turn.call(Phase.STAGE, verb, Optional.empty())
        : turn.call(Phase.PUBLISH, verb, Optional.of(goal.usage()));
  }

  /** Publishes, unless another has got a volume that is for one, by a call given up long before. */
  static Turn othersSeen(Turn turn, Goal.Publish goal, VolumeRecord seen, Situation now) {
    Turn at = turn.with(seen);
    return Admission.refusal(seen, goal, now.rules())
        .map(failure -> Releasing.undo(at, failure, now))
        .or(() -> barred(at, now))
        .orElseGet(() -> callNow(at, goal, Verb.PUBLISH));
  }

  /** Goes on with the call, or undoes what was begun. */
  static Turn answered(
      Turn turn, Goal.Publish goal, Verb verb, Event.Confirmed answer, Situation now) {
    ClaimStanding standing = answer.standing();
    if (standing instanceof ClaimStanding.Current) {
      return barred(turn, now)
          .orElseGet(() -> callNow(turn.with(confirmed(turn.record(), goal)), goal, verb));
    }
    boolean goesOn =
        standing instanceof ClaimStanding.Unknown
            && answer.recordSuffices()
            && mark(turn.before(), goal).wasConfirmed(goal.epoch());
    if (goesOn) {
      return barred(turn, now)
          .orElseGet(
              () ->
                  callNow(
                      turn.note(
                          new Notice(
                              OperatorCode.CLAIM_STORE_DOWN,
                              seen(standing, goal) + ", and it goes on from what is on record",
                              Optional.of(goal.usage()))),
                      goal,
                      verb));
    }
    if (standing instanceof ClaimStanding.Stale && isOurs(turn, goal)) {
      return Releasing.giveUp(turn, failure(standing, goal, turn.spared()), now);
    }
    return Releasing.undo(turn, failure(standing, goal, false), now);
  }

  /** What is mounted already stays, unless its claim is proven to be over. */
  static Turn there(Turn turn, Goal.Publish goal, Event.Confirmed answer, Situation now) {
    ClaimStanding standing = answer.standing();
    ClaimMark mark = mark(turn.record(), goal);
    if (standing instanceof ClaimStanding.Current) {
      if (mark.wasConfirmed(goal.epoch())) {
        return turn.end(new Result.Published());
      }
      VolumeRecord next = confirmed(turn.record(), goal);
      return turn.with(next)
          .to(Phase.SAVE_PUBLISHED, new Step.Save(next, Durability.REQUIRED, CrashPoint.P16));
    }
    if (standing instanceof ClaimStanding.Stale && isOurs(turn, goal)) {
      return Releasing.giveUp(turn, failure(standing, goal, true), now);
    }
    Failure failure = failure(standing, goal, false);
    boolean isRunning =
        mark.wasConfirmed(goal.epoch())
            && (standing instanceof ClaimStanding.Unknown
                || standing instanceof ClaimStanding.Missing);
    return isRunning
        ? turn.note(new Notice(failure.code(), failure.seen(), Optional.of(goal.usage())))
            .end(new Result.Published())
        : turn.end(new Result.Refused(failure));
  }

  /** Under which claim a use is on record. */
  static ClaimMark mark(VolumeRecord record, Goal.Publish goal) {
    return record.claim(goal.usage());
  }

  /** Whether what is there is not under a newer claim than the one that is over. */
  private static boolean isOurs(Turn turn, Goal.Publish goal) {
    return mark(turn.before(), goal).epoch() <= goal.epoch();
  }

  private static VolumeRecord confirmed(VolumeRecord record, Goal.Publish goal) {
    return record
        .target(goal.usage())
        .map(use -> record.withTarget(use.under(new ClaimMark(goal.epoch(), true))))
        .orElse(record);
  }

  private static Failure failure(ClaimStanding standing, Goal.Publish goal, boolean isMounted) {
    OperatorCode code =
        standing instanceof ClaimStanding.Stale
            ? isMounted ? OperatorCode.FENCED_WHILE_MOUNTED : OperatorCode.FENCED
            : standing instanceof ClaimStanding.Leaving
                ? OperatorCode.CLAIM_BEING_RELEASED
                : standing instanceof ClaimStanding.Missing
                    ? OperatorCode.CLAIM_MISSING
                    : OperatorCode.CLAIM_UNCONFIRMED;
    return Failure.of(code, seen(standing, goal));
  }

  private static String seen(ClaimStanding standing, Goal.Publish goal) {
    return ClaimWords.of(standing, goal.epoch());
  }
}
