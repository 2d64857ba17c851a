package io.csi4j.volume.internal.lifecycle;

import io.csi4j.mount.model.MountException;
import io.csi4j.volume.internal.link.Answer;
import io.csi4j.volume.internal.record.TargetRecord;
import io.csi4j.volume.internal.record.VolumeRecord;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.UsageKey;
import io.csi4j.volume.node.PathStatus;
import io.csi4j.volume.node.Release;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * What happens next to a volume: functions of what is so and what just happened, without input or
 * output.
 */
public final class Lifecycle {

  private Lifecycle() {}

  /** The first step towards a goal. */
  public static Turn begin(Goal goal, VolumeRecord record, Situation now) {
    Turn turn = Turn.of(goal, record);
    if (goal instanceof Goal.Publish publish) {
      return Publishing.begin(turn, publish, now);
    }
    if (goal instanceof Goal.Release release) {
      if (record.targets().isEmpty() && !record.isEmpty()) {
        // The use is over, and the volume is not: what it owes is asked for again.
        return turn.to(Phase.LOOK_GOING, new Step.Look(Optional.of(release.usage())));
      }
      if (record.target(release.usage()).isEmpty()) {
        return now.rules().on(Rule.UNKNOWN_IS_NOT_LAST)
            ? turn.end(new Result.Released(Release.UNKNOWN))
            : Releasing.unstage(turn);
      }
      return turn.to(Phase.LOOK_GOING, new Step.Look(Optional.of(release.usage())));
    }
    if (goal instanceof Goal.Abandon abandon) {
      return turn.to(Phase.LOOK_GOING, new Step.Look(Optional.of(abandon.usage())));
    }
    if (goal instanceof Goal.Withdraw withdraw) {
      return turn.to(Phase.LOOK_GOING, new Step.Look(withdraw.usage()));
    }
    return record.targets().isEmpty()
        ? turn.to(Phase.LOOK_GOING, new Step.Look(Optional.empty()))
        : turn.end(new Result.Released(Release.NOT_LAST));
  }

  /** The next step, now that this happened. */
  public static Turn next(Turn before, Event event, Situation now) {
    Turn turn = before.quiet();
    if (event instanceof Event.Broke broke) {
      return broken(turn, broke.cause(), now);
    }
    return turn.phase().isPublishing()
        ? Publishing.next(turn, (Goal.Publish) turn.goal(), event, now)
        : Releasing.next(turn, event, now);
  }

  /**
   * What has to be done for a volume although nobody asks for it any more, the next part of it.
   *
   * @param mayGo the uses that may be taken away now
   */
  public static Optional<Goal> owed(VolumeRecord record, Predicate<UsageKey> mayGo) {
    for (TargetRecord target : record.targets().values()) {
      if (target.path().is(PathStatus.GOING) && mayGo.test(target.usage())) {
        return Optional.of(new Goal.Release(target.usage()));
      }
    }
    return record.targets().isEmpty() ? Optional.of(new Goal.Settle()) : Optional.empty();
  }

  /**
   * The end of a publication that is not wanted any more, where it can be left: before a call, and
   * instead of a pause or a question. What it has done is on record, for the release that follows.
   */
  public static Optional<Turn> superseded(Turn turn) {
    boolean canBeLeft =
        turn.goal() instanceof Goal.Publish publish
            && !publish.keeps()
            && turn.phase().isPublishing()
            && (turn.step() instanceof Step.Call
                || turn.step() instanceof Step.Pause
                || turn.step() instanceof Step.Confirm);
    return canBeLeft
        ? Optional.of(
            turn.end(
                new Result.Unfinished(
                    Failure.of(
                        OperatorCode.SUPERSEDED, "its release was asked for in the meantime"))))
        : Optional.empty();
  }

  /** Whether the plugin has refused a release with this, and is well otherwise. */
  public static boolean isRefusalOfRelease(Answer.Failed failed) {
    return AnswerClass.isRefusalOfRelease(failed);
  }

  /** Whether the plugin may still be working on a call that failed like this. */
  public static boolean mayGoOn(Answer.Failed failed) {
    return !AnswerClass.of(failed).isOver();
  }

  /**
   * Whether the same try would end the same way until a person has looked: what the plugin refuses
   * to take away, what is not ours, and what another manager looks after now.
   */
  public static boolean isForPeople(OperatorCode code) {
    return code == OperatorCode.CLEANUP_NEEDS_HELP
        || code == OperatorCode.FOREIGN_MOUNT
        || code == OperatorCode.STATE_TAKEN_OVER;
  }

  /** How it is told that something could not be unmounted without the plugin. */
  private static Failure notForced(Throwable cause) {
    String command =
        cause instanceof MountException refused
            ? refused.target().map(path -> " What remains is: " + Commands.unmount(path)).orElse("")
            : "";
    boolean isBusy =
        cause instanceof MountException refused && refused.reason() == MountException.Reason.BUSY;
    return Failure.of(
        isBusy ? OperatorCode.TARGET_BUSY : OperatorCode.CLEANUP_NEEDS_HELP,
        "it could not be unmounted without the plugin: " + cause.getMessage() + command,
        cause);
  }

  /** A step threw what it should not: nothing is known of its effect. */
  private static Turn broken(Turn turn, Throwable cause, Situation now) {
    Failure failure =
        cause instanceof CoveredException covered
            ? covered.failure()
            : cause instanceof MountException
                ? Failure.of(
                    OperatorCode.MOUNT_TABLE_UNREADABLE, String.valueOf(cause.getMessage()), cause)
                : Failure.of(
                    OperatorCode.STEP_FAILED,
                    "the step " + turn.phase() + " ended with " + cause.getClass().getSimpleName(),
                    cause);
    if (turn.step() instanceof Step.Force) {
      return Releasing.unfinished(turn, notForced(cause));
    }
    Turn reached = turn.step() instanceof Step.Call call ? turn.reached(call.verb()) : turn;
    return switch (turn.phase()) {
      case LOOK_FIRST -> turn.end(new Result.Refused(failure));
      case LOOK_GOING -> Releasing.unfinished(Releasing.marked(turn), failure);
      default ->
          turn.phase().isPublishing()
              ? Releasing.undo(reached, failure, now)
              : Releasing.unfinished(turn, failure);
    };
  }
}
