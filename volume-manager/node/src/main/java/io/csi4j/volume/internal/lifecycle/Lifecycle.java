package io.csi4j.volume.internal.lifecycle;

import io.csi4j.mount.model.MountException;
import io.csi4j.volume.internal.lifecycle.Turn.Moment;
import io.csi4j.volume.internal.lifecycle.Turn.Situation;
import io.csi4j.volume.internal.link.Answer;
import io.csi4j.volume.internal.record.TargetRecord;
import io.csi4j.volume.internal.record.VolumeRecord;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.node.PathStatus;
import io.csi4j.volume.node.UnmountOutcome;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * The next step of an operation: functions of the record and the last answer, without input or
 * output. The way to a workload is told in {@link MountStory}, the way back in {@link
 * ReleaseStory}.
 */
public final class Lifecycle {

  /**
   * A step was not made, as its path leads into something that was mounted over the directories.
   */
  public static final class CoveredException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final transient Failure failure;

    /** A failure because a foreign mount lies over the directories. */
    public CoveredException(Failure failure) {
      super(failure.seen());
      this.failure = failure;
    }

    Failure failure() {
      return failure;
    }
  }

  private Lifecycle() {}

  /** The first step towards a goal. */
  public static Turn begin(Goal goal, VolumeRecord record) {
    Turn turn = Turn.of(goal, record);
    if (goal instanceof Goal.Publish) {
      return MountStory.begin(turn);
    }
    if (goal instanceof Goal.Release release) {
      return ReleaseStory.begin(turn, release.usage());
    }
    boolean isInUse = goal instanceof Goal.Settle && !record.targets().isEmpty();
    return isInUse
        ? turn.end(new Result.Released(UnmountOutcome.NOT_LAST))
        : ReleaseStory.look(turn);
  }

  /**
   * Returns the next goal of the background cleanup of a volume.
   *
   * @param mayGo the uses that may be taken away now
   */
  public static Optional<Goal> owed(VolumeRecord record, Predicate<VolumeUse> mayGo) {
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
            && turn.awaited().moment().isForth()
            && turn.step() instanceof Step.Later;
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
        || code == OperatorCode.STATE_TAKEN_OVER
        || code == OperatorCode.STATE_CLOSED;
  }

  /** How it is told that something could not be unmounted without the plugin. */
  private static Failure notForced(Throwable cause) {
    String command =
        cause instanceof MountException refused
            ? refused
                .target()
                .map(path -> " What remains is: " + ReleaseStory.unmountCommand(path))
                .orElse("")
            : "";
    boolean isBusy =
        cause instanceof MountException refused && refused.reason() == MountException.Reason.BUSY;
    return Failure.of(
        isBusy ? OperatorCode.TARGET_BUSY : OperatorCode.CLEANUP_NEEDS_HELP,
        "it could not be unmounted without the plugin: " + cause.getMessage() + command,
        cause);
  }

  /**
   * A step threw what it should not: nothing is known of its effect.
   *
   * @param cause what was thrown
   */
  public static Turn broken(Turn before, Throwable cause, Situation now) {
    Turn turn = before.quiet();
    Moment<?> moment = turn.awaited().moment();
    Failure failure =
        cause instanceof CoveredException covered
            ? covered.failure()
            : cause instanceof MountException
                ? Failure.of(
                    OperatorCode.MOUNT_TABLE_UNREADABLE, String.valueOf(cause.getMessage()), cause)
                : Failure.of(
                    OperatorCode.STEP_FAILED,
                    "the step " + moment + " ended with " + cause.getClass().getSimpleName(),
                    cause);
    if (turn.step() instanceof Step.Force) {
      return ReleaseStory.unfinished(turn, notForced(cause));
    }
    if (moment.equals(MountStory.LOOK_FIRST)) {
      return turn.end(new Result.Refused(failure));
    }
    if (moment.equals(ReleaseStory.LOOK_GOING)) {
      return ReleaseStory.unfinished(ReleaseStory.marked(turn), failure);
    }
    Turn reached = turn.step() instanceof Step.Call call ? turn.reached(call.verb()) : turn;
    return moment.isForth()
        ? ReleaseStory.undo(reached, failure, now)
        : ReleaseStory.unfinished(turn, failure);
  }
}
