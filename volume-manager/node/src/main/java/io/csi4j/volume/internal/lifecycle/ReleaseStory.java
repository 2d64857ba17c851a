package io.csi4j.volume.internal.lifecycle;

import io.csi4j.mount.model.MountPath;
import io.csi4j.volume.internal.lifecycle.CallMeaning.Belief;
import io.csi4j.volume.internal.lifecycle.CallMeaning.Repeat;
import io.csi4j.volume.internal.lifecycle.Step.Save.Need;
import io.csi4j.volume.internal.lifecycle.Turn.Moment;
import io.csi4j.volume.internal.lifecycle.Turn.Notice;
import io.csi4j.volume.internal.lifecycle.Turn.Situation;
import io.csi4j.volume.internal.link.Answer;
import io.csi4j.volume.internal.path.PathProblem;
import io.csi4j.volume.internal.port.CrashPoint;
import io.csi4j.volume.internal.port.Sighting;
import io.csi4j.volume.internal.record.PathRecord;
import io.csi4j.volume.internal.record.TargetRecord;
import io.csi4j.volume.internal.record.Verb;
import io.csi4j.volume.internal.record.VolumeRecord;
import io.csi4j.volume.model.MountPolicy;
import io.csi4j.volume.model.MountPolicy.DeadUnmount;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.VolumeException.Outcome;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.node.PathStatus;
import io.csi4j.volume.node.UnmountOutcome;
import io.csi4j.volume.state.StateException;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;

/**
 * The lifecycle of a release. Its steps are, in order: read the mounts, save the intent, unpublish,
 * check the mounts, remove the target, save the end of the use. After the last use, further steps
 * follow: unstage, check the mounts, remove the volume, leave a tombstone. This lifecycle serves
 * requested releases, undoes failed mounts, and removes obstacles for a mount.
 */
final class ReleaseStory {

  // ---- the states, in order

  static final Moment<Event.Looked> LOOK_GOING =
      Moment.back("LOOK_GOING", "reading the mount table", ReleaseStory::seenGoing);

  static final Moment<Event.Saved> SAVE_GOING =
      Moment.back("SAVE_GOING", "saving its progress", ReleaseStory::goingSaved)
          .reaching(CrashPoint.RELEASE_SAVED);

  static final Moment<Event.Called> UNPUBLISH =
      Moment.back(
          "UNPUBLISH",
          "waiting for the plugin to unpublish it",
          (turn, end, now) -> called(turn, Part.USE, end, now));

  static final Moment<Event.Woke> UNPUBLISH_AGAIN =
      Moment.back(
          "UNPUBLISH_AGAIN",
          "waiting for the plugin to unpublish it",
          (turn, woke, now) -> unpublish(working(turn, Part.USE, now), now));

  static final Moment<Event.Looked> LOOK_UNPUBLISHED =
      Moment.back(
          "LOOK_UNPUBLISHED",
          "checking whether it is unpublished",
          (turn, looked, now) -> seenAfterCall(turn, Part.USE, looked, now));

  static final Moment<Event.Looked> LOOK_FORGOTTEN_USE =
      Moment.back(
          "LOOK_FORGOTTEN_USE",
          "checking whether it is unpublished",
          (turn, looked, now) -> seenForgotten(turn, Part.USE, looked, now));

  static final Moment<Event.Looked> LOOK_REFUSED_USE =
      Moment.back(
          "LOOK_REFUSED_USE", "checking whether it is unpublished", ReleaseStory::seenRefused);

  static final Moment<Event.Forced> SWEEP_USE =
      Moment.back(
          "SWEEP_USE",
          "unmounting it without the plugin",
          (turn, forced, now) -> swept(turn, Part.USE, forced));

  static final Moment<Event.Forced> FORCE_USE =
      Moment.back(
          "FORCE_USE",
          "unmounting it without the plugin",
          (turn, forced, now) -> forced(turn, Part.USE, forced));

  static final Moment<Event.Arranged> REMOVE_USE =
      Moment.back("REMOVE_USE", "removing directories", ReleaseStory::useRemoved)
          .reaching(CrashPoint.USE_REMOVED);

  static final Moment<Event.Saved> SAVE_RELEASED =
      Moment.back("SAVE_RELEASED", "saving its progress", ReleaseStory::releasedSaved)
          .reaching(CrashPoint.USE_END_SAVED);

  static final Moment<Event.UsesSeen> LOOK_AT_USES =
      Moment.back("LOOK_AT_USES", "checking for other mounts of it", ReleaseStory::usesSeen);

  static final Moment<Event.Saved> SAVE_NOT_UNSTAGED =
      Moment.<Event.Saved>back(
              "SAVE_NOT_UNSTAGED",
              "saving that it was not unstaged",
              (turn, saved, now) -> unfinished(turn, turn.tries().refusal().orElseThrow()))
          .reaching(CrashPoint.USE_END_SAVED);

  static final Moment<Event.Called> UNSTAGE =
      Moment.back(
          "UNSTAGE",
          "waiting for the plugin to unstage it",
          (turn, end, now) -> called(turn, Part.STAGING, end, now));

  static final Moment<Event.Woke> UNSTAGE_AGAIN =
      Moment.back(
          "UNSTAGE_AGAIN",
          "waiting for the plugin to unstage it",
          (turn, woke, now) -> unstage(working(turn, Part.STAGING, now), now));

  static final Moment<Event.Looked> LOOK_UNSTAGED =
      Moment.back(
          "LOOK_UNSTAGED",
          "checking whether it is unstaged",
          (turn, looked, now) -> seenAfterCall(turn, Part.STAGING, looked, now));

  static final Moment<Event.Looked> LOOK_FORGOTTEN_STAGING =
      Moment.back(
          "LOOK_FORGOTTEN_STAGING",
          "checking whether it is unstaged",
          (turn, looked, now) -> seenForgotten(turn, Part.STAGING, looked, now));

  static final Moment<Event.Forced> SWEEP_STAGING =
      Moment.back(
          "SWEEP_STAGING",
          "unmounting it without the plugin",
          (turn, forced, now) -> swept(turn, Part.STAGING, forced));

  static final Moment<Event.Forced> FORCE_STAGING =
      Moment.back(
          "FORCE_STAGING",
          "unmounting it without the plugin",
          (turn, forced, now) -> forced(turn, Part.STAGING, forced));

  static final Moment<Event.Arranged> REMOVE_VOLUME =
      Moment.back("REMOVE_VOLUME", "removing directories", ReleaseStory::volumeRemoved)
          .reaching(CrashPoint.VOLUME_REMOVED);

  static final Moment<Event.Saved> FORGET =
      Moment.back("FORGET", "forgetting it", ReleaseStory::forgotten)
          .reaching(CrashPoint.TOMBSTONE_SAVED);

  /** The two parts of a volume, which are released in the same way. */
  private enum Part {
    USE(Verb.UNPUBLISH),
    STAGING(Verb.UNSTAGE);

    private final Verb verb;

    Part(Verb verb) {
      this.verb = verb;
    }

    boolean isUse() {
      return this == USE;
    }

    /** Returns the use for a call or a check of the mounts; empty for the staging. */
    Optional<VolumeUse> usage(Turn turn) {
      return isUse() ? turn.usage() : Optional.empty();
    }

    List<Sighting> stack(Event.Looked looked) {
      return isUse() ? looked.target() : looked.staging();
    }

    Optional<PathRecord> path(Turn turn) {
      return isUse()
          ? turn.usage().flatMap(turn.record()::target).map(TargetRecord::path)
          : Optional.of(turn.record().staging());
    }
  }

  private ReleaseStory() {}

  // ---- the start

  /** Starts the release of a use. The last use also releases the volume. */
  static Turn begin(Turn turn, VolumeUse usage) {
    VolumeRecord record = turn.record();
    // If the volume is on record without uses, the request continues the pending cleanup of the
    // volume.
    boolean isOwed = record.targets().isEmpty() && !record.isEmpty();
    return isOwed || record.target(usage).isPresent()
        ? look(turn)
        : turn.end(new Result.Released(UnmountOutcome.UNKNOWN));
  }

  /** Starts by reading the mounts. */
  static Turn look(Turn turn) {
    return turn.await(LOOK_GOING, new Step.Look(turn.usage()));
  }

  /** Undoes a mount that cannot be completed, unless a workload may be using it. */
  static Turn undo(Turn turn, Failure failure, Situation now) {
    Turn failing = turn.failing(failure);
    return turn.detour().spared()
        ? failing.end(Outcome.IN_PROGRESS, failure)
        : takeAway(turn, failing, now);
  }

  /**
   * Releases a use because its workload has lost the right to use the volume, even if the workload
   * may still be using it.
   */
  static Turn giveUp(Turn turn, Failure failure, Situation now) {
    return takeAway(turn, turn.failing(failure), now);
  }

  private static Turn takeAway(Turn turn, Turn failing, Situation now) {
    VolumeUse usage = turn.usage().orElseThrow();
    boolean isUntouched =
        !turn.sent().contains(Verb.PUBLISH) && turn.before().target(usage).isEmpty();
    return isUntouched ? removeUse(failing) : going(failing, usage, now);
  }

  /** Removes an obstacle for a mount. */
  static Turn clear(Turn turn, Turn.Clearing what, Situation now) {
    Turn clearing = turn.clearing(what);
    if (what == Turn.Clearing.STAGING) {
      return settle(clearing, now);
    }
    Goal.Publish goal = turn.mount();
    VolumeRecord record = turn.record();
    return going(
        record.target(goal.usage()).isPresent()
            ? clearing
            : clearing.with(
                record.withTarget(
                    new TargetRecord(
                        goal.usage(), goal.readOnly(), PathRecord.NONE.as(PathStatus.GOING)))),
        goal.usage(),
        now);
  }

  // ---- the first check of the mounts

  private static Turn seenGoing(Turn turn, Event.Looked looked, Situation now) {
    VolumeRecord record = turn.record();
    Optional<TargetRecord> target = turn.usage().flatMap(record::target);
    if (turn.goal() instanceof Goal.Abandon abandon) {
      return abandon(turn, abandon, target, looked);
    }
    if (Inspection.isForeign(record.staging(), looked.staging())) {
      return unfinished(turn, Inspection.foreign(looked.staging()));
    }
    if (target.filter(use -> Inspection.isForeign(use.path(), looked.target())).isPresent()) {
      return unfinished(turn, Inspection.foreign(looked.target()));
    }
    if (target.isPresent()) {
      return going(turn, target.get().usage(), now);
    }
    if (turn.goal() instanceof Goal.Withdraw withdraw) {
      return withdraw.usage().isEmpty()
          ? withdrawStaging(turn, now)
          : turn.end(new Result.Withdrawn());
    }
    return settle(turn, now);
  }

  /**
   * Abandons a use, or the staging that it left, at an operator's request, unless something is
   * mounted.
   */
  private static Turn abandon(
      Turn turn, Goal.Abandon goal, Optional<TargetRecord> target, Event.Looked looked) {
    VolumeRecord record = turn.record();
    if (target.isEmpty() && (!record.targets().isEmpty() || record.isEmpty())) {
      return turn.end(new Result.Released(UnmountOutcome.UNKNOWN));
    }
    if (target.filter(use -> use.path().is(PathStatus.PRESENT)).isPresent()) {
      return turn.end(
          Outcome.REFUSED,
          Failure.of(
              OperatorCode.NOT_ALLOWED_HERE,
              "its release was not requested yet: only a release that does not end can be"
                  + " abandoned"));
    }
    List<Sighting> stack = target.isPresent() ? looked.target() : looked.staging();
    if (!stack.isEmpty() || (target.isPresent() && looked.device())) {
      return turn.end(
          Outcome.REFUSED,
          Failure.of(
              OperatorCode.STILL_MOUNTED,
              stack.isEmpty()
                  ? "its device node still exists"
                  : "it is still mounted; first unmount it with: "
                      + unmountCommand(stack.get(0).path())));
    }
    VolumeRecord ended = record.abandoning(goal.usage(), goal.reason());
    Turn noted =
        turn.note(
            new Notice(
                OperatorCode.ABANDONED, "the reason given is: " + goal.reason(), turn.usage()));
    return target.isPresent()
        ? removeUse(noted.with(ended))
        : removeVolume(noted.with(ended.withStaging(PathRecord.NONE)));
  }

  // ---- the release of the use

  /** Saves that a use is being released, or that only its mount is being removed. */
  private static Turn going(Turn turn, VolumeUse usage, Situation now) {
    TargetRecord target =
        turn.record()
            .target(usage)
            .orElse(new TargetRecord(usage, false, PathRecord.NONE.as(PathStatus.IN_DOUBT)));
    PathRecord path = target.path();
    boolean isQuarantined = path.awaits(Verb.PUBLISH) && now.targetQuarantined(usage);
    boolean keeps = keepsUse(turn);
    PathRecord marked = path.as(keeps ? PathStatus.IN_DOUBT : PathStatus.GOING);
    PathRecord next = isQuarantined ? marked : marked.working(Verb.UNPUBLISH, now.instance());
    VolumeRecord record =
        turn.record().withTarget(target.with(next)).withAnswered(usage, now.isAnswered(usage));
    return turn.with(record)
        .await(SAVE_GOING, new Step.Save(record, keeps ? Need.ON_THE_MEDIUM : Need.RELEASING));
  }

  /** Returns whether the use stays on record after its mount is removed. */
  private static boolean keepsUse(Turn turn) {
    return turn.goal() instanceof Goal.Withdraw
        || (turn.clearing() == Turn.Clearing.TARGET
            && turn.usage()
                .flatMap(turn.record()::target)
                .filter(target -> !target.path().is(PathStatus.GOING))
                .isPresent());
  }

  private static Turn goingSaved(Turn turn, Event.Saved saved, Situation now) {
    // If the record is too large to be written, the release continues: the use is already on
    // record.
    return saved
        .problem()
        .filter(known -> known.reason() != StateException.Reason.STATE_VALUE_TOO_LARGE)
        .map(
            problem ->
                unfinished(
                    turn.goal() instanceof Goal.Withdraw ? turn.with(turn.before()) : turn,
                    MountStory.stateFailure(problem)))
        .orElseGet(() -> unpublish(turn.fresh(), now));
  }

  private static Turn unpublish(Turn turn, Situation now) {
    boolean isQuarantined =
        Part.USE.path(turn).filter(path -> path.awaits(Verb.PUBLISH)).isPresent();
    return isQuarantined
        ? unfinished(turn, CallMeaning.quarantined(Verb.PUBLISH))
        : send(turn, Part.USE, now);
  }

  /**
   * Handles a plugin that refuses to release a use without a mount. If the plugin has refused often
   * and for a long time, the use is treated as released. Otherwise the use is published again.
   */
  private static Turn seenRefused(Turn turn, Event.Looked looked, Situation now) {
    Failure refusal = turn.tries().refusal().orElseThrow();
    if (!looked.target().isEmpty() || looked.device()) {
      return unfinished(turn, refusal);
    }
    if (!isRefusedForLong(turn, now)) {
      return MountStory.publishAgain(turn, now);
    }
    return useGone(
        turn.note(
            new Notice(
                OperatorCode.RELEASED_WITHOUT_CONFIRMATION,
                "nothing is mounted, and it was refused at least "
                    + MountPolicy.REFUSALS
                    + " times over at least "
                    + MountPolicy.REFUSED_FOR.toMinutes()
                    + " minutes: "
                    + refusal.seen(),
                turn.usage())));
  }

  /**
   * Continues after the mount of a use is gone: removes the directories of the use, or keeps the
   * use for a new mount.
   */
  private static Turn useGone(Turn turn) {
    if (keepsUse(turn)) {
      TargetRecord use = turn.usage().flatMap(turn.record()::target).orElseThrow();
      return saveReleased(turn.with(turn.record().withTarget(use.with(PathRecord.NONE))));
    }
    return removeUse(turn);
  }

  private static Turn removeUse(Turn turn) {
    return turn.await(REMOVE_USE, new Step.RemoveUse(turn.usage().orElseThrow()));
  }

  private static Turn useRemoved(Turn turn, Event.Arranged arranged, Situation now) {
    VolumeUse usage = turn.usage().orElseThrow();
    return arranged.isMounted()
        ? cameLate(turn, usage, now)
        : released(noting(turn, arranged.problem(), Optional.of(usage)), usage, now);
  }

  /**
   * Handles a mount that has appeared at an empty path because an earlier, abandoned call was
   * executed late.
   */
  private static Turn cameLate(Turn turn, VolumeUse usage, Situation now) {
    boolean wasUnpublished =
        turn.record().target(usage).filter(use -> use.path().is(PathStatus.GOING)).isPresent();
    return wasUnpublished
        ? unfinished(
            turn,
            Failure.of(
                OperatorCode.STILL_MOUNTED,
                "NodeUnpublishVolume was answered, and something was mounted there again"))
        : going(turn, usage, now);
  }

  // ---- the end of the use on record

  private static Turn released(Turn turn, VolumeUse usage, Situation now) {
    VolumeRecord record = turn.record().without(usage);
    boolean clears = turn.clearing() == Turn.Clearing.TARGET;
    if (record.targets().isEmpty() && !clears) {
      boolean neverStaged =
          turn.failure().isPresent()
              && !turn.sent().contains(Verb.STAGE)
              && turn.before().staging().is(PathStatus.NONE);
      record =
          neverStaged || record.staging().is(PathStatus.NONE)
              ? record.withStaging(PathRecord.NONE)
              : unstaging(record, now);
    }
    return saveReleased(turn.with(record));
  }

  private static Turn saveReleased(Turn turn) {
    return turn.await(SAVE_RELEASED, new Step.Save(turn.record(), Need.RELEASING));
  }

  private static Turn releasedSaved(Turn turn, Event.Saved saved, Situation now) {
    return saved
        .problem()
        .map(problem -> unfinished(turn, MountStory.stateFailure(problem)))
        .orElseGet(() -> afterUse(turn, now));
  }

  private static Turn afterUse(Turn turn, Situation now) {
    if (turn.clearing() == Turn.Clearing.TARGET) {
      return mountAgain(turn);
    }
    if (turn.clearing() == Turn.Clearing.STAGING) {
      return unstage(turn.fresh(), now);
    }
    if (turn.goal() instanceof Goal.Withdraw withdraw) {
      return withdraw.usage().isEmpty()
          ? unstage(turn.fresh(), now)
          : turn.end(new Result.Withdrawn());
    }
    VolumeRecord record = turn.record();
    if (!record.targets().isEmpty()) {
      return finished(turn, UnmountOutcome.NOT_LAST);
    }
    if (record.staging().is(PathStatus.NONE)) {
      return removeVolume(turn);
    }
    return isBeingStaged(record, now)
        ? unfinished(turn, CallMeaning.quarantined(Verb.STAGE))
        : unstage(turn.fresh(), now);
  }

  // ---- the release of the staging

  /** Unstages the volume if it may be staged, and removes its directories and record. */
  private static Turn settle(Turn turn, Situation now) {
    VolumeRecord record = turn.record();
    boolean clears = turn.clearing() == Turn.Clearing.STAGING;
    if (record.staging().is(PathStatus.NONE) && !clears) {
      return removeVolume(turn);
    }
    if (isBeingStaged(record, now)) {
      return unfinished(turn, CallMeaning.quarantined(Verb.STAGE));
    }
    boolean isBeingUnstaged =
        record.staging().awaits(Verb.UNSTAGE) && record.staging().is(PathStatus.IN_DOUBT);
    return isBeingUnstaged
        ? unstage(turn.fresh(), now)
        : saveReleased(turn.with(unstaging(record, now)));
  }

  /** Unstages the volume although uses are on record, if none of the uses is mounted. */
  private static Turn withdrawStaging(Turn turn, Situation now) {
    VolumeRecord record = turn.record();
    if (record.staging().is(PathStatus.NONE) || !isNowhere(record)) {
      return turn.end(new Result.Withdrawn());
    }
    return isBeingStaged(record, now)
        ? unfinished(turn, CallMeaning.quarantined(Verb.STAGE))
        : saveReleased(turn.with(unstaging(record, now)));
  }

  /** Returns whether it is certain that none of the uses is mounted. */
  static boolean isNowhere(VolumeRecord record) {
    return record.targets().values().stream().allMatch(use -> use.path().is(PathStatus.NONE));
  }

  /** Returns whether the plugin may still be staging the volume. */
  static boolean isBeingStaged(VolumeRecord record, Situation now) {
    return now.stagingQuarantined() && record.staging().awaits(Verb.STAGE);
  }

  /** Returns the record of the volume with a staging that is being released. */
  private static VolumeRecord unstaging(VolumeRecord record, Situation now) {
    PathRecord doubtful = record.staging().as(PathStatus.IN_DOUBT);
    return record.withStaging(
        isBeingStaged(record, now) ? doubtful : doubtful.working(Verb.UNSTAGE, now.instance()));
  }

  private static Turn unstage(Turn turn, Situation now) {
    return turn.await(LOOK_AT_USES, new Step.LookAtUses(!now.policy().unstageMountedElsewhere()));
  }

  /**
   * Unstages the volume, unless it is published for an unrecorded use, or another program has
   * mounted its device.
   */
  private static Turn usesSeen(Turn turn, Event.UsesSeen seen, Situation now) {
    if (!seen.record().equals(turn.record())) {
      return unfinished(
          turn.with(seen.record()),
          Failure.of(
              OperatorCode.STILL_MOUNTED,
              "it was published to a workload by a call that was given up long before"));
    }
    return seen.elsewhere().isEmpty()
        ? send(turn, Part.STAGING, now)
        : notUnstaged(turn, Inspection.elsewhere(seen.elsewhere()));
  }

  /**
   * Ends the operation without an unstage call. The record then lists no pending call, so the
   * manager does not wait for the end of a call after a restart.
   */
  private static Turn notUnstaged(Turn turn, Failure failure) {
    boolean mayBeUnstaging =
        turn.sent().contains(Verb.UNSTAGE) || turn.before().staging().awaits(Verb.UNSTAGE);
    Turn idle = idle(turn, Part.STAGING);
    return mayBeUnstaging
        ? unfinished(turn, failure)
        : idle.with(idle.tries().refused(failure))
            .await(SAVE_NOT_UNSTAGED, new Step.Save(idle.record(), Need.RELEASING));
  }

  private static Turn stagingGone(Turn turn) {
    Turn at = turn.with(turn.record().withStaging(PathRecord.NONE));
    if (turn.goal() instanceof Goal.Withdraw) {
      return at.end(new Result.Withdrawn());
    }
    return turn.clearing() == Turn.Clearing.STAGING ? mountAgain(at) : removeVolume(at);
  }

  // ---- the removal of the volume

  private static Turn removeVolume(Turn turn) {
    return turn.await(REMOVE_VOLUME, new Step.RemoveVolume());
  }

  private static Turn volumeRemoved(Turn turn, Event.Arranged arranged, Situation now) {
    Turn at = noting(turn, arranged.problem(), Optional.empty());
    boolean wasNever = at.failure().isPresent() && at.sent().isEmpty() && at.before().isEmpty();
    return at.await(FORGET, wasNever ? new Step.Forget() : new Step.Bury());
  }

  private static Turn forgotten(Turn turn, Event.Saved saved, Situation now) {
    return saved
        .problem()
        .map(problem -> unfinished(turn, MountStory.stateFailure(problem)))
        .orElseGet(() -> finished(turn, UnmountOutcome.LAST));
  }

  private static Turn noting(Turn turn, Optional<PathProblem> problem, Optional<VolumeUse> usage) {
    return problem
        .map(MountStory::pathFailure)
        .map(failure -> turn.note(new Notice(failure.code(), failure.seen(), usage)))
        .orElse(turn);
  }

  // ---- the end

  private static Turn finished(Turn turn, UnmountOutcome release) {
    return turn.failure().isPresent()
        ? turn.end(turn.failure().get())
        : turn.end(new Result.Released(release));
  }

  /** Starts the requested mount again after the obstacle has been removed. */
  private static Turn mountAgain(Turn turn) {
    return turn.cleared().await(MountStory.LOOK_FIRST, new Step.Look(turn.usage()));
  }

  /**
   * Ends the operation because the release cannot continue now. The rest of the release is pending.
   */
  static Turn unfinished(Turn turn, Failure failure) {
    Failure first = turn.failure().orElse(failure);
    Optional<Failure> undoing =
        turn.failure().isPresent() ? Optional.of(failure) : Optional.empty();
    return turn.end(first.as(failure.isForPeople() ? Outcome.HELD : Outcome.IN_PROGRESS, undoing));
  }

  /** Notes that a use must be released later, because its release is not possible now. */
  static Turn marked(Turn turn) {
    if (turn.goal() instanceof Goal.Withdraw) {
      return turn;
    }
    return turn.usage()
        .flatMap(turn.record()::target)
        .map(target -> target.with(target.path().as(PathStatus.GOING)))
        .map(target -> turn.with(turn.record().withTarget(target)))
        .orElse(turn);
  }

  // ---- a releasing call and the check of the mounts after it, for a use or for the staging

  private static Turn send(Turn turn, Part part, Situation now) {
    if (now.barred().isPresent()) {
      return unfinished(turn, now.barred().get());
    }
    return turn.call(part.isUse() ? UNPUBLISH : UNSTAGE, part.verb, part.usage(turn));
  }

  private static Turn called(Turn turn, Part part, Event.Called end, Situation now) {
    return end.either(
        answer -> answered(turn, part, answer, now),
        withheld -> unfinished(turn, MountStory.pathFailure(withheld)));
  }

  private static Turn answered(Turn turn, Part part, Answer answer, Situation now) {
    return answer.isOk() ? lookAfter(idle(turn, part), part) : failed(turn, part, answer, now);
  }

  private static Turn lookAfter(Turn turn, Part part) {
    return turn.await(
        part.isUse() ? LOOK_UNPUBLISHED : LOOK_UNSTAGED, new Step.Look(part.usage(turn)));
  }

  private static Turn failed(Turn turn, Part part, Answer answer, Situation now) {
    CallMeaning meaning = CallMeaning.of(answer);
    Repeat repeat = meaning.repeat();
    Failure failure = CallMeaning.failure(turn, part.verb, answer);
    Turn reached = answer.isSent() ? turn.reached(part.verb) : turn;
    Turn at = !meaning.goesOn() && answer.isSent() ? idle(reached, part) : reached;
    if (meaning.belief() == Belief.AT_ONCE) {
      return at.with(at.tries().unknown(failure))
          .await(
              part.isUse() ? LOOK_FORGOTTEN_USE : LOOK_FORGOTTEN_STAGING,
              new Step.Look(part.usage(turn)));
    }
    boolean isRepeated = repeat != Repeat.NEVER && at.tries().calls() < now.policy().attempts();
    boolean mayBeGone =
        part.isUse()
            && isRefusedInVain(at, meaning, now)
            && (isRefusedForLong(at, now) || (!isRepeated && mayPublishAgain(at)));
    if (mayBeGone) {
      return at.with(at.tries().refused(failure))
          .await(LOOK_REFUSED_USE, new Step.Look(at.usage()));
    }
    return isRepeated ? again(at, part, repeat, now) : unfinished(at, failure);
  }

  private static boolean isRefusedForLong(Turn turn, Situation now) {
    return now.refused().contains(turn.usage().orElseThrow());
  }

  /** Repeats the call after a pause. */
  private static Turn again(Turn turn, Part part, Repeat repeat, Situation now) {
    return turn.pause(
        part.isUse() ? UNPUBLISH_AGAIN : UNSTAGE_AGAIN,
        repeat.pause(now.policy(), turn.tries().calls(), now.random()));
  }

  /**
   * Returns whether the mount table alone can prove that a use is released although the plugin
   * refuses the release. The policy must allow this, and no call for the use may be running. In
   * addition, the mount of the use must have been seen once, or every publication must have ended
   * and must be visible in the mount table if it succeeded.
   */
  private static boolean isRefusedInVain(Turn turn, CallMeaning meaning, Situation now) {
    VolumeUse usage = turn.usage().orElseThrow();
    boolean wasSeen =
        turn.record().target(usage).filter(use -> use.path().evidence().isPresent()).isPresent();
    boolean isVisible =
        turn.record().plan().block() ? now.policy().requireDevice() : now.policy().requireMount();
    return now.policy().releaseUnconfirmed()
        && meaning.belief() == Belief.IN_THE_END
        && !now.targetQuarantined(usage)
        && now.barred().isEmpty()
        && (wasSeen || (isVisible && now.isAnswered(usage)));
  }

  /**
   * Returns whether a use that is an obstacle for its own mount may be published again instead: its
   * mount was never seen, and it is wanted with the same arguments.
   */
  private static boolean mayPublishAgain(Turn turn) {
    return turn.clearing() == Turn.Clearing.TARGET
        && turn.record()
            .target(turn.mount().usage())
            .filter(use -> use.path().evidence().isEmpty())
            .filter(use -> MountStory.isWantedAsGiven(use, turn.record(), turn.mount()))
            .isPresent();
  }

  /** Continues if nothing is mounted at the path any more; otherwise unmounts again or fails. */
  private static Turn seenAfterCall(Turn turn, Part part, Event.Looked seen, Situation now) {
    List<Sighting> stack = part.stack(seen);
    if (stack.isEmpty()) {
      return gone(turn, part);
    }
    if (maySweep(turn, part, stack, now)) {
      return sweep(turn, part, stack, now);
    }
    boolean isFewer = turn.tries().layers() > stack.size();
    Turn looked = turn.with(turn.tries().left(stack.size()));
    int most = now.policy().forceAfterRefusals();
    boolean mayForce = most > 0 && !isForeign(turn, part, stack);
    if (mayForce && looked.tries().unknown() >= most) {
      return force(looked, part);
    }
    if (isFewer || mayForce || turn.tries().calls() < now.policy().attempts()) {
      return again(looked, part, Repeat.SOON, now);
    }
    return unfinished(
        turn,
        Failure.of(
            OperatorCode.STILL_MOUNTED,
            part.verb.operation().rpcName()
                + " was answered, and "
                + stack.size()
                + (stack.size() == 1 ? " mount is" : " mounts are")
                + " still there"
                + command(turn, part, stack)));
  }

  private static Turn gone(Turn turn, Part part) {
    return part.isUse() ? useGone(turn) : stagingGone(turn);
  }

  /**
   * Returns the command with which an operator can remove a mount that the plugin has left; empty
   * if the mount does not belong to this manager.
   */
  private static String command(Turn turn, Part part, List<Sighting> stack) {
    if (isForeign(turn, part, stack)) {
      return "";
    }
    Sighting top = stack.get(stack.size() - 1);
    return Inspection.isDead(stack)
        ? "; its server has ended, so unmount it by hand: " + unmountCommand(top.path())
        : "; unmount it by hand: " + plainUnmountCommand(top.path());
  }

  private static boolean isForeign(Turn turn, Part part, List<Sighting> stack) {
    return part.path(turn).filter(known -> Inspection.isForeign(known, stack)).isPresent();
  }

  /**
   * Handles a plugin that no longer knows the volume. The release succeeds if nothing is mounted at
   * the path.
   */
  private static Turn seenForgotten(Turn turn, Part part, Event.Looked looked, Situation now) {
    Failure refusal = turn.tries().refusal().orElseThrow();
    List<Sighting> stack = part.stack(looked);
    return stack.isEmpty()
        ? gone(
            turn.note(new Notice(OperatorCode.PLUGIN_FORGOT, refusal.seen(), part.usage(turn))),
            part)
        : stuck(turn, part, stack, refusal, now);
  }

  /**
   * Handles a mount whose volume the plugin no longer knows. An operator must remove the mount,
   * unless the policy allows this manager to remove it.
   */
  private static Turn stuck(
      Turn turn, Part part, List<Sighting> stack, Failure refusal, Situation now) {
    if (maySweep(turn, part, stack, now)) {
      return sweep(turn, part, stack, now);
    }
    int most = now.policy().forceAfterRefusals();
    if (most == 0) {
      return unfinished(
          turn,
          new Failure(
              OperatorCode.CLEANUP_NEEDS_HELP,
              "it is still mounted, and "
                  + refusal.seen()
                  + "; unmount it by hand: "
                  + unmountCommand(stack.get(0).path()),
              refusal.cause()));
    }
    if (turn.tries().unknown() < most) {
      return again(turn, part, Repeat.LATER, now);
    }
    if (isForeign(turn, part, stack)) {
      return unfinished(turn, Inspection.foreign(stack));
    }
    return force(turn, part);
  }

  private static Turn force(Turn turn, Part part) {
    return turn.await(
        part.isUse() ? FORCE_USE : FORCE_STAGING,
        new Step.Force(part.usage(turn), Optional.empty()));
  }

  /**
   * Handles the result of a forced unmount, which follows after the plugin has used all attempts
   * that the policy allows.
   */
  private static Turn forced(Turn turn, Part part, Event.Forced forced) {
    int times = turn.tries().unknown();
    Turn noted =
        turn.note(
            new Notice(
                OperatorCode.UNMOUNT_FORCED,
                "the plugin has answered "
                    + times
                    + (times == 1 ? " time" : " times")
                    + (turn.tries().refusal().isPresent()
                        ? " that it does not know the volume"
                        : " OK without unmounting it"),
                part.usage(turn)));
    return lookAfter(
        forced.lazily()
            ? noted.note(
                new Notice(
                    OperatorCode.LAZY_UNMOUNT_PENDING,
                    "a process was still using the mount",
                    part.usage(turn)))
            : noted,
        part);
  }

  /**
   * Returns whether the manager may unmount a dead mount that the plugin has left. The policy must
   * allow it, and the mount must belong to this manager. If there was an unmount before, it must
   * have had an effect.
   */
  private static boolean maySweep(Turn turn, Part part, List<Sighting> stack, Situation now) {
    int before = turn.tries().layers();
    return Inspection.isDead(stack)
        && now.policy().unmountDead() != DeadUnmount.NEVER
        && (before == 0 || stack.size() < before)
        && !isForeign(turn, part, stack);
  }

  private static Turn sweep(Turn turn, Part part, List<Sighting> stack, Situation now) {
    return turn.with(turn.tries().seeing(stack.size()))
        .await(
            part.isUse() ? SWEEP_USE : SWEEP_STAGING,
            new Step.Force(part.usage(turn), Optional.of(now.policy().unmountDead())));
  }

  private static Turn swept(Turn turn, Part part, Event.Forced forced) {
    return lookAfter(
        turn.note(
            new Notice(
                OperatorCode.UNMOUNT_FORCED,
                "its server has ended, and the plugin did not unmount it although it was asked to"
                    + (forced.lazily() ? "; processes with open files in it get errors" : ""),
                part.usage(turn))),
        part);
  }

  /** Notes that the plugin is no longer working on a call for this part. */
  private static Turn idle(Turn turn, Part part) {
    return withPath(turn, part, PathRecord::idle);
  }

  /** Notes that the plugin is about to work on a call for this part. */
  private static Turn working(Turn turn, Part part, Situation now) {
    return withPath(turn, part, path -> path.working(part.verb, now.instance()));
  }

  private static Turn withPath(Turn turn, Part part, UnaryOperator<PathRecord> change) {
    VolumeRecord record = turn.record();
    if (!part.isUse()) {
      return turn.with(record.withStaging(change.apply(record.staging())));
    }
    return turn.usage()
        .flatMap(record::target)
        .map(use -> turn.with(record.withTarget(use.with(change.apply(use.path())))))
        .orElse(turn);
  }

  // ---- commands for operators

  /**
   * Returns the command that detaches a mount even if it is in use, without accessing the mounted
   * filesystem.
   */
  static String unmountCommand(MountPath path) {
    return "umount -c -l " + quoted(path);
  }

  /**
   * Returns the command that unmounts a mount that is not in use, without accessing the mounted
   * filesystem.
   */
  private static String plainUnmountCommand(MountPath path) {
    return "umount -c " + quoted(path);
  }

  private static String quoted(MountPath path) {
    return "'" + path.toString().replace("'", "'\\''") + "'";
  }
}
