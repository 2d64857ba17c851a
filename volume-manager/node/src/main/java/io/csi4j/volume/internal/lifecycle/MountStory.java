package io.csi4j.volume.internal.lifecycle;

import io.csi4j.volume.internal.lifecycle.CallMeaning.Repeat;
import io.csi4j.volume.internal.lifecycle.Step.Save.Need;
import io.csi4j.volume.internal.lifecycle.Turn.Moment;
import io.csi4j.volume.internal.lifecycle.Turn.Notice;
import io.csi4j.volume.internal.lifecycle.Turn.Situation;
import io.csi4j.volume.internal.link.Answer;
import io.csi4j.volume.internal.path.PathProblem;
import io.csi4j.volume.internal.path.StateCodes;
import io.csi4j.volume.internal.port.CrashPoint;
import io.csi4j.volume.internal.record.ClaimMark;
import io.csi4j.volume.internal.record.Digests;
import io.csi4j.volume.internal.record.Evidence;
import io.csi4j.volume.internal.record.PathRecord;
import io.csi4j.volume.internal.record.TargetRecord;
import io.csi4j.volume.internal.record.Verb;
import io.csi4j.volume.internal.record.VolumeRecord;
import io.csi4j.volume.model.ClaimStanding;
import io.csi4j.volume.model.MountPolicy.OnDeadMount;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.VolumeException.Outcome;
import io.csi4j.volume.model.VolumeVerdict;
import io.csi4j.volume.node.PathStatus;
import io.csi4j.volume.state.StateException;
import java.util.Optional;
import java.util.function.UnaryOperator;

/**
 * The lifecycle of a mount. Its steps are, in order: read the mounts, save the intent, create the
 * directories, stage, check the mounts, save, publish, check the mounts, save. {@link ReleaseStory}
 * undoes a mount that cannot be completed.
 */
final class MountStory {

  // ---- the states, in order

  static final Moment<Event.Looked> LOOK_FIRST =
      Moment.forth("LOOK_FIRST", "reading the mount table", MountStory::seenFirst);

  static final Moment<Event.Confirmed> CONFIRM_THERE =
      Moment.forth(
          "CONFIRM_THERE", "asking whether its claim is current", MountStory::thereConfirmed);

  static final Moment<Event.Saved> SAVE_INTENT =
      Moment.forth("SAVE_INTENT", "saving its progress", MountStory::intentSaved)
          .reaching(CrashPoint.INTENT_SAVED);

  static final Moment<Event.Arranged> PREPARE_VOLUME =
      Moment.forth("PREPARE_VOLUME", "making directories", MountStory::volumePrepared)
          .reaching(CrashPoint.VOLUME_PREPARED);

  static final Moment<Event.Confirmed> CONFIRM_STAGE =
      Moment.forth(
          "CONFIRM_STAGE",
          "asking whether its claim is current",
          (turn, answer, now) -> confirmed(turn, Verb.STAGE, answer, now));

  static final Moment<Event.Called> STAGE =
      Moment.forth(
          "STAGE",
          "waiting for the plugin to stage it",
          (turn, end, now) -> called(turn, Verb.STAGE, end, now));

  static final Moment<Event.LookedUp> LOOK_UP_STAGE =
      Moment.forth(
          "LOOK_UP_STAGE",
          "asking whether the volume exists",
          (turn, answer, now) -> lookedUp(turn, Verb.STAGE, answer, now));

  static final Moment<Event.Woke> STAGE_AGAIN =
      Moment.forth("STAGE_AGAIN", "waiting for the plugin to stage it", MountStory::stageAgain);

  static final Moment<Event.Looked> LOOK_STAGED =
      Moment.forth("LOOK_STAGED", "checking whether it is staged", MountStory::seenStaged)
          .reaching(CrashPoint.STAGING_SEEN);

  static final Moment<Event.Saved> SAVE_STAGED =
      Moment.forth("SAVE_STAGED", "saving its progress", MountStory::stagedSaved)
          .reaching(CrashPoint.STAGED_SAVED);

  static final Moment<Event.Arranged> PREPARE_USE =
      Moment.forth("PREPARE_USE", "making directories", MountStory::usePrepared)
          .reaching(CrashPoint.USE_PREPARED);

  static final Moment<Event.Confirmed> CONFIRM_PUBLISH =
      Moment.forth(
          "CONFIRM_PUBLISH",
          "asking whether its claim is current",
          (turn, answer, now) -> confirmed(turn, Verb.PUBLISH, answer, now));

  static final Moment<Event.UsesSeen> LOOK_AT_OTHERS =
      Moment.forth("LOOK_AT_OTHERS", "checking for other mounts of it", MountStory::othersSeen);

  static final Moment<Event.Called> PUBLISH =
      Moment.forth(
          "PUBLISH",
          "waiting for the plugin to publish it",
          (turn, end, now) -> called(turn, Verb.PUBLISH, end, now));

  static final Moment<Event.LookedUp> LOOK_UP_PUBLISH =
      Moment.forth(
          "LOOK_UP_PUBLISH",
          "asking whether the volume exists",
          (turn, answer, now) -> lookedUp(turn, Verb.PUBLISH, answer, now));

  static final Moment<Event.Woke> PUBLISH_AGAIN =
      Moment.forth(
          "PUBLISH_AGAIN",
          "waiting for the plugin to publish it",
          (turn, woke, now) -> look(turn, MountStory.LOOK_AGAIN));

  static final Moment<Event.Looked> LOOK_AGAIN =
      Moment.forth("LOOK_AGAIN", "checking whether it is still staged", MountStory::seenAgain);

  static final Moment<Event.Saved> SAVE_RESTAGE =
      Moment.forth("SAVE_RESTAGE", "saving its progress", MountStory::restageSaved)
          .reaching(CrashPoint.INTENT_SAVED);

  static final Moment<Event.Looked> LOOK_PUBLISHED =
      Moment.forth("LOOK_PUBLISHED", "checking whether it is published", MountStory::seenPublished)
          .reaching(CrashPoint.TARGET_SEEN);

  static final Moment<Event.Saved> SAVE_PUBLISHED =
      Moment.forth("SAVE_PUBLISHED", "saving its progress", MountStory::publishedSaved)
          .reaching(CrashPoint.PUBLISHED_SAVED);

  /**
   * Maximum number of times that one operation removes an obstacle. If the obstacle appears a third
   * time, the operation fails.
   */
  private static final int CLEARINGS = 2;

  private static final Notice STAGING_GONE =
      new Notice(
          OperatorCode.STAGING_LOST,
          "the mount at the staging path is gone, and this manager did not remove it",
          Optional.empty());

  private MountStory() {}

  // ---- the first check of the mounts

  /** Starts a mount, unless the volume must not be published for another workload. */
  static Turn begin(Turn turn) {
    Goal.Publish goal = turn.mount();
    return overtaken(turn)
        .or(() -> Admission.refusal(turn.record(), goal))
        .map(refusal -> turn.end(Outcome.REFUSED, refusal))
        .orElseGet(() -> look(goal.keeps() ? turn.sparing() : turn, LOOK_FIRST));
  }

  private static Turn look(Turn turn, Moment<Event.Looked> moment) {
    return turn.await(moment, new Step.Look(turn.usage(), moment.equals(LOOK_PUBLISHED)));
  }

  /** Decides with which step to start, from the record and the mounts. */
  private static Turn seenFirst(Turn turn, Event.Looked looked, Situation now) {
    Goal.Publish goal = turn.mount();
    Turn at = turn;
    VolumeRecord record = at.record();
    PathRecord staging = record.staging();
    if (Inspection.isForeign(staging, looked.staging())) {
      return at.end(Outcome.HELD, Inspection.foreign(looked.staging()));
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
        return at.end(Outcome.HELD, Inspection.foreign(looked.target()));
      }
      if (path.is(PathStatus.PRESENT)) {
        if (!Inspection.isLost(path, looked.target())) {
          return there(at.with(record), looked, now);
        }
        at =
            at.note(
                new Notice(
                    OperatorCode.MOUNT_LOST,
                    "the mount is gone, and this manager did not remove it",
                    Optional.of(goal.usage())));
      }
      if (isLeaving || (!path.is(PathStatus.GOING) && isHalfGone(path, looked, goal, now))) {
        return clear(at.with(record), Turn.Clearing.TARGET, now);
      }
      if (path.is(PathStatus.IN_DOUBT) && !looked.target().isEmpty()) {
        // A workload that kept running while the manager restarted may be using the mount.
        at = at.sparing();
      }
      if (isBeingPublishedOtherwise(target.get(), record, goal, now)) {
        return ReleaseStory.undo(at.with(record), otherwise(), now);
      }
    } else if (!looked.target().isEmpty()) {
      return clear(at.with(record), Turn.Clearing.TARGET, now);
    }
    if (mustUnstage(record, goal, looked, now)) {
      return clear(at.with(record), Turn.Clearing.STAGING, now);
    }
    return intend(at, record, now);
  }

  private static Turn turned(Turn turn, boolean wasReadOnly) {
    return turn.end(
        Outcome.HELD,
        Failure.of(
            OperatorCode.FOREIGN_MOUNT,
            wasReadOnly
                ? "the mount was read-only when it was made, but is writable now"
                : "the mount was writable when it was made, but is read-only now"));
  }

  /**
   * Returns whether the plugin may still be working on a publication of a use that was released and
   * is wanted again.
   */
  private static boolean isBeingPublished(TargetRecord target, Goal.Publish goal, Situation now) {
    return target.readOnly() == goal.readOnly()
        && now.targetQuarantined(goal.usage())
        && target.path().awaits(Verb.PUBLISH);
  }

  /**
   * Returns whether the plugin may still be working on a publication of the use with other contexts
   * than the wanted ones. Until that call has ended, the plugin receives only the contexts of that
   * call again.
   */
  private static boolean isBeingPublishedOtherwise(
      TargetRecord target, VolumeRecord record, Goal.Publish goal, Situation now) {
    return target.path().awaits(Verb.PUBLISH)
        && now.targetQuarantined(goal.usage())
        && !isWantedAsGiven(target, record, goal);
  }

  private static Failure otherwise() {
    return Failure.of(
        OperatorCode.PUBLISH_IN_DOUBT,
        "the plugin may still be working on an earlier NodePublishVolume with other contexts; "
            + "until that call ends, only the same call is sent again");
  }

  /**
   * Returns whether the mount at a target must be removed before the target can be mounted again.
   * This is so if an earlier repair began to remove the mount, if the mount is not on record, or if
   * the mount is dead, must be repaired, and is not being published.
   */
  private static boolean isHalfGone(
      PathRecord path, Event.Looked looked, Goal.Publish goal, Situation now) {
    boolean isPublished = now.targetQuarantined(goal.usage()) && path.awaits(Verb.PUBLISH);
    boolean isBeingWithdrawn = path.awaits(Verb.UNPUBLISH);
    boolean isUnexpected = path.is(PathStatus.NONE) && !looked.target().isEmpty();
    return isBeingWithdrawn
        || isUnexpected
        || (isMadeAgain(now) && Inspection.isDead(looked.target()) && !isPublished);
  }

  /** Returns whether the policy requires that dead mounts be repaired. */
  private static boolean isMadeAgain(Situation now) {
    return now.policy().onDeadMount() == OnDeadMount.REPUBLISH
        || now.policy().onDeadMount() == OnDeadMount.REMOUNT;
  }

  /** Returns whether the volume must be unstaged before it can be staged and published. */
  private static boolean mustUnstage(
      VolumeRecord record, Goal.Publish goal, Event.Looked looked, Situation now) {
    PathRecord staging = record.staging();
    boolean isBeingUnstaged = staging.awaits(Verb.UNSTAGE) && now.stagingQuarantined();
    boolean isDead =
        Inspection.isDead(looked.staging()) && !ReleaseStory.isBeingStaged(record, now);
    if (!record.targets().isEmpty()) {
      return (isBeingUnstaged || isDead) && ReleaseStory.isNowhere(record);
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

  /** Lets the plugin remove an obstacle before the mount is tried again. */
  private static Turn clear(Turn turn, Turn.Clearing what, Situation now) {
    if (turn.detour().cleared() >= CLEARINGS) {
      return turn.end(
          Outcome.HELD,
          Failure.of(
              OperatorCode.FOREIGN_MOUNT,
              "the plugin does not unmount what is mounted at the path"));
    }
    return ReleaseStory.clear(turn, what, now);
  }

  // ---- an existing mount

  private static Turn there(Turn turn, Event.Looked looked, Situation now) {
    Goal.Publish goal = turn.mount();
    if (Inspection.isDead(looked.target())) {
      return dead(turn, looked, now);
    }
    Turn told =
        Inspection.isBroken(looked.target())
            ? turn.note(
                new Notice(
                    OperatorCode.MOUNT_BROKEN,
                    "it is mounted, and the mounted file or directory was deleted",
                    Optional.of(goal.usage())))
            : turn;
    return isClaimed(told) ? confirm(told, CONFIRM_THERE) : told.end(new Result.Published());
  }

  /**
   * Handles a dead mount. If the policy requires repairs, the mount is repaired now; otherwise it
   * is left. The use stays on record in both cases.
   */
  private static Turn dead(Turn turn, Event.Looked looked, Situation now) {
    Goal.Publish goal = turn.mount();
    if (!isMadeAgain(now)) {
      return turn.end(
          Outcome.HELD,
          Failure.of(
              OperatorCode.MOUNT_DEAD,
              "it is mounted, its server has ended, and the policy "
                  + now.policy().onDeadMount()
                  + " leaves it until it is released"));
    }
    boolean isShared =
        Inspection.isDead(looked.staging())
            && turn.record().targets().values().stream()
                .anyMatch(
                    use -> !use.usage().equals(goal.usage()) && !use.path().is(PathStatus.NONE));
    return isShared
        ? turn.end(
            Outcome.IN_PROGRESS,
            Failure.of(
                OperatorCode.MOUNT_DEAD,
                "its server has ended, as has that of its staging, which other workloads also "
                    + "use: all of them are remounted together"))
        : clear(turn.sparing(), Turn.Clearing.TARGET, now);
  }

  /** Keeps an existing mount, unless it is proven that its claim has ended. */
  private static Turn thereConfirmed(Turn turn, Event.Confirmed answer, Situation now) {
    Goal.Publish goal = turn.mount();
    ClaimStanding standing = answer.standing();
    ClaimMark mark = turn.record().claim(goal.usage());
    if (standing instanceof ClaimStanding.Current) {
      return mark.wasConfirmed(turn.epoch())
          ? turn.end(new Result.Published())
          : save(turn.with(withClaim(turn)), SAVE_PUBLISHED);
    }
    if (standing instanceof ClaimStanding.Stale && isOurs(turn)) {
      return ReleaseStory.giveUp(turn, unclaimed(turn, standing, true), now);
    }
    Failure failure = unclaimed(turn, standing, false);
    boolean isRunning =
        mark.wasConfirmed(turn.epoch())
            && (standing instanceof ClaimStanding.Unknown
                || standing instanceof ClaimStanding.Missing);
    return isRunning
        ? turn.note(new Notice(failure.code(), failure.seen(), Optional.of(goal.usage())))
            .end(new Result.Published())
        : turn.end(Outcome.REFUSED, failure);
  }

  // ---- the intent: it is saved before any other step, so the use survives a crash from here on

  private static Turn intend(Turn turn, VolumeRecord record, Situation now) {
    Goal.Publish goal = turn.mount();
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
    VolumeRecord counted =
        next.withTarget(
                new TargetRecord(
                    goal.usage(),
                    goal.readOnly(),
                    stages && !wasInDoubt ? path : path.working(Verb.PUBLISH, now.instance()),
                    record.claim(goal.usage()).wanted(turn.epoch())))
            .withAnswered(goal.usage(), now.isAnswered(goal.usage()));
    return save(turn.with(counted), SAVE_INTENT);
  }

  /** Returns whether the use is wanted with the same contexts that the plugin received last. */
  static boolean isWantedAsGiven(TargetRecord target, VolumeRecord record, Goal.Publish goal) {
    String given = record.contexts().getOrDefault(goal.usage(), "");
    return target.readOnly() == goal.readOnly()
        && Digests.isLastGiven(given, goal.context())
        && Digests.isLastGiven(record.plan().attached(), goal.plan().attached());
  }

  /** Publishes a use again. The plugin must not be working on a call for the use. */
  static Turn publishAgain(Turn turn, Situation now) {
    return intend(turn.cleared(), turn.record(), now);
  }

  /** Writes the present record, and syncs it before the next step. */
  private static Turn save(Turn turn, Moment<Event.Saved> moment) {
    return turn.await(moment, new Step.Save(turn.record(), Need.ON_THE_MEDIUM));
  }

  /**
   * Writes the present record without a sync. It is synced together with the next record that needs
   * a sync.
   */
  private static Turn write(Turn turn, Moment<Event.Saved> moment) {
    return turn.await(moment, new Step.Save(turn.record(), Need.WRITTEN));
  }

  private static Turn intentSaved(Turn turn, Event.Saved saved, Situation now) {
    return saved
        .problem()
        .map(problem -> ReleaseStory.undo(turn, stateFailure(problem), now))
        .orElseGet(() -> prepare(turn));
  }

  // ---- staging

  /** Creates the directories that the next call needs. */
  private static Turn prepare(Turn turn) {
    return turn.record().staging().is(PathStatus.PRESENT)
        ? prepareUse(turn)
        : turn.await(PREPARE_VOLUME, new Step.PrepareVolume());
  }

  private static Turn volumePrepared(Turn turn, Event.Arranged arranged, Situation now) {
    if (arranged.problem().isPresent()) {
      return ReleaseStory.undo(turn, pathFailure(arranged.problem().get()), now);
    }
    return turn.mount().plan().staged() ? call(turn.fresh(), Verb.STAGE, now) : prepareUse(turn);
  }

  private static Turn stageAgain(Turn turn, Event.Woke woke, Situation now) {
    return call(working(turn, Verb.STAGE, now), Verb.STAGE, now);
  }

  private static Turn seenStaged(Turn turn, Event.Looked looked, Situation now) {
    Optional<Failure> wrong = Inspection.staged(looked, now.policy());
    if (wrong.isPresent()) {
      return repeat(turn, Verb.STAGE, Repeat.SOON, wrong.get(), now);
    }
    Turn told =
        Inspection.stacked(looked.staging())
            .map(text -> turn.note(new Notice(OperatorCode.STACKED_MOUNTS, text, Optional.empty())))
            .orElse(turn);
    return saveStaged(told, Inspection.top(looked.staging()), now);
  }

  private static Turn saveStaged(Turn turn, Optional<Evidence> evidence, Situation now) {
    VolumeRecord staged = turn.record().withStaging(PathRecord.present(evidence));
    return write(working(turn.with(staged), Verb.PUBLISH, now), SAVE_STAGED);
  }

  private static Turn stagedSaved(Turn turn, Event.Saved saved, Situation now) {
    return saved
        .problem()
        .map(problem -> ReleaseStory.undo(turn, stateFailure(problem), now))
        .orElseGet(() -> prepareUse(turn));
  }

  // ---- publishing

  private static Turn prepareUse(Turn turn) {
    return turn.await(PREPARE_USE, new Step.PrepareUse(turn.mount().usage()));
  }

  private static Turn usePrepared(Turn turn, Event.Arranged arranged, Situation now) {
    return arranged
        .problem()
        .map(problem -> ReleaseStory.undo(turn, pathFailure(problem), now))
        .orElseGet(() -> call(turn.fresh(), Verb.PUBLISH, now));
  }

  /** Repeats the publish call, unless the staging mount is gone now. */
  private static Turn seenAgain(Turn turn, Event.Looked looked, Situation now) {
    return Inspection.isLost(turn.record().staging(), looked.staging())
        ? unstaged(turn, looked, Failure.of(OperatorCode.STAGING_LOST, STAGING_GONE.seen()), now)
        : call(working(turn, Verb.PUBLISH, now), Verb.PUBLISH, now);
  }

  private static Turn seenPublished(Turn turn, Event.Looked looked, Situation now) {
    Goal.Publish goal = turn.mount();
    Optional<Failure> wrong = Inspection.published(goal, looked, turn.record(), now.policy());
    if (wrong.isPresent()) {
      if (Inspection.isLost(turn.record().staging(), looked.staging())) {
        return unstaged(turn, looked, wrong.get(), now);
      }
      boolean mayCome =
          wrong.get().code() == OperatorCode.MOUNT_NOT_VISIBLE
              || wrong.get().code() == OperatorCode.MOUNT_DEAD;
      return repeat(turn, Verb.PUBLISH, mayCome ? Repeat.SOON : Repeat.NEVER, wrong.get(), now);
    }
    Turn at =
        Inspection.stacked(looked.target())
            .map(
                text ->
                    turn.note(
                        new Notice(OperatorCode.STACKED_MOUNTS, text, Optional.of(goal.usage()))))
            .orElse(turn);
    return savePublished(looked.remark().map(at::note).orElse(at), Inspection.top(looked.target()));
  }

  private static Turn savePublished(Turn turn, Optional<Evidence> evidence) {
    Goal.Publish goal = turn.mount();
    return save(
        turn.with(
            turn.record()
                .withTarget(
                    new TargetRecord(
                        goal.usage(),
                        goal.readOnly(),
                        PathRecord.present(evidence),
                        turn.record().claim(goal.usage())))),
        SAVE_PUBLISHED);
  }

  private static Turn publishedSaved(Turn turn, Event.Saved saved, Situation now) {
    return saved
        .problem()
        .map(problem -> ReleaseStory.undo(turn, stateFailure(problem), now))
        .orElseGet(() -> turn.end(new Result.Published()));
  }

  // ---- staging again because the staging mount is gone

  /**
   * Stages the volume again after the staging mount has disappeared, because nothing can be
   * published without it. If the volume was already staged again once, undoes the mount.
   */
  private static Turn unstaged(Turn turn, Event.Looked looked, Failure wrong, Situation now) {
    Turn told = turn.note(STAGING_GONE);
    return looked.target().isEmpty() && !turn.detour().restaged()
        ? restage(told, now)
        : ReleaseStory.undo(told, wrong, now);
  }

  private static Turn restage(Turn turn, Situation now) {
    return save(turn.with(turn.record().withStaging(staging(now))).restaging(), SAVE_RESTAGE);
  }

  private static Turn restageSaved(Turn turn, Event.Saved saved, Situation now) {
    return saved
        .problem()
        .map(problem -> ReleaseStory.undo(turn, stateFailure(problem), now))
        .orElseGet(() -> call(turn.fresh(), Verb.STAGE, now));
  }

  /** Returns the record of the staging path for a volume that is about to be staged. */
  private static PathRecord staging(Situation now) {
    return new PathRecord(PathStatus.IN_DOUBT, Optional.empty(), Optional.empty())
        .working(Verb.STAGE, now.instance());
  }

  // ---- a call to stage or publish: confirm the claim, call the plugin, check the mounts

  /**
   * Makes a mounting call after its claim is confirmed. The use is on record before the claim is
   * confirmed. If the claim is released afterwards, a coordinator gets no receipt from this node
   * while the use is on record. Without a receipt the claim is not freed, so the confirmation stays
   * valid during the call.
   */
  private static Turn call(Turn turn, Verb verb, Situation now) {
    if (now.barred().isPresent()) {
      return ReleaseStory.undo(turn, now.barred().get(), now);
    }
    return isClaimed(turn)
        ? confirm(turn, verb == Verb.STAGE ? CONFIRM_STAGE : CONFIRM_PUBLISH)
        : admitted(turn, verb, now);
  }

  /** Returns whether the mount needs the confirmation of a claim. */
  static boolean isClaimed(Turn turn) {
    return turn.epoch() > 0;
  }

  private static Turn confirm(Turn turn, Moment<Event.Confirmed> moment) {
    return turn.await(moment, new Step.Confirm(turn.mount().usage(), turn.epoch()));
  }

  /** Continues with the call if the claim allows it; otherwise undoes the mount. */
  private static Turn confirmed(Turn turn, Verb verb, Event.Confirmed answer, Situation now) {
    Goal.Publish goal = turn.mount();
    ClaimStanding standing = answer.standing();
    if (standing instanceof ClaimStanding.Current) {
      return admitted(turn.with(withClaim(turn)), verb, now);
    }
    boolean goesOn =
        standing instanceof ClaimStanding.Unknown
            && answer.recordSuffices()
            && turn.before().claim(goal.usage()).wasConfirmed(turn.epoch());
    if (goesOn) {
      return admitted(
          turn.note(
              new Notice(
                  OperatorCode.CLAIM_STORE_DOWN,
                  Event.Confirmed.words(standing, turn.epoch())
                      + ", and it continues from its record",
                  Optional.of(goal.usage()))),
          verb,
          now);
    }
    return standing instanceof ClaimStanding.Stale && isOurs(turn)
        ? ReleaseStory.giveUp(turn, unclaimed(turn, standing, turn.detour().spared()), now)
        : ReleaseStory.undo(turn, unclaimed(turn, standing, false), now);
  }

  /**
   * Sends the call. Before a volume for a single use is published, first searches for unrecorded
   * uses that it is mounted for.
   */
  private static Turn admitted(Turn turn, Verb verb, Situation now) {
    if (now.barred().isPresent()) {
      return ReleaseStory.undo(turn, now.barred().get(), now);
    }
    return verb == Verb.PUBLISH && Admission.isForOne(turn.mount())
        ? turn.await(LOOK_AT_OTHERS, new Step.LookAtUses(false))
        : send(turn, verb);
  }

  /** Publishes the volume, unless an earlier, abandoned call has mounted it for another use. */
  private static Turn othersSeen(Turn turn, Event.UsesSeen seen, Situation now) {
    Turn at = turn.with(seen.record());
    return Admission.refusal(seen.record(), turn.mount())
        .or(now::barred)
        .map(failure -> ReleaseStory.undo(at, failure, now))
        .orElseGet(() -> send(at, Verb.PUBLISH));
  }

  private static Turn send(Turn turn, Verb verb) {
    return verb == Verb.STAGE
        ? turn.call(STAGE, verb, Optional.empty())
        : turn.call(PUBLISH, verb, turn.usage());
  }

  private static Turn called(Turn turn, Verb verb, Event.Called end, Situation now) {
    return end.either(
        answer -> answered(turn, verb, answer, now),
        withheld -> ReleaseStory.undo(turn, pathFailure(withheld), now));
  }

  private static Turn answered(Turn turn, Verb verb, Answer answer, Situation now) {
    Turn at = answer.isSent() ? turn.reached(verb) : turn;
    return answer.isOk()
        ? look(idle(at, verb), verb == Verb.STAGE ? LOOK_STAGED : LOOK_PUBLISHED)
        : failed(at, verb, answer, now);
  }

  private static Turn failed(Turn turn, Verb verb, Answer answer, Situation now) {
    CallMeaning meaning = CallMeaning.of(answer);
    Turn at = !meaning.goesOn() && answer.isSent() ? idle(turn, verb) : turn;
    boolean isUnknown =
        meaning.remedy() == CallMeaning.Remedy.LOOK_UP
            && isClaimed(at)
            && at.detour().notFound().isEmpty();
    if (isUnknown) {
      return at.lookingUp(answer)
          .await(
              verb == Verb.STAGE ? LOOK_UP_STAGE : LOOK_UP_PUBLISH,
              new Step.LookUp(at.mount().usage(), at.epoch()));
    }
    boolean isUnstaged =
        verb == Verb.PUBLISH
            && meaning.remedy() == CallMeaning.Remedy.STAGE_AGAIN
            && turn.mount().plan().staged();
    return isUnstaged && !at.detour().restaged()
        ? restage(at, now)
        : repeat(at, verb, meaning.repeat(), CallMeaning.failure(at, verb, answer), now);
  }

  /**
   * Repeats the call for which the plugin did not find the volume, unless the control plane says
   * that the volume does not exist.
   */
  private static Turn lookedUp(Turn turn, Verb verb, Event.LookedUp answer, Situation now) {
    if (answer.verdict() instanceof VolumeVerdict.Gone gone) {
      return ReleaseStory.undo(turn, gone(verb, gone), now);
    }
    Answer notFound = turn.detour().notFound().orElseThrow();
    return repeat(
        turn,
        verb,
        CallMeaning.of(notFound).repeat(),
        CallMeaning.failure(turn, verb, notFound),
        now);
  }

  private static Failure gone(Verb verb, VolumeVerdict.Gone gone) {
    return Failure.of(
            OperatorCode.VOLUME_GONE,
            verb.operation().rpcName()
                + " did not find it, and the control plane reports: "
                + gone.message().seen().text())
        .as(Outcome.HELD);
  }

  /** Repeats the call after a pause, or undoes the mount if no attempt is left. */
  private static Turn repeat(Turn turn, Verb verb, Repeat repeat, Failure failure, Situation now) {
    return repeat != Repeat.NEVER && turn.tries().calls() < now.policy().attempts()
        ? turn.pause(
            verb == Verb.STAGE ? STAGE_AGAIN : PUBLISH_AGAIN,
            repeat.pause(now.policy(), turn.tries().calls(), now.random()))
        : ReleaseStory.undo(turn, failure, now);
  }

  /** Notes that the plugin is no longer working on this call. */
  private static Turn idle(Turn turn, Verb verb) {
    VolumeRecord record = turn.record();
    return verb == Verb.STAGE
        ? turn.with(record.withStaging(record.staging().idle()))
        : withPath(turn, PathRecord::idle);
  }

  /** Notes that the plugin is about to work on this call. */
  private static Turn working(Turn turn, Verb verb, Situation now) {
    VolumeRecord record = turn.record();
    return verb == Verb.STAGE
        ? turn.with(record.withStaging(record.staging().working(verb, now.instance())))
        : withPath(turn, path -> path.working(verb, now.instance()));
  }

  private static Turn withPath(Turn turn, UnaryOperator<PathRecord> change) {
    VolumeRecord record = turn.record();
    return turn.usage()
        .flatMap(record::target)
        .map(use -> turn.with(record.withTarget(use.with(change.apply(use.path())))))
        .orElse(turn);
  }

  // ---- claims

  /**
   * Returns a failure if the record alone shows that the claim has ended: a newer claim of the same
   * use was current on this node before.
   */
  static Optional<Failure> overtaken(Turn turn) {
    ClaimMark mark = turn.record().claim(turn.mount().usage());
    return isClaimed(turn) && mark.confirmed() && turn.epoch() < mark.epoch()
        ? Optional.of(
            Failure.of(
                OperatorCode.FENCED,
                "its claim has epoch "
                    + turn.epoch()
                    + ", and epoch "
                    + mark.epoch()
                    + " was current on this node before"))
        : Optional.empty();
  }

  /** Returns whether the ended claim is the newest claim of the use on record. */
  private static boolean isOurs(Turn turn) {
    Goal.Publish goal = turn.mount();
    return turn.before().claim(goal.usage()).epoch() <= turn.epoch();
  }

  static VolumeRecord withClaim(Turn turn) {
    VolumeRecord record = turn.record();
    return record
        .target(turn.mount().usage())
        .map(use -> record.withTarget(use.under(new ClaimMark(turn.epoch(), true))))
        .orElse(record);
  }

  static Failure unclaimed(Turn turn, ClaimStanding standing, boolean isMounted) {
    OperatorCode code =
        standing instanceof ClaimStanding.Stale
            ? isMounted ? OperatorCode.FENCED_WHILE_MOUNTED : OperatorCode.FENCED
            : standing instanceof ClaimStanding.Leaving
                ? OperatorCode.CLAIM_BEING_RELEASED
                : standing instanceof ClaimStanding.Missing
                    ? OperatorCode.CLAIM_MISSING
                    : OperatorCode.CLAIM_UNCONFIRMED;
    return Failure.of(code, Event.Confirmed.words(standing, turn.epoch()));
  }

  // ---- failures of the state and of directories

  static Failure stateFailure(StateException problem) {
    return Failure.of(
        StateCodes.of(problem.reason()),
        "the next step cannot be saved (" + problem.reason() + ")",
        problem);
  }

  static Failure pathFailure(PathProblem problem) {
    return Failure.of(problem.kind().code(), String.valueOf(problem.getMessage()), problem);
  }
}
