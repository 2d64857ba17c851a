package io.csi4j.volume.internal.lifecycle;

import io.csi4j.mount.model.Holders;
import io.csi4j.mount.model.MountException;
import io.csi4j.volume.internal.lifecycle.Turn.Moment;
import io.csi4j.volume.internal.lifecycle.Turn.Situation;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.VolumeException.Outcome;

/** Handles a step that ended with an unexpected exception, so its effect is unknown. */
public final class BrokenStep {

  /**
   * Thrown instead of performing a step when a foreign mount covers the directories of the volume.
   */
  public static final class CoveredException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final transient Failure failure;

    /** Creates the exception with the failure that describes the foreign mount. */
    public CoveredException(Failure failure) {
      super(failure.seen());
      this.failure = failure;
    }

    Failure failure() {
      return failure;
    }
  }

  private BrokenStep() {}

  /** Returns the failure for a mount that this manager could not unmount without the plugin. */
  private static Failure notForced(Throwable cause) {
    String command =
        cause instanceof MountException refused
            ? refused
                .target()
                .map(path -> "; unmount it by hand: " + ReleaseStory.unmountCommand(path))
                .orElse("")
            : "";
    boolean isBusy =
        cause instanceof MountException refused && refused.reason() == MountException.Reason.BUSY;
    return Failure.of(
        isBusy ? OperatorCode.TARGET_BUSY : OperatorCode.CLEANUP_NEEDS_HELP,
        "it could not be unmounted without the plugin: "
            + (isBusy ? use((MountException) cause) : cause.getMessage())
            + command,
        cause);
  }

  /** Returns the description of a busy mount. The advice comes from the operator code. */
  private static String use(MountException busy) {
    return busy.holders()
        .map(Holders::ofMount)
        .filter(holders -> !holders.isEmpty())
        .map(holders -> "it is in use by: " + holders)
        .orElse("it is in use");
  }

  /**
   * Returns the turn after a step that ended with an exception.
   *
   * @param cause the thrown exception
   */
  public static Turn after(Turn before, Throwable cause, Situation now) {
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
      return turn.end(Outcome.REFUSED, failure);
    }
    if (moment.equals(ReleaseStory.LOOK_GOING)) {
      return ReleaseStory.unfinished(ReleaseStory.marked(turn), failure);
    }
    Turn reached = turn.step() instanceof Step.Call call ? turn.reached(call.verb()) : turn;
    if (turn.goal() instanceof Goal.Refresh) {
      return RefreshStory.broke(reached, failure);
    }
    return moment.isForth()
        ? ReleaseStory.undo(reached, failure, now)
        : ReleaseStory.unfinished(turn, failure);
  }
}
