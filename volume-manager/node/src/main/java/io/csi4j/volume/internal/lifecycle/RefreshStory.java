package io.csi4j.volume.internal.lifecycle;

import io.csi4j.volume.internal.lifecycle.CallMeaning.Repeat;
import io.csi4j.volume.internal.lifecycle.Step.Save.Need;
import io.csi4j.volume.internal.lifecycle.Turn.Moment;
import io.csi4j.volume.internal.lifecycle.Turn.Notice;
import io.csi4j.volume.internal.lifecycle.Turn.Situation;
import io.csi4j.volume.internal.link.Answer;
import io.csi4j.volume.internal.port.CrashPoint;
import io.csi4j.volume.internal.record.Digests;
import io.csi4j.volume.internal.record.PathRecord;
import io.csi4j.volume.internal.record.TargetRecord;
import io.csi4j.volume.internal.record.Verb;
import io.csi4j.volume.internal.record.VolumeRecord;
import io.csi4j.volume.model.ClaimStanding;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.VolumeException.Outcome;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.node.PathStatus;
import java.util.Optional;

/**
 * The lifecycle of a refresh: a published volume is published again at its target, with new
 * contexts and secrets. The steps are: read the mounts, save the intent, publish, check the mounts,
 * save. Throughout a refresh, the record says that the use is published. Nothing is ever undone, so
 * a refresh that fails leaves the volume as it was.
 *
 * <p>During the call, the record says that the new contexts may be in effect, and that the plugin
 * may be working on a call. Both notes are removed when the plugin has given a definite answer.
 */
final class RefreshStory {

  // ---- the states, in order

  static final Moment<Event.Looked> LOOK_PRESENT =
      Moment.forth("LOOK_PRESENT", "reading the mount table", RefreshStory::seenPresent);

  static final Moment<Event.Saved> SAVE_REFRESH =
      Moment.forth("SAVE_REFRESH", "saving that it is being refreshed", RefreshStory::intentSaved)
          .reaching(CrashPoint.INTENT_SAVED);

  static final Moment<Event.Confirmed> CONFIRM_REFRESH =
      Moment.forth(
          "CONFIRM_REFRESH", "asking whether its claim is current", RefreshStory::confirmed);

  static final Moment<Event.Called> REFRESH =
      Moment.forth("REFRESH", "waiting for the plugin to publish it again", RefreshStory::called);

  static final Moment<Event.Woke> REFRESH_AGAIN =
      Moment.forth(
          "REFRESH_AGAIN",
          "waiting for the plugin to publish it again",
          (turn, woke, now) -> look(turn, RefreshStory.LOOK_PRESENT));

  static final Moment<Event.Looked> LOOK_REFRESHED =
      Moment.forth(
              "LOOK_REFRESHED",
              "checking the mounts after the refresh",
              RefreshStory::seenRefreshed)
          .reaching(CrashPoint.TARGET_SEEN);

  static final Moment<Event.Saved> SAVE_REFRESHED =
      Moment.forth("SAVE_REFRESHED", "saving the contexts in force", RefreshStory::ended)
          .reaching(CrashPoint.PUBLISHED_SAVED);

  private RefreshStory() {}

  // ---- the first check of the mounts

  /**
   * Starts a refresh, unless the use is not published, or is published with other options than
   * requested.
   */
  static Turn begin(Turn turn) {
    Optional<Failure> refusal =
        path(turn).filter(path -> path.is(PathStatus.PRESENT)).isPresent()
            ? Admission.differences(turn.record(), turn.mount())
            : Optional.of(Failure.of(OperatorCode.NOT_MOUNTED, "no such mount is recorded"));
    return refusal
        .or(() -> MountStory.overtaken(turn))
        .map(failure -> turn.end(Outcome.REFUSED, failure))
        .orElseGet(() -> look(turn, LOOK_PRESENT));
  }

  private static Turn look(Turn turn, Moment<Event.Looked> moment) {
    return turn.await(moment, new Step.Look(turn.usage(), moment.equals(LOOK_REFRESHED)));
  }

  private static Turn seenPresent(Turn turn, Event.Looked looked, Situation now) {
    Optional<Failure> obstacle =
        obstacle(turn, looked).or(() -> overtaken(turn, now)).or(now::barred);
    return obstacle.isPresent()
        ? leave(turn, obstacle.get())
        : intend(seeing(turn, looked.target().size()), now);
  }

  /** Returns the turn with the number of mounts at the target, if no call was made yet. */
  private static Turn seeing(Turn turn, int mounts) {
    return turn.tries().calls() == 0 ? turn.with(turn.tries().seeing(mounts)) : turn;
  }

  /** Returns why the mounted volume cannot be refreshed; empty if a refresh is possible. */
  private static Optional<Failure> obstacle(Turn turn, Event.Looked looked) {
    PathRecord target = path(turn).orElse(PathRecord.NONE);
    if (Inspection.isForeign(target, looked.target())) {
      return Optional.of(Inspection.foreign(looked.target()));
    }
    if (Inspection.isLost(target, looked.target())) {
      return Optional.of(
          Failure.of(
              OperatorCode.MOUNT_LOST, "the mount is gone, and this manager did not remove it"));
    }
    if (Inspection.isDead(looked.target())) {
      return Optional.of(
          Failure.of(OperatorCode.MOUNT_DEAD, "it is mounted, and its server has ended"));
    }
    return Inspection.isLost(turn.record().staging(), looked.staging())
        ? Optional.of(
            Failure.of(
                OperatorCode.STAGING_LOST,
                "the mount at the staging path, from which it would be published, is gone"))
        : Optional.empty();
  }

  /**
   * Returns a failure if the plugin may still be working on an earlier call with other contexts.
   * Until that call has ended, only the same call may be sent again.
   */
  private static Optional<Failure> overtaken(Turn turn, Situation now) {
    Goal.Publish wanted = turn.mount();
    boolean isGoingOn =
        turn.tries().calls() == 0
            && now.targetQuarantined(wanted.usage())
            && path(turn).filter(path -> path.awaits(Verb.PUBLISH)).isPresent();
    VolumeRecord record = turn.record();
    return !isGoingOn
            || (Digests.isLastGiven(given(record, wanted), wanted.context())
                && Digests.isLastGiven(record.plan().attached(), wanted.plan().attached()))
        ? Optional.empty()
        : Optional.of(
            Failure.of(
                OperatorCode.REFRESH_IN_DOUBT,
                "the plugin may still be working on an earlier NodePublishVolume with other "
                    + "contexts; until that call ends, only the same call is sent again"));
  }

  // ---- the intent: from here on it is uncertain which contexts are in effect

  private static Turn intend(Turn turn, Situation now) {
    Goal.Publish wanted = turn.mount();
    VolumeRecord record = turn.record();
    VolumeRecord offered =
        record
            .withContext(wanted.usage(), offered(given(record, wanted), wanted.context()))
            .with(
                record
                    .plan()
                    .attached(offered(record.plan().attached(), wanted.plan().attached())));
    Turn at =
        withPath(
            turn.with(offered), path(turn).orElseThrow().working(Verb.PUBLISH, now.instance()));
    // The record need not be synced, because no mount survives a power loss.
    return at.await(SAVE_REFRESH, new Step.Save(at.record(), Need.WRITTEN));
  }

  private static String offered(String known, String digest) {
    return known.equals(digest) ? known : Digests.inDoubt(digest);
  }

  /**
   * Returns the digest of the context that the plugin received for the use; the empty text if it is
   * unknown.
   */
  private static String given(VolumeRecord record, Goal.Publish wanted) {
    return record.contexts().getOrDefault(wanted.usage(), "");
  }

  private static Turn intentSaved(Turn turn, Event.Saved saved, Situation now) {
    if (saved.problem().isPresent()) {
      return leave(turn, MountStory.stateFailure(saved.problem().get()));
    }
    return MountStory.isClaimed(turn)
        ? turn.await(CONFIRM_REFRESH, new Step.Confirm(turn.mount().usage(), turn.epoch()))
        : send(turn, now);
  }

  /** Sends the call if the claim allows it. The mount stays in any case. */
  private static Turn confirmed(Turn turn, Event.Confirmed answer, Situation now) {
    Goal.Publish wanted = turn.mount();
    ClaimStanding standing = answer.standing();
    if (standing instanceof ClaimStanding.Current) {
      return send(turn.with(MountStory.withClaim(turn)), now);
    }
    boolean goesOn =
        standing instanceof ClaimStanding.Unknown
            && answer.recordSuffices()
            && turn.before().claim(wanted.usage()).wasConfirmed(turn.epoch());
    return goesOn ? send(turn, now) : leave(turn, MountStory.unclaimed(turn, standing, true));
  }

  // ---- the call

  private static Turn send(Turn turn, Situation now) {
    return now.barred()
        .map(failure -> leave(turn, failure))
        .orElseGet(() -> turn.call(REFRESH, Verb.PUBLISH, turn.usage()));
  }

  private static Turn called(Turn turn, Event.Called end, Situation now) {
    return end.either(
        answer -> answered(turn, answer, now),
        withheld -> leave(turn, MountStory.pathFailure(withheld)));
  }

  private static Turn answered(Turn turn, Answer answer, Situation now) {
    if (!answer.isOk()) {
      return failed(turn, answer, now);
    }
    Goal.Publish wanted = turn.mount();
    VolumeRecord record = turn.record().withContext(wanted.usage(), wanted.context());
    Turn inForce =
        turn.with(record.with(record.plan().attached(wanted.plan().attached())))
            .reached(Verb.PUBLISH);
    return look(withPath(inForce, path(inForce).orElseThrow().idle()), LOOK_REFRESHED);
  }

  private static Turn failed(Turn turn, Answer answer, Situation now) {
    CallMeaning meaning = CallMeaning.of(answer);
    Repeat repeat = meaning.repeat();
    boolean mayBeInForce = answer.isSent() && repeat == Repeat.SOON;
    Turn at = mayBeInForce ? turn.reached(Verb.PUBLISH) : turn;
    if (!meaning.goesOn() && answer.isSent()) {
      at = withPath(at, path(at).orElseThrow().idle());
    }
    return repeat != Repeat.NEVER && at.tries().calls() < now.policy().attempts()
        ? at.pause(REFRESH_AGAIN, repeat.pause(now.policy(), at.tries().calls(), now.random()))
        : leave(at, failure(at, answer));
  }

  /**
   * Returns the failure for an answer. If the plugin refused the call, the old contexts are still
   * in effect, unless an earlier attempt of this refresh had an unknown effect.
   */
  private static Failure failure(Turn turn, Answer answer) {
    Failure told = CallMeaning.failure(turn, Verb.PUBLISH, answer);
    boolean isOfPlugin = answer.isSent() && told.code() != OperatorCode.DATA_LOSS;
    return isInDoubt(turn)
        ? new Failure(OperatorCode.REFRESH_IN_DOUBT, told.seen(), told.cause())
        : isOfPlugin ? new Failure(OperatorCode.REFRESH_REFUSED, told.seen(), told.cause()) : told;
  }

  /** Returns whether the plugin has received a call that may have taken effect. */
  private static boolean isInDoubt(Turn turn) {
    return turn.sent().contains(Verb.PUBLISH);
  }

  // ---- the check of the mounts after the call

  private static Turn seenRefreshed(Turn turn, Event.Looked looked, Situation now) {
    Optional<Failure> wrong =
        Inspection.published(turn.mount(), looked, turn.record(), now.policy());
    if (wrong.isPresent()) {
      return save(turn.failing(wrong(wrong.get())));
    }
    int before = turn.tries().layers();
    int after = looked.target().size();
    Turn told =
        after > Math.max(before, 1)
            ? turn.note(
                new Notice(
                    OperatorCode.STACKED_MOUNTS,
                    "the plugin mounted on top of the mount to refresh: the path had "
                        + before
                        + (before == 1 ? " mount" : " mounts")
                        + " and now has "
                        + after
                        + "; a running workload keeps the mount that it has",
                    turn.usage()))
            : turn;
    return save(withPath(told, PathRecord.present(Inspection.top(looked.target()))));
  }

  private static Failure wrong(Failure seen) {
    return seen.code() == OperatorCode.MOUNT_NOT_VISIBLE
        ? Failure.of(
            OperatorCode.MOUNT_LOST,
            "it was mounted, but nothing is mounted any more after the plugin answered OK to "
                + "another NodePublishVolume for it")
        : seen;
  }

  // ---- the end

  /**
   * Ends the refresh with a failure. If the plugin has certainly changed nothing, the record gets
   * the earlier contexts back.
   */
  private static Turn leave(Turn turn, Failure failure) {
    return save((isInDoubt(turn) ? turn : asBefore(turn)).failing(inDoubt(turn, failure)));
  }

  private static Failure inDoubt(Turn turn, Failure failure) {
    return isInDoubt(turn)
        ? new Failure(
            OperatorCode.REFRESH_IN_DOUBT,
            failure.code() == OperatorCode.REFRESH_IN_DOUBT
                ? failure.seen()
                : "NodePublishVolume was sent with unknown effect, and was not sent again: "
                    + failure.seen(),
            failure.cause())
        : failure;
  }

  /**
   * Returns the turn with the contexts that were recorded before. A pending call from before stays
   * pending unless the plugin has answered.
   */
  private static Turn asBefore(Turn turn) {
    VolumeUse usage = turn.mount().usage();
    VolumeRecord before = turn.before();
    VolumeRecord record = turn.record().withContext(usage, given(before, turn.mount()));
    Turn restored = turn.with(record.with(record.plan().attached(before.plan().attached())));
    boolean isAnswered = path(turn).filter(path -> path.pending().isEmpty()).isPresent();
    return isAnswered
        ? restored
        : before.target(usage).map(use -> withPath(restored, use.path())).orElse(restored);
  }

  private static Turn save(Turn turn) {
    // A full disk must not prevent the caller from receiving the result.
    return turn.record().equals(turn.saved())
        ? end(turn)
        : turn.await(SAVE_REFRESHED, new Step.Save(turn.record(), Need.RELEASING));
  }

  private static Turn ended(Turn turn, Event.Saved saved, Situation now) {
    // The caller gets the result even if it could not be written. In that case, the result is
    // uncertain for the next process.
    return end(turn);
  }

  private static Turn end(Turn turn) {
    return turn.end(turn.failure().map(why -> result(turn, why)).orElseGet(Result.Published::new));
  }

  private static Result result(Turn turn, Failure why) {
    if (why.code() == OperatorCode.REFRESH_IN_DOUBT) {
      return why.as(Outcome.IN_PROGRESS);
    }
    if (!isInDoubt(turn)) {
      return why.as(Outcome.REFUSED);
    }
    return why.as(Outcome.HELD);
  }

  /** Handles a step that ended with an unexpected exception. */
  static Turn broke(Turn turn, Failure failure) {
    return turn.awaited().moment().equals(SAVE_REFRESHED)
        ? end(turn.failing(inDoubt(turn, failure)))
        : leave(turn, failure);
  }

  // ---- the use

  private static Optional<PathRecord> path(Turn turn) {
    return turn.record().target(turn.mount().usage()).map(TargetRecord::path);
  }

  private static Turn withPath(Turn turn, PathRecord path) {
    VolumeRecord record = turn.record();
    return record
        .target(turn.mount().usage())
        .map(use -> turn.with(record.withTarget(use.with(path))))
        .orElse(turn);
  }
}
