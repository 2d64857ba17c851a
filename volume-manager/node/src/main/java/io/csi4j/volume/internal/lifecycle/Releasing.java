package io.csi4j.volume.internal.lifecycle;

import io.csi4j.volume.internal.link.Answer;
import io.csi4j.volume.internal.path.PathProblem;
import io.csi4j.volume.internal.port.CrashPoint;
import io.csi4j.volume.internal.port.Sighting;
import io.csi4j.volume.internal.record.PathRecord;
import io.csi4j.volume.internal.record.Pending;
import io.csi4j.volume.internal.record.TargetRecord;
import io.csi4j.volume.internal.record.Verb;
import io.csi4j.volume.internal.record.VolumeRecord;
import io.csi4j.volume.model.DeadUnmount;
import io.csi4j.volume.model.MountPolicy;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.UsageKey;
import io.csi4j.volume.node.PathStatus;
import io.csi4j.volume.node.Release;
import io.csi4j.volume.state.Durability;
import io.csi4j.volume.state.StateException;
import io.csi4j.volume.state.StateReason;
import java.util.List;
import java.util.Optional;

/**
 * The way of a volume back: asked for, to undo a publication that failed, or to clear the way for
 * one.
 */
final class Releasing {

  private Releasing() {}

  /** Takes away again what a publication has done that cannot be finished. */
  static Turn undo(Turn turn, Failure failure, Situation now) {
    Turn failing = turn.failing(failure);
    if (turn.spared()) {
      return failing.end(new Result.Unfinished(failure));
    }
    UsageKey usage = turn.usage().orElseThrow();
    if (!now.rules().on(Rule.ROLLBACK)) {
      return saveReleased(failing.with(turn.record().without(usage)));
    }
    return takeAway(turn, failing, now);
  }

  /** The same although a workload may be using it: it may not any more. */
  static Turn giveUp(Turn turn, Failure failure, Situation now) {
    return takeAway(turn, turn.failing(failure), now);
  }

  private static Turn takeAway(Turn turn, Turn failing, Situation now) {
    UsageKey usage = turn.usage().orElseThrow();
    boolean isUntouched =
        !turn.sent().contains(Verb.PUBLISH) && turn.before().target(usage).isEmpty();
    return isUntouched
        ? failing.to(Phase.REMOVE_USE, new Step.RemoveUse(usage))
        : going(failing, usage, now);
  }

  /** Takes a refusal for a proof that nothing is there. */
  static Turn believe(Turn turn, Failure failure) {
    VolumeRecord next = turn.record();
    UsageKey usage = turn.usage().orElseThrow();
    return saveReleased(
        turn.failing(failure)
            .with(
                next.staging().is(PathStatus.PRESENT)
                    ? next.without(usage)
                    : next.without(usage).withStaging(PathRecord.NONE)));
  }

  /** Lets something go that is in the way of a publication. */
  static Turn clear(Turn turn, Turn.Clearing what, Goal.Publish goal, Situation now) {
    Turn clearing = turn.clearing(what);
    if (what == Turn.Clearing.STAGING) {
      return settle(clearing, now);
    }
    VolumeRecord record = turn.record();
    if (record.target(goal.usage()).isEmpty()) {
      clearing =
          clearing.with(
              record.withTarget(
                  new TargetRecord(
                      goal.usage(), goal.readOnly(), PathRecord.NONE.as(PathStatus.GOING))));
    }
    return going(clearing, goal.usage(), now);
  }

  /** Lets the staging go, if there is one, and the volume with it. */
  static Turn settle(Turn turn, Situation now) {
    VolumeRecord record = turn.record();
    boolean clears = turn.clearing() == Turn.Clearing.STAGING;
    if (record.staging().is(PathStatus.NONE) && !clears) {
      return turn.to(Phase.REMOVE_VOLUME, new Step.RemoveVolume());
    }
    Optional<Verb> pending = record.staging().pending().map(Pending::verb);
    if (pending.filter(verb -> verb == Verb.STAGE).isPresent() && now.stagingQuarantined()) {
      return unfinished(turn, FailedCalls.quarantined(Verb.STAGE));
    }
    if (pending.filter(verb -> verb == Verb.UNSTAGE).isPresent()
        && record.staging().is(PathStatus.IN_DOUBT)) {
      return unstage(turn.fresh());
    }
    return saveReleased(turn.with(unstaging(record, now)));
  }

  /** Takes the staging away while there are uses on record, if nothing is there for any of them. */
  private static Turn withdrawStaging(Turn turn, Situation now) {
    VolumeRecord record = turn.record();
    boolean isFree = isNowhere(record) || !now.rules().on(Rule.ALL_GONE_BEFORE_RESTAGE);
    if (record.staging().is(PathStatus.NONE) || !isFree) {
      return turn.end(new Result.Withdrawn());
    }
    return stagingQuarantined(record, now)
        ? unfinished(turn, FailedCalls.quarantined(Verb.STAGE))
        : saveReleased(turn.with(unstaging(record, now)));
  }

  /** Whether nothing is there for any use, for certain. */
  static boolean isNowhere(VolumeRecord record) {
    return record.targets().values().stream().allMatch(use -> use.path().is(PathStatus.NONE));
  }

  static Turn next(Turn turn, Event event, Situation now) {
    return switch (turn.phase()) {
      case LOOK_GOING -> looked(turn, (Event.Looked) event, now);
      case SAVE_GOING -> {
        // A record that is as large as it may be says already that the use is counted.
        Optional<StateException> problem =
            ((Event.Saved) event)
                .problem()
                .filter(known -> known.reason() != StateReason.STATE_VALUE_TOO_LARGE);
        if (problem.isEmpty()) {
          yield unpublish(turn.fresh(), turn.usage().orElseThrow(), now);
        }
        Turn at = turn.goal() instanceof Goal.Withdraw ? turn.with(turn.before()) : turn;
        yield unfinished(at, Publishing.stateFailure(problem.get()));
      }
      case UNPUBLISH ->
          event instanceof Event.Woke
              ? unpublish(working(turn, Verb.UNPUBLISH, now), turn.usage().orElseThrow(), now)
              : called(turn, Verb.UNPUBLISH, event, now);
      case LOOK_UNPUBLISHED -> gone(turn, Verb.UNPUBLISH, ((Event.Looked) event).target(), now);
      case LOOK_REFUSED_USE -> refused(turn, (Event.Looked) event, now);
      case LOOK_FORGOTTEN_USE ->
          forgotten(turn, Verb.UNPUBLISH, ((Event.Looked) event).target(), now);
      case FORCE_USE -> forced(turn, Verb.UNPUBLISH, (Event.Forced) event, now);
      case REMOVE_USE -> {
        UsageKey usage = turn.usage().orElseThrow();
        Event.Arranged arranged = (Event.Arranged) event;
        yield arranged.isMounted()
            ? cameLate(turn, usage, now)
            : released(noting(turn, arranged.problem(), Optional.of(usage)), usage, now);
      }
      case SAVE_RELEASED -> {
        Optional<StateException> problem = ((Event.Saved) event).problem();
        yield problem.isPresent()
            ? unfinished(turn, Publishing.stateFailure(problem.get()))
            : afterRelease(turn, now);
      }
      case LOOK_AT_USES -> usesSeen(turn, ((Event.UsesSeen) event).record(), now);
      case UNSTAGE ->
          event instanceof Event.Woke
              ? unstage(working(turn, Verb.UNSTAGE, now))
              : called(turn, Verb.UNSTAGE, event, now);
      case LOOK_UNSTAGED -> gone(turn, Verb.UNSTAGE, ((Event.Looked) event).staging(), now);
      case LOOK_FORGOTTEN_STAGING ->
          forgotten(turn, Verb.UNSTAGE, ((Event.Looked) event).staging(), now);
      case FORCE_STAGING -> forced(turn, Verb.UNSTAGE, (Event.Forced) event, now);
      case REMOVE_VOLUME -> {
        Turn at = noting(turn, ((Event.Arranged) event).problem(), Optional.empty());
        boolean wasNever = at.failure().isPresent() && at.sent().isEmpty() && at.before().isEmpty();
        yield at.to(Phase.FORGET, wasNever ? new Step.Forget() : new Step.Bury());
      }
      case FORGET -> {
        Optional<StateException> problem = ((Event.Saved) event).problem();
        yield problem.isPresent()
            ? unfinished(turn, Publishing.stateFailure(problem.get()))
            : finished(turn, Release.LAST);
      }
      default -> throw new IllegalStateException("No phase of releasing: " + turn.phase());
    };
  }

  /** Nothing more can be done now; the rest is owed. */
  static Turn unfinished(Turn turn, Failure failure) {
    Failure first = turn.failure().orElse(failure);
    Optional<Failure> undoing =
        turn.failure().isPresent() ? Optional.of(failure) : Optional.empty();
    return turn.end(
        isHeld(failure.code())
            ? new Result.Held(first, failure.code(), undoing)
            : new Result.Unfinished(first, undoing));
  }

  private static boolean isHeld(OperatorCode code) {
    return code == OperatorCode.CLEANUP_NEEDS_HELP
        || code == OperatorCode.FOREIGN_MOUNT
        || code == OperatorCode.STATE_TAKEN_OVER;
  }

  /** Keeps in mind that a use is to be given up, although nothing can be done about it now. */
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

  private static Turn looked(Turn turn, Event.Looked looked, Situation now) {
    VolumeRecord record = turn.record();
    Optional<TargetRecord> target = turn.usage().flatMap(record::target);
    if (turn.goal() instanceof Goal.Abandon abandon) {
      return abandoned(turn, abandon, target, looked);
    }
    boolean isForeign =
        Inspection.isForeign(record.staging(), looked.staging())
            || target.filter(t -> Inspection.isForeign(t.path(), looked.target())).isPresent();
    if (isForeign) {
      return unfinished(
          turn,
          Failure.of(
              OperatorCode.FOREIGN_MOUNT,
              "another mount is there than the one that was made: "
                  + (target.isPresent() ? looked.target() : looked.staging())));
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

  /** Owes nothing more for what a person has given up, unless it can be seen. */
  private static Turn abandoned(
      Turn turn, Goal.Abandon goal, Optional<TargetRecord> target, Event.Looked looked) {
    VolumeRecord record = turn.record();
    if (target.isEmpty() && (!record.targets().isEmpty() || record.isEmpty())) {
      return turn.end(new Result.Released(Release.UNKNOWN));
    }
    if (target.filter(use -> use.path().is(PathStatus.PRESENT)).isPresent()) {
      return turn.end(
          new Result.Refused(
              Failure.of(
                  OperatorCode.NOT_ALLOWED_HERE,
                  "nobody has asked for its release yet: only what does not end can be"
                      + " abandoned")));
    }
    List<Sighting> stack = target.isPresent() ? looked.target() : looked.staging();
    if (!stack.isEmpty() || (target.isPresent() && looked.device())) {
      return turn.end(
          new Result.Refused(
              Failure.of(
                  OperatorCode.STILL_MOUNTED,
                  stack.isEmpty()
                      ? "a device node is there for it"
                      : "what is to be abandoned is there; first type: "
                          + Commands.unmount(stack.get(0).path()))));
    }
    Turn noted =
        turn.note(
            new Notice(
                OperatorCode.ABANDONED, "the reason given is: " + goal.reason(), turn.usage()));
    return target.isPresent()
        ? noted.to(Phase.REMOVE_USE, new Step.RemoveUse(goal.usage()))
        : noted
            .with(record.withStaging(PathRecord.NONE))
            .to(Phase.REMOVE_VOLUME, new Step.RemoveVolume());
  }

  /** Remembers that a use is being given up, or that what is mounted for it is. */
  private static Turn going(Turn turn, UsageKey usage, Situation now) {
    TargetRecord target =
        turn.record()
            .target(usage)
            .orElse(new TargetRecord(usage, false, PathRecord.NONE.as(PathStatus.IN_DOUBT)));
    PathRecord path = target.path();
    boolean isQuarantined =
        path.pending().map(Pending::verb).filter(verb -> verb == Verb.PUBLISH).isPresent()
            && now.targetQuarantined(usage);
    boolean keeps = turn.keepsUse(now.rules());
    PathRecord marked = path.as(keeps ? PathStatus.IN_DOUBT : PathStatus.GOING);
    PathRecord next = isQuarantined ? marked : marked.working(Verb.UNPUBLISH, now.instance());
    VolumeRecord record = turn.record().withTarget(target.with(next));
    return turn.with(record)
        .to(
            Phase.SAVE_GOING,
            new Step.Save(
                record, keeps ? Durability.REQUIRED : Durability.BEST_EFFORT, CrashPoint.U1));
  }

  private static Turn unpublish(Turn turn, UsageKey usage, Situation now) {
    boolean isQuarantined =
        turn.record()
            .target(usage)
            .flatMap(target -> target.path().pending())
            .filter(pending -> pending.verb() == Verb.PUBLISH)
            .isPresent();
    if (isQuarantined) {
      return unfinished(turn, FailedCalls.quarantined(Verb.PUBLISH));
    }
    return callNow(turn, Verb.UNPUBLISH, now);
  }

  static Turn unstage(Turn turn) {
    return turn.to(Phase.LOOK_AT_USES, new Step.LookAtUses());
  }

  /** Unstages, unless something is published that nobody could expect any more. */
  private static Turn usesSeen(Turn turn, VolumeRecord seen, Situation now) {
    if (!seen.equals(turn.record())) {
      return unfinished(
          turn.with(seen),
          Failure.of(
              OperatorCode.STILL_MOUNTED,
              "it was published to a workload by a call that was given up long before"));
    }
    return callNow(turn, Verb.UNSTAGE, now);
  }

  private static Turn callNow(Turn turn, Verb verb, Situation now) {
    if (now.bar().isPresent()) {
      return unfinished(turn, now.bar().get());
    }
    return verb == Verb.UNPUBLISH
        ? turn.call(Phase.UNPUBLISH, verb, turn.usage())
        : turn.call(Phase.UNSTAGE, verb, Optional.empty());
  }

  /** The plugin has answered, or was not sent a path at which something else is. */
  private static Turn called(Turn turn, Verb verb, Event event, Situation now) {
    return event instanceof Event.Arranged refused
        ? unfinished(turn, Publishing.pathFailure(refused.problem().orElseThrow()))
        : answered(turn, verb, ((Event.Answered) event).answer(), now);
  }

  private static Turn answered(Turn turn, Verb verb, Answer answer, Situation now) {
    if (answer instanceof Answer.Failed failed) {
      return failed(turn, verb, failed, now);
    }
    return look(turn.with(over(turn, verb)), verb, now);
  }

  private static Turn look(Turn turn, Verb verb, Situation now) {
    boolean isUse = verb == Verb.UNPUBLISH;
    if (!now.rules().on(Rule.LOOK_AFTER_OK)) {
      return isUse ? targetGone(turn, now) : unstaged(turn);
    }
    return turn.to(
        isUse ? Phase.LOOK_UNPUBLISHED : Phase.LOOK_UNSTAGED,
        new Step.Look(isUse ? turn.usage() : Optional.empty()));
  }

  private static Turn failed(Turn turn, Verb verb, Answer.Failed failed, Situation now) {
    AnswerClass kind = AnswerClass.of(failed);
    Turn at = kind.isOver() && failed.sent() ? turn.with(over(turn, verb)) : turn;
    if (verb == Verb.UNPUBLISH && !now.rules().on(Rule.UNPUBLISH_FAILURE_COUNTS)) {
      return targetGone(at, now);
    }
    if (AnswerClass.saysUnknownVolume(failed)) {
      boolean isUse = verb == Verb.UNPUBLISH;
      return at.refused()
          .to(
              isUse ? Phase.LOOK_FORGOTTEN_USE : Phase.LOOK_FORGOTTEN_STAGING,
              new Step.Look(
                  isUse ? turn.usage() : Optional.empty(),
                  Optional.of(FailedCalls.failure(verb, failed, kind))));
    }
    if (verb == Verb.UNSTAGE && !now.rules().on(Rule.KEEP_UNTIL_UNSTAGED)) {
      return unstaged(at);
    }
    if (verb == Verb.UNPUBLISH && isRefusedForLong(at, failed, now)) {
      return at.to(
          Phase.LOOK_REFUSED_USE,
          new Step.Look(at.usage(), Optional.of(FailedCalls.failure(verb, failed, kind))));
    }
    return kind.repeats() && at.tries() < now.policy().attempts()
        ? at.pause(kind.pause(now.policy(), at.tries(), now.random()))
        : unfinished(at, FailedCalls.failure(verb, failed, kind));
  }

  /**
   * Whether a use may be taken for gone without the word of the plugin, if nothing is mounted for
   * it: its mount was seen once, and the plugin is there and has refused its release for long.
   */
  private static boolean isRefusedForLong(Turn turn, Answer.Failed failed, Situation now) {
    UsageKey usage = turn.usage().orElseThrow();
    return now.policy().releaseUnconfirmed()
        && AnswerClass.isRefusalOfRelease(failed)
        && now.refused().contains(usage)
        && !now.targetQuarantined(usage)
        && now.bar().isEmpty()
        && turn.record().target(usage).filter(use -> use.path().evidence().isPresent()).isPresent();
  }

  /** The plugin refuses to release a use: it is gone if nothing is there for it. */
  private static Turn refused(Turn turn, Event.Looked looked, Situation now) {
    Failure refusal = ((Step.Look) turn.step()).refusal().orElseThrow();
    if (!looked.target().isEmpty() || looked.device()) {
      return unfinished(turn, refusal);
    }
    return targetGone(
        turn.note(
            new Notice(
                OperatorCode.RELEASED_WITHOUT_CONFIRMATION,
                "nothing is mounted for it, and the plugin has refused at least "
                    + MountPolicy.REFUSALS
                    + " times over at least "
                    + MountPolicy.REFUSED_FOR.toMinutes()
                    + " minutes: "
                    + refusal.seen(),
                turn.usage())),
        now);
  }

  /** A plugin does not know the volume any more: good, if nothing is mounted there. */
  private static Turn forgotten(Turn turn, Verb verb, List<Sighting> stack, Situation now) {
    Failure refusal = ((Step.Look) turn.step()).refusal().orElseThrow();
    if (!stack.isEmpty()) {
      return stuck(turn, verb, stack, refusal, now);
    }
    boolean isUse = verb == Verb.UNPUBLISH;
    Turn noted =
        turn.note(
            new Notice(
                OperatorCode.PLUGIN_FORGOT,
                refusal.seen(),
                isUse ? turn.usage() : Optional.empty()));
    return isUse ? targetGone(noted, now) : unstaged(noted);
  }

  /**
   * A plugin does not know what is still mounted: for a person, or for us if the host allows it.
   */
  private static Turn stuck(
      Turn turn, Verb verb, List<Sighting> stack, Failure refusal, Situation now) {
    boolean isUse = verb == Verb.UNPUBLISH;
    if (maySweep(turn, verb, stack, now)) {
      return sweep(turn, verb, stack, now);
    }
    int most = now.policy().forceAfterRefusals();
    if (most == 0) {
      return unfinished(
          turn,
          new Failure(
              OperatorCode.CLEANUP_NEEDS_HELP,
              "it is still mounted, and "
                  + refusal.seen()
                  + "; what remains is: "
                  + Commands.unmount(stack.get(0).path()),
              refusal.cause()));
    }
    if (turn.refusals() < most && now.rules().on(Rule.PLUGIN_FIRST)) {
      return turn.to(isUse ? Phase.UNPUBLISH : Phase.UNSTAGE, turn.step())
          .pause(AnswerClass.LATER.pause(now.policy(), turn.tries(), now.random()));
    }
    if (isForeign(turn, verb, stack)) {
      return unfinished(
          turn,
          Failure.of(
              OperatorCode.FOREIGN_MOUNT,
              "another mount is there than the one that was made: " + stack));
    }
    return force(turn, verb, Optional.empty());
  }

  private static boolean isForeign(Turn turn, Verb verb, List<Sighting> stack) {
    Optional<PathRecord> path =
        verb == Verb.UNPUBLISH
            ? turn.usage().flatMap(turn.record()::target).map(TargetRecord::path)
            : Optional.of(turn.record().staging());
    return path.filter(known -> Inspection.isForeign(known, stack)).isPresent();
  }

  /**
   * Whether what the plugin has left is a dead mount of ours, which the policy lets us unmount; not
   * again while that changes nothing.
   */
  private static boolean maySweep(Turn turn, Verb verb, List<Sighting> stack, Situation now) {
    return Inspection.isDead(stack)
        && now.policy().unmountDead() != DeadUnmount.NEVER
        && (turn.layers() == 0 || stack.size() < turn.layers())
        && !isForeign(turn, verb, stack);
  }

  private static Turn sweep(Turn turn, Verb verb, List<Sighting> stack, Situation now) {
    return force(turn.seeing(stack.size()), verb, Optional.of(now.policy().unmountDead()));
  }

  private static Turn force(Turn turn, Verb verb, Optional<DeadUnmount> dead) {
    return verb == Verb.UNPUBLISH
        ? turn.to(Phase.FORCE_USE, new Step.Force(turn.usage(), dead))
        : turn.to(Phase.FORCE_STAGING, new Step.Force(Optional.empty(), dead));
  }

  /** It was unmounted without the plugin. */
  private static Turn forced(Turn turn, Verb verb, Event.Forced forced, Situation now) {
    Optional<UsageKey> usage = ((Step.Force) turn.step()).usage();
    if (((Step.Force) turn.step()).dead().isPresent()) {
      return look(
          turn.note(
              new Notice(
                  OperatorCode.UNMOUNT_FORCED,
                  "its server has ended, and the plugin was asked to take it away and left it"
                      + (forced.lazily() ? "; who had files open in it sees errors" : ""),
                  usage)),
          verb,
          now);
    }
    Turn noted =
        turn.note(
            new Notice(
                OperatorCode.UNMOUNT_FORCED,
                "the plugin has said "
                    + turn.refusals()
                    + (turn.refusals() == 1 ? " time" : " times")
                    + " that it does not know the volume",
                usage));
    Turn all =
        forced.lazily()
            ? noted.note(
                new Notice(
                    OperatorCode.LAZY_UNMOUNT_PENDING, "somebody was still using the mount", usage))
            : noted;
    return look(all, verb, now);
  }

  /** Believes that something is gone only when nothing is mounted there any more. */
  private static Turn gone(Turn turn, Verb verb, List<Sighting> stack, Situation now) {
    boolean isUse = verb == Verb.UNPUBLISH;
    if (stack.isEmpty()) {
      return isUse ? targetGone(turn, now) : unstaged(turn);
    }
    if (maySweep(turn, verb, stack, now)) {
      return sweep(turn, verb, stack, now);
    }
    Turn at = turn.to(isUse ? Phase.UNPUBLISH : Phase.UNSTAGE, turn.step());
    boolean isFewer = at.layers() > stack.size();
    if (isFewer || at.tries() < now.policy().attempts()) {
      Turn again = at.seeing(stack.size());
      return again.pause(
          AnswerClass.IN_DOUBT.pause(now.policy(), Math.max(1, at.tries()), now.random()));
    }
    return unfinished(
        at,
        Failure.of(
            OperatorCode.STILL_MOUNTED,
            verb.operation().rpcName()
                + " was answered, and "
                + stack.size()
                + (stack.size() == 1 ? " mount is" : " mounts are")
                + " still there"
                + command(turn, verb, stack)));
  }

  /** What a person may type to take away what the plugin has left, if it is ours. */
  private static String command(Turn turn, Verb verb, List<Sighting> stack) {
    if (isForeign(turn, verb, stack)) {
      return "";
    }
    Sighting top = stack.get(stack.size() - 1);
    return Inspection.isDead(stack)
        ? "; its server has ended, and what remains is: " + Commands.unmount(top.path())
        : "; what remains is: " + Commands.plainUnmount(top.path());
  }

  /** Nothing is at a target any more: what is left of it goes, or the use is kept for a new one. */
  private static Turn targetGone(Turn turn, Situation now) {
    if (turn.keepsUse(now.rules())) {
      TargetRecord use = turn.usage().flatMap(turn.record()::target).orElseThrow();
      return saveReleased(turn.with(turn.record().withTarget(use.with(PathRecord.NONE))));
    }
    return turn.to(Phase.REMOVE_USE, new Step.RemoveUse(turn.usage().orElseThrow()));
  }

  /** A call that nobody could expect any more has mounted something where nothing was. */
  private static Turn cameLate(Turn turn, UsageKey usage, Situation now) {
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

  /** A use is over. */
  private static Turn released(Turn turn, UsageKey usage, Situation now) {
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
    return turn.to(
        Phase.SAVE_RELEASED, new Step.Save(turn.record(), Durability.BEST_EFFORT, CrashPoint.U5));
  }

  private static Turn afterRelease(Turn turn, Situation now) {
    if (turn.clearing() == Turn.Clearing.TARGET) {
      return again(turn);
    }
    if (turn.clearing() == Turn.Clearing.STAGING) {
      return unstage(turn.fresh());
    }
    if (turn.goal() instanceof Goal.Withdraw withdraw) {
      return withdraw.usage().isEmpty() ? unstage(turn.fresh()) : turn.end(new Result.Withdrawn());
    }
    VolumeRecord record = turn.record();
    if (!record.targets().isEmpty()) {
      return finished(turn, Release.NOT_LAST);
    }
    if (record.staging().is(PathStatus.NONE)) {
      return turn.to(Phase.REMOVE_VOLUME, new Step.RemoveVolume());
    }
    if (!now.rules().on(Rule.ROLLBACK) && turn.failure().isPresent()) {
      return finished(turn, Release.LAST);
    }
    return stagingQuarantined(record, now)
        ? unfinished(turn, FailedCalls.quarantined(Verb.STAGE))
        : unstage(turn.fresh());
  }

  private static boolean stagingQuarantined(VolumeRecord record, Situation now) {
    return now.stagingQuarantined()
        && record.staging().pending().filter(pending -> pending.verb() == Verb.STAGE).isPresent();
  }

  /** The same volume, with a staging that is not to be trusted any more. */
  private static VolumeRecord unstaging(VolumeRecord record, Situation now) {
    if (stagingQuarantined(record, now)) {
      return record.withStaging(record.staging().as(PathStatus.IN_DOUBT));
    }
    return now.rules().on(Rule.UNSTAGE_IN_DOUBT_FIRST)
        ? record.withStaging(
            record.staging().as(PathStatus.IN_DOUBT).working(Verb.UNSTAGE, now.instance()))
        : record;
  }

  private static Turn unstaged(Turn turn) {
    Turn at = turn.with(turn.record().withStaging(PathRecord.NONE));
    if (turn.goal() instanceof Goal.Withdraw) {
      return at.end(new Result.Withdrawn());
    }
    return turn.clearing() == Turn.Clearing.STAGING
        ? again(at)
        : at.to(Phase.REMOVE_VOLUME, new Step.RemoveVolume());
  }

  /** The way is clear: begins again with what was wanted. */
  private static Turn again(Turn turn) {
    return turn.clearing(Turn.Clearing.NOTHING).to(Phase.LOOK_FIRST, new Step.Look(turn.usage()));
  }

  private static Turn finished(Turn turn, Release release) {
    return turn.failure().isPresent()
        ? turn.end(new Result.Refused(turn.failure().get()))
        : turn.end(new Result.Released(release));
  }

  /** The same volume, with nothing that the plugin may be working on at the path of a call. */
  private static VolumeRecord over(Turn turn, Verb verb) {
    VolumeRecord record = turn.record();
    if (verb == Verb.UNSTAGE) {
      return record.withStaging(record.staging().idle());
    }
    return turn.usage()
        .flatMap(record::target)
        .map(target -> record.withTarget(target.with(target.path().idle())))
        .orElse(record);
  }

  /** The same volume, with a call that the plugin may be working on once more. */
  private static Turn working(Turn turn, Verb verb, Situation now) {
    VolumeRecord record = turn.record();
    if (verb == Verb.UNSTAGE) {
      return turn.with(record.withStaging(record.staging().working(verb, now.instance())));
    }
    return turn.usage()
        .flatMap(record::target)
        .map(
            target ->
                turn.with(
                    record.withTarget(target.with(target.path().working(verb, now.instance())))))
        .orElse(turn);
  }

  private static Turn noting(Turn turn, Optional<PathProblem> problem, Optional<UsageKey> usage) {
    return problem
        .map(Publishing::pathFailure)
        .map(failure -> turn.note(new Notice(failure.code(), failure.seen(), usage)))
        .orElse(turn);
  }
}
