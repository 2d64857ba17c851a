package io.csi4j.volume.internal.lifecycle;

import io.csi4j.client.model.StatusCode;
import io.csi4j.volume.internal.link.Answer;
import io.csi4j.volume.internal.path.PathProblem;
import io.csi4j.volume.internal.port.CrashPoint;
import io.csi4j.volume.internal.port.Sighting;
import io.csi4j.volume.internal.record.Evidence;
import io.csi4j.volume.internal.record.PathRecord;
import io.csi4j.volume.internal.record.Pending;
import io.csi4j.volume.internal.record.TargetRecord;
import io.csi4j.volume.internal.record.Verb;
import io.csi4j.volume.internal.record.VolumeRecord;
import io.csi4j.volume.model.OnDeadMount;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.node.PathStatus;
import io.csi4j.volume.state.Durability;
import io.csi4j.volume.state.StateException;
import java.util.List;
import java.util.Optional;

/** The way of a volume to a workload. */
final class Publishing {

  /** How often something may have to go first; a plugin that puts it back gets no third chance. */
  private static final int CLEARINGS = 2;

  private static final Notice STAGING_GONE =
      new Notice(
          OperatorCode.STAGING_LOST,
          "the mount at the staging path is gone, and nobody here took it away",
          Optional.empty());

  private Publishing() {}

  static Turn begin(Turn turn, Goal.Publish goal, Situation now) {
    Optional<Failure> refusal = Admission.refusal(turn.record(), goal, now.rules());
    return refusal.isPresent()
        ? turn.end(new Result.Refused(refusal.get()))
        : (goal.keeps() ? turn.sparing() : turn)
            .to(Phase.LOOK_FIRST, new Step.Look(Optional.of(goal.usage())));
  }

  static Turn next(Turn turn, Goal.Publish goal, Event event, Situation now) {
    return switch (turn.phase()) {
      case LOOK_FIRST -> looked(turn, goal, (Event.Looked) event, now);
      case SAVE_INTENT -> {
        Optional<StateException> problem = ((Event.Saved) event).problem();
        yield problem.isPresent()
            ? Releasing.undo(turn, stateFailure(problem.get()), now)
            : prepare(turn, goal);
      }
      case PREPARE_VOLUME -> {
        Optional<PathProblem> problem = ((Event.Arranged) event).problem();
        if (problem.isPresent()) {
          yield Releasing.undo(turn, pathFailure(problem.get()), now);
        }
        yield goal.plan().staged()
            ? Confirming.call(turn.fresh(), goal, Verb.STAGE, now)
            : turn.to(Phase.PREPARE_USE, new Step.PrepareUse(goal.usage()));
      }
      case CONFIRM_THERE -> Confirming.there(turn, goal, (Event.Confirmed) event, now);
      case CONFIRM_STAGE ->
          Confirming.answered(turn, goal, Verb.STAGE, (Event.Confirmed) event, now);
      case CONFIRM_PUBLISH ->
          Confirming.answered(turn, goal, Verb.PUBLISH, (Event.Confirmed) event, now);
      case LOOK_AT_OTHERS ->
          Confirming.othersSeen(turn, goal, ((Event.UsesSeen) event).record(), now);
      case STAGE ->
          event instanceof Event.Woke
              ? Confirming.call(working(turn, goal, Verb.STAGE, now), goal, Verb.STAGE, now)
              : answered(turn, goal, Verb.STAGE, ((Event.Answered) event).answer(), now);
      case LOOK_STAGED -> staged(turn, goal, (Event.Looked) event, now);
      case SAVE_STAGED -> {
        Optional<StateException> problem = ((Event.Saved) event).problem();
        yield problem.isPresent()
            ? Releasing.undo(turn, stateFailure(problem.get()), now)
            : turn.to(Phase.PREPARE_USE, new Step.PrepareUse(goal.usage()));
      }
      case PREPARE_USE -> {
        Optional<PathProblem> problem = ((Event.Arranged) event).problem();
        yield problem.isPresent()
            ? Releasing.undo(turn, pathFailure(problem.get()), now)
            : Confirming.call(turn.fresh(), goal, Verb.PUBLISH, now);
      }
      case PUBLISH ->
          event instanceof Event.Woke
              ? turn.to(Phase.LOOK_AGAIN, new Step.Look(Optional.of(goal.usage())))
              : answered(turn, goal, Verb.PUBLISH, ((Event.Answered) event).answer(), now);
      case LOOK_AGAIN -> {
        Event.Looked looked = (Event.Looked) event;
        yield Inspection.isLost(turn.record().staging(), looked.staging())
            ? unstaged(
                turn, looked, Failure.of(OperatorCode.STAGING_LOST, STAGING_GONE.seen()), now)
            : Confirming.call(working(turn, goal, Verb.PUBLISH, now), goal, Verb.PUBLISH, now);
      }
      case LOOK_PUBLISHED -> published(turn, goal, (Event.Looked) event, now);
      case SAVE_RESTAGE -> {
        Optional<StateException> problem = ((Event.Saved) event).problem();
        yield problem.isPresent()
            ? Releasing.undo(turn, stateFailure(problem.get()), now)
            : Confirming.call(turn.fresh(), goal, Verb.STAGE, now);
      }
      case SAVE_PUBLISHED -> {
        Optional<StateException> problem = ((Event.Saved) event).problem();
        yield problem.isPresent()
            ? Releasing.undo(turn, stateFailure(problem.get()), now)
            : turn.end(new Result.Published());
      }
      default -> throw new IllegalStateException("No phase of publishing: " + turn.phase());
    };
  }

  /** Decides where to begin, by what is remembered and what is mounted. */
  private static Turn looked(Turn turn, Goal.Publish goal, Event.Looked looked, Situation now) {
    Turn at = turn;
    VolumeRecord record = at.record();
    PathRecord staging = record.staging();
    if (Inspection.isForeign(staging, looked.staging())) {
      return foreign(at, looked.staging().get(looked.staging().size() - 1));
    }
    if (staging.is(PathStatus.PRESENT) && Inspection.isLost(staging, looked.staging())) {
      at = at.note(STAGING_GONE);
      record = record.withStaging(staging.as(PathStatus.IN_DOUBT));
    }
    Optional<TargetRecord> target = record.target(goal.usage());
    if (target.isPresent()) {
      PathRecord path = target.get().path();
      boolean isLeaving = path.is(PathStatus.GOING) && !isBeingPublished(target.get(), goal, now);
      if (path.is(PathStatus.PRESENT) && Inspection.isOtherwiseWritable(path, looked.target())) {
        return turned(at, path.evidence().orElseThrow().readOnly());
      }
      if (!isLeaving && Inspection.isForeign(path, looked.target())) {
        return foreign(at, looked.target().get(looked.target().size() - 1));
      }
      if (path.is(PathStatus.PRESENT)) {
        if (!Inspection.isLost(path, looked.target())) {
          Turn there = at.with(record);
          if (Inspection.isDead(looked.target())) {
            return dead(there, looked, goal, now);
          }
          Turn told =
              Inspection.isBroken(looked.target())
                  ? there.note(
                      new Notice(
                          OperatorCode.MOUNT_BROKEN,
                          "the mount is there, and what it shows was deleted",
                          Optional.of(goal.usage())))
                  : there;
          return Confirming.isNeeded(goal, now)
              ? Confirming.ask(told, goal, Phase.CONFIRM_THERE)
              : told.end(new Result.Published());
        }
        at =
            at.note(
                new Notice(
                    OperatorCode.MOUNT_LOST,
                    "the mount is gone, and nobody here took it away",
                    Optional.of(goal.usage())));
      }
      if (isLeaving
          || (!path.is(PathStatus.GOING) && isHalfGone(path, looked.target(), goal, now))) {
        return clear(at.with(record), Turn.Clearing.TARGET, goal, now);
      }
      if (path.is(PathStatus.IN_DOUBT) && !looked.target().isEmpty()) {
        // A workload that outlived a restart may be using it.
        at = at.sparing();
      }
    } else if (!looked.target().isEmpty()) {
      return clear(at.with(record), Turn.Clearing.TARGET, goal, now);
    }
    if (mustUnstage(record, goal, looked, now)) {
      return clear(at.with(record), Turn.Clearing.STAGING, goal, now);
    }
    return intend(at, record, goal, now);
  }

  /**
   * A dead mount is no mount: where the policy lets it be made again that is done now, and the use
   * stays whatever comes; otherwise it is left.
   */
  private static Turn dead(Turn turn, Event.Looked looked, Goal.Publish goal, Situation now) {
    boolean isMadeAgain =
        now.policy().onDeadMount() == OnDeadMount.REPUBLISH
            || now.policy().onDeadMount() == OnDeadMount.REMOUNT;
    if (!isMadeAgain) {
      return turn.end(
          new Result.Held(
              Failure.of(
                  OperatorCode.MOUNT_DEAD,
                  "it is mounted, its server has ended, and the policy "
                      + now.policy().onDeadMount()
                      + " leaves it until it is released: unmount it, then mount it again")));
    }
    boolean isShared =
        Inspection.isDead(looked.staging())
            && turn.record().targets().values().stream()
                .anyMatch(
                    use -> !use.usage().equals(goal.usage()) && !use.path().is(PathStatus.NONE));
    return isShared
        ? turn.end(
            new Result.Unfinished(
                Failure.of(
                    OperatorCode.MOUNT_DEAD,
                    "its server has ended, and that of its staging, which other workloads use too:"
                        + " all of them are mounted again together")))
        : clear(turn.sparing(), Turn.Clearing.TARGET, goal, now);
  }

  /**
   * Whether what is at a target whose use stays has to go first: its repair has begun and was not
   * finished, or it is dead, is to be made anew, and nobody may be working on it.
   */
  private static boolean isHalfGone(
      PathRecord path, List<Sighting> stack, Goal.Publish goal, Situation now) {
    if (!now.rules().on(Rule.WITHDRAW_BEFORE_PUBLISH)) {
      return false;
    }
    boolean isPublished =
        now.targetQuarantined(goal.usage())
            && path.pending().filter(call -> call.verb() == Verb.PUBLISH).isPresent();
    boolean isBeingWithdrawn =
        path.pending().filter(call -> call.verb() == Verb.UNPUBLISH).isPresent();
    boolean isUnexpected = path.is(PathStatus.NONE) && !stack.isEmpty();
    boolean isMadeAnew =
        now.policy().onDeadMount() == OnDeadMount.REPUBLISH
            || now.policy().onDeadMount() == OnDeadMount.REMOUNT;
    return isBeingWithdrawn
        || isUnexpected
        || (isMadeAnew && Inspection.isDead(stack) && !isPublished);
  }

  /**
   * Whether the plugin may still be publishing what is not wanted any more, and is wanted again in
   * the same way: only that call can be made.
   */
  private static boolean isBeingPublished(TargetRecord target, Goal.Publish goal, Situation now) {
    return target.readOnly() == goal.readOnly()
        && now.targetQuarantined(goal.usage())
        && target.path().pending().filter(call -> call.verb() == Verb.PUBLISH).isPresent();
  }

  /** Whether the staging has to go before it can come. */
  private static boolean mustUnstage(
      VolumeRecord record, Goal.Publish goal, Event.Looked looked, Situation now) {
    PathRecord staging = record.staging();
    boolean isBeingUnstaged =
        staging.pending().map(Pending::verb).filter(verb -> verb == Verb.UNSTAGE).isPresent()
            && now.stagingQuarantined();
    boolean isDead =
        Inspection.isDead(looked.staging())
            && !(now.stagingQuarantined()
                && staging.pending().filter(call -> call.verb() == Verb.STAGE).isPresent());
    if (!record.targets().isEmpty()) {
      return (isBeingUnstaged || isDead) && Releasing.isNowhere(record);
    }
    boolean isOtherwise =
        !staging.is(PathStatus.NONE)
            && (!record.plan().differences(goal.plan()).isEmpty()
                || record.plan().isAttachedOtherwise(goal.plan())
                || record.plan().staged() != goal.plan().staged());
    boolean isUnexpected =
        staging.is(PathStatus.NONE) && goal.plan().staged() && !looked.staging().isEmpty();
    return isBeingUnstaged || isDead || isOtherwise || isUnexpected;
  }

  /** Lets go what is in the way, by the plugin, before the goal is begun with again. */
  private static Turn clear(Turn turn, Turn.Clearing what, Goal.Publish goal, Situation now) {
    if (turn.cleared() >= CLEARINGS) {
      return turn.end(
          new Result.Held(
              Failure.of(
                  OperatorCode.FOREIGN_MOUNT,
                  "something is mounted at the path that the plugin does not take away")));
    }
    return Releasing.clear(turn, what, goal, now);
  }

  private static Turn foreign(Turn turn, Sighting top) {
    Evidence seen = top.evidence();
    return turn.end(
        new Result.Held(
            Failure.of(
                OperatorCode.FOREIGN_MOUNT,
                "another mount is there than the one that was made: "
                    + seen.type()
                    + " from "
                    + seen.source()
                    + (seen.root().equals("/") ? "" : ", its directory " + seen.root())
                    + (seen.readOnly() ? ", read-only" : ""))));
  }

  private static Turn turned(Turn turn, boolean wasReadOnly) {
    return turn.end(
        new Result.Held(
            Failure.of(
                OperatorCode.FOREIGN_MOUNT,
                wasReadOnly
                    ? "the mount was read-only when it was made, and is writable now"
                    : "the mount was writable when it was made, and is read-only now")));
  }

  /** Remembers what is about to be taken. */
  private static Turn intend(Turn turn, VolumeRecord record, Goal.Publish goal, Situation now) {
    boolean stages = goal.plan().staged() && !record.staging().is(PathStatus.PRESENT);
    boolean wasNew = record.targets().isEmpty() && record.staging().is(PathStatus.NONE);
    VolumeRecord next = (wasNew ? record.with(goal.plan()) : record).at(now.place());
    if (!record.isPresent()) {
      next = next.with(next.plan().attached(goal.plan().attached()));
    }
    next = next.withContext(goal.usage(), goal.context());
    if (stages) {
      next = next.withStaging(staging(now));
    }
    PathRecord path = new PathRecord(PathStatus.IN_DOUBT, Optional.empty(), Optional.empty());
    boolean wasInDoubt = record.target(goal.usage()).isPresent();
    if (now.rules().on(Rule.USAGE_BEFORE_CALL)) {
      next =
          next.withTarget(
              new TargetRecord(
                  goal.usage(),
                  goal.readOnly(),
                  stages && !wasInDoubt ? path : path.working(Verb.PUBLISH, now.instance()),
                  Confirming.mark(record, goal).wanted(goal.epoch())));
    }
    Turn intending = turn.with(next);
    return now.rules().on(Rule.INTENT_BEFORE_CALL)
        ? intending.to(Phase.SAVE_INTENT, new Step.Save(next, Durability.REQUIRED, CrashPoint.P6))
        : prepare(intending, goal);
  }

  /** Makes the directories that are not there yet. */
  private static Turn prepare(Turn turn, Goal.Publish goal) {
    return turn.record().staging().is(PathStatus.PRESENT)
        ? turn.to(Phase.PREPARE_USE, new Step.PrepareUse(goal.usage()))
        : turn.to(Phase.PREPARE_VOLUME, new Step.PrepareVolume());
  }

  private static Turn answered(
      Turn turn, Goal.Publish goal, Verb verb, Answer answer, Situation now) {
    if (answer instanceof Answer.Failed failed) {
      return failed(failed.sent() ? turn.reached(verb) : turn, goal, verb, failed, now);
    }
    Turn over = turn.reached(verb).with(over(turn.record(), goal, verb));
    if (!now.rules().on(Rule.LOOK_AFTER_OK)) {
      return verb == Verb.STAGE
          ? saveStaged(over, goal, Optional.empty(), now)
          : savePublished(over, goal, Optional.empty());
    }
    return over.to(
        verb == Verb.STAGE ? Phase.LOOK_STAGED : Phase.LOOK_PUBLISHED,
        new Step.Look(Optional.of(goal.usage())));
  }

  private static Turn failed(
      Turn turn, Goal.Publish goal, Verb verb, Answer.Failed failed, Situation now) {
    AnswerClass kind = AnswerClass.of(failed);
    Turn at = turn;
    if (kind.isOver() && failed.sent()) {
      at = at.with(over(at.record(), goal, verb));
    }
    if (verb == Verb.PUBLISH
        && failed.sent()
        && failed.code() == StatusCode.FAILED_PRECONDITION
        && goal.plan().staged()
        && !at.restaged()) {
      return restage(at, now);
    }
    Failure failure =
        at.sent().contains(verb)
            ? FailedCalls.again(verb, failed, kind)
            : FailedCalls.failure(verb, failed, kind);
    return repeat(at, kind, failure, now);
  }

  /** Stages once more before the next publish, as the staging is gone. */
  private static Turn restage(Turn turn, Situation now) {
    VolumeRecord restaged = turn.record().withStaging(staging(now));
    return turn.with(restaged)
        .restaging()
        .to(Phase.SAVE_RESTAGE, new Step.Save(restaged, Durability.REQUIRED, CrashPoint.P6));
  }

  /** A staging that is about to be made. */
  private static PathRecord staging(Situation now) {
    return new PathRecord(PathStatus.IN_DOUBT, Optional.empty(), Optional.empty())
        .working(Verb.STAGE, now.instance());
  }

  /** Makes the same call again after a pause, or gives up. */
  private static Turn repeat(Turn turn, AnswerClass kind, Failure failure, Situation now) {
    return kind.repeats() && turn.tries() < now.policy().attempts()
        ? turn.pause(kind.pause(now.policy(), turn.tries(), now.random()))
        : kind == AnswerClass.REFUSED && !now.rules().on(Rule.DISTRUST_REFUSALS)
            ? Releasing.believe(turn, failure)
            : Releasing.undo(turn, failure, now);
  }

  private static Turn staged(Turn turn, Goal.Publish goal, Event.Looked looked, Situation now) {
    Optional<Failure> wrong = Inspection.staged(looked, now.policy());
    if (wrong.isPresent()) {
      return repeat(turn.to(Phase.STAGE, turn.step()), AnswerClass.IN_DOUBT, wrong.get(), now);
    }
    Turn at =
        Inspection.stacked(looked.staging())
            .map(text -> turn.note(new Notice(OperatorCode.STACKED_MOUNTS, text, Optional.empty())))
            .orElse(turn);
    VolumeRecord next =
        at.record().withStaging(PathRecord.present(Inspection.top(looked.staging())));
    return saveStaged(at.with(next), goal, Inspection.top(looked.staging()), now);
  }

  private static Turn saveStaged(
      Turn turn, Goal.Publish goal, Optional<Evidence> evidence, Situation now) {
    VolumeRecord next = turn.record().withStaging(PathRecord.present(evidence));
    Optional<TargetRecord> target = next.target(goal.usage());
    if (target.isPresent()) {
      next =
          next.withTarget(
              target.get().with(target.get().path().working(Verb.PUBLISH, now.instance())));
    }
    return turn.with(next)
        .to(Phase.SAVE_STAGED, new Step.Save(next, Durability.REQUIRED, CrashPoint.P11));
  }

  private static Turn published(Turn turn, Goal.Publish goal, Event.Looked looked, Situation now) {
    Optional<Failure> wrong = Inspection.published(goal, looked, turn.record(), now.policy());
    if (wrong.isPresent()) {
      if (Inspection.isLost(turn.record().staging(), looked.staging())) {
        return unstaged(turn, looked, wrong.get(), now);
      }
      boolean mayCome =
          wrong.get().code() == OperatorCode.MOUNT_NOT_VISIBLE
              || wrong.get().code() == OperatorCode.MOUNT_DEAD;
      return repeat(
          turn.to(Phase.PUBLISH, turn.step()),
          mayCome ? AnswerClass.IN_DOUBT : AnswerClass.REFUSED,
          wrong.get(),
          now);
    }
    Turn at =
        Inspection.stacked(looked.target())
            .map(
                text ->
                    turn.note(
                        new Notice(OperatorCode.STACKED_MOUNTS, text, Optional.of(goal.usage()))))
            .orElse(turn);
    Turn told = looked.remark().map(at::note).orElse(at);
    return savePublished(told, goal, Inspection.top(looked.target()));
  }

  /** Nothing is published from a staging that went while it was being published. */
  private static Turn unstaged(Turn turn, Event.Looked looked, Failure wrong, Situation now) {
    Turn told = turn.note(STAGING_GONE);
    return looked.target().isEmpty() && !turn.restaged()
        ? restage(told, now)
        : Releasing.undo(told, wrong, now);
  }

  private static Turn savePublished(Turn turn, Goal.Publish goal, Optional<Evidence> evidence) {
    VolumeRecord next =
        turn.record()
            .withTarget(
                new TargetRecord(
                    goal.usage(),
                    goal.readOnly(),
                    PathRecord.present(evidence),
                    Confirming.mark(turn.record(), goal)));
    return turn.with(next)
        .to(Phase.SAVE_PUBLISHED, new Step.Save(next, Durability.REQUIRED, CrashPoint.P16));
  }

  /** The same volume, with nothing that the plugin may be working on at the path of a call. */
  private static VolumeRecord over(VolumeRecord record, Goal.Publish goal, Verb verb) {
    if (verb == Verb.STAGE) {
      return record.withStaging(record.staging().idle());
    }
    return record
        .target(goal.usage())
        .map(target -> record.withTarget(target.with(target.path().idle())))
        .orElse(record);
  }

  /** The same volume, with a call that the plugin may be working on once more. */
  private static Turn working(Turn turn, Goal.Publish goal, Verb verb, Situation now) {
    VolumeRecord record = turn.record();
    if (verb == Verb.STAGE) {
      return turn.with(record.withStaging(record.staging().working(verb, now.instance())));
    }
    return record
        .target(goal.usage())
        .map(
            target ->
                turn.with(
                    record.withTarget(target.with(target.path().working(verb, now.instance())))))
        .orElse(turn);
  }

  static Failure stateFailure(StateException problem) {
    return Failure.of(
        OperatorCode.valueOf(problem.reason().name()),
        "what is about to be done cannot be remembered (" + problem.reason() + ")",
        problem);
  }

  static Failure pathFailure(PathProblem problem) {
    OperatorCode code =
        switch (problem.kind()) {
          case NO_SPACE -> OperatorCode.NO_SPACE;
          case IN_THE_WAY -> OperatorCode.PATH_IN_THE_WAY;
          case NOT_EMPTY -> OperatorCode.PATH_NOT_EMPTY;
          case SYMLINK -> OperatorCode.SYMLINK_IN_PATH;
          case WRONG_IDENTITY -> OperatorCode.WRONG_IDENTITY;
          case TOO_MANY_FILES -> OperatorCode.TOO_MANY_FILES;
          case READ_ONLY -> OperatorCode.PATH_READ_ONLY;
          case DENIED -> OperatorCode.PATH_DENIED;
          case TOO_LONG -> OperatorCode.ROOT_TOO_LONG;
          case FAILED -> OperatorCode.PATH_FAILED;
        };
    return Failure.of(code, String.valueOf(problem.getMessage()), problem);
  }
}
