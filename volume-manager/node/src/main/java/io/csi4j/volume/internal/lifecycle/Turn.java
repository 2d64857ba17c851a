package io.csi4j.volume.internal.lifecycle;

import io.csi4j.volume.internal.link.Answer;
import io.csi4j.volume.internal.port.CrashPoint;
import io.csi4j.volume.internal.record.Place;
import io.csi4j.volume.internal.record.Verb;
import io.csi4j.volume.internal.record.VolumeRecord;
import io.csi4j.volume.model.ClaimGrant;
import io.csi4j.volume.model.MountPolicy;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.VolumeException.Outcome;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.node.MountRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * An operation between two steps: its goal, its progress, and the step whose result it waits for.
 *
 * @param goal the goal
 * @param before the volume when the operation started
 * @param record the present volume, as far as it is known
 * @param saved the volume as it is on record, or is about to be
 * @param awaited the step in progress
 * @param tries the attempts of the present call, and their results
 * @param sent the calls that the plugin has received, or may have
 * @param detour the reason for a departure from the direct way to the goal, if there is one
 * @param notices the notices of this step
 */
public record Turn(
    Goal goal,
    VolumeRecord before,
    VolumeRecord record,
    VolumeRecord saved,
    Awaited<?> awaited,
    Tries tries,
    Set<Verb> sent,
    Detour detour,
    List<Notice> notices) {

  /** Copies the collections. */
  public Turn {
    sent = Set.copyOf(sent);
    notices = List.copyOf(notices);
  }

  /**
   * The attempts of the present call.
   *
   * @param calls the number of attempts
   * @param layers the number of mounts on top of each other at the last attempt
   * @param unknown how often the plugin has answered that it does not know the volume, or answered
   *     OK while the number of mounts did not decrease
   * @param refusal an answer of the plugin that the mount table must confirm, if there is one
   */
  public record Tries(int calls, int layers, int unknown, Optional<Failure> refusal) {

    static final Tries NONE = new Tries(0, 0, 0, Optional.empty());

    Tries seeing(int mounts) {
      return new Tries(calls, mounts, unknown, refusal);
    }

    /** Returns the attempts after the plugin answered OK while this many mounts are left. */
    Tries left(int mounts) {
      return new Tries(calls, mounts, mounts == layers ? unknown + 1 : 0, refusal);
    }

    Tries refused(Failure said) {
      return new Tries(calls, layers, unknown, Optional.of(said));
    }

    Tries unknown(Failure said) {
      return new Tries(calls, layers, unknown + 1, Optional.of(said));
    }

    private Tries called() {
      return new Tries(calls + 1, layers, unknown, refusal);
    }
  }

  /**
   * A departure from the direct way to the goal.
   *
   * @param failure why the goal cannot be reached, once that is known; the following steps undo the
   *     operation
   * @param clearing the obstacle to remove before the goal is tried again
   * @param cleared how often an obstacle had to be removed already
   * @param restaged whether staging was repeated because the plugin or the mount table reported
   *     that it is missing
   * @param spared whether the mount at the target stays if the goal is not reached, because a
   *     workload may be using it
   * @param notFound the answer in which the plugin did not find the volume, once the control plane
   *     was asked about it
   */
  public record Detour(
      Optional<Failure> failure,
      Clearing clearing,
      int cleared,
      boolean restaged,
      boolean spared,
      Optional<Answer> notFound) {

    private static final Detour NONE =
        new Detour(Optional.empty(), Clearing.NOTHING, 0, false, false, Optional.empty());
  }

  /** The obstacle that must be removed before a volume can be published. */
  public enum Clearing {
    /** No obstacle. */
    NOTHING,
    /** The mount at the target. */
    TARGET,
    /** The staging. */
    STAGING
  }

  /**
   * A step whose answer an operation waits for.
   *
   * @param moment the position of the operation in its lifecycle
   * @param step the step
   * @param <E> the result
   */
  public record Awaited<E extends Event>(Moment<E> moment, Step<E> step) {

    /** Returns the operation with the step that follows this result. */
    public Turn answered(Turn turn, E event, Situation now) {
      return moment.next().after(turn.quiet(), event, now);
    }
  }

  /**
   * One position in a lifecycle: an operation waits for the result of a step. The positions of a
   * lifecycle are constants, listed in order at the top of its file.
   *
   * @param name its name, for developers
   * @param doing the running work, as a phrase for people
   * @param isForth whether the volume is being mounted, rather than released
   * @param reached the crash point that the operation has reached with the result, if it has one
   * @param next decides what follows the result
   * @param <E> the result
   */
  public record Moment<E extends Event>(
      String name, String doing, boolean isForth, Optional<CrashPoint> reached, Next<E> next) {

    /** The position before the first step and after the last one. */
    static final Moment<Event> NONE =
        new Moment<>(
            "NONE",
            "beginning",
            false,
            Optional.empty(),
            (turn, event, now) -> {
              throw new IllegalStateException("The operation has ended: " + event);
            });

    /**
     * Decides what follows a result.
     *
     * @param <E> the result
     */
    @FunctionalInterface
    public interface Next<E extends Event> {

      /** Returns the operation with its next step. */
      Turn after(Turn turn, E event, Situation now);
    }

    /** Returns a position in the lifecycle of a mount. */
    static <E extends Event> Moment<E> forth(String name, String doing, Next<E> next) {
      return new Moment<>(name, doing, true, Optional.empty(), next);
    }

    /** Returns a position in the lifecycle of a release. */
    static <E extends Event> Moment<E> back(String name, String doing, Next<E> next) {
      return new Moment<>(name, doing, false, Optional.empty(), next);
    }

    /** Returns this position with the crash point that its result reaches. */
    Moment<E> reaching(CrashPoint point) {
      return new Moment<>(name, doing, isForth, Optional.of(point), next);
    }

    @Override
    public String toString() {
      return name;
    }
  }

  /**
   * A notice for an operator.
   *
   * @param code the code
   * @param seen the observation, as a clause
   * @param usage the use, if the notice concerns one; otherwise it concerns the staging or the
   *     volume
   */
  public record Notice(OperatorCode code, String seen, Optional<VolumeUse> usage) {}

  /**
   * The facts on which a decision is based.
   *
   * @param place the boot and the mount namespace
   * @param instance the process of the plugin; empty if it is not known
   * @param policy the policy for the plugin
   * @param quarantined the targets, and the staging (empty), whose pending call may be running
   * @param refused the uses that the plugin has refused to release often and long enough, while
   *     nothing was mounted for them
   * @param unanswered the uses with a publication that may not have ended
   * @param barred why the plugin gets no calls now, if it gets none
   * @param random a number from 0 to below 1
   */
  public record Situation(
      Place place,
      String instance,
      MountPolicy policy,
      Set<Optional<VolumeUse>> quarantined,
      Set<VolumeUse> refused,
      Set<VolumeUse> unanswered,
      Optional<Failure> barred,
      double random) {

    /**
     * Returns this situation with a further reason why the plugin gets no calls, if there is one.
     */
    public Situation barredBy(Optional<Failure> also) {
      return also.isEmpty() || barred.isPresent()
          ? this
          : new Situation(place, instance, policy, quarantined, refused, unanswered, also, random);
    }

    /** Returns whether every publication of a use has ended. */
    boolean isAnswered(VolumeUse usage) {
      return !unanswered.contains(usage);
    }

    /** Returns whether the pending call of the staging may be running. */
    boolean stagingQuarantined() {
      return quarantined.contains(Optional.empty());
    }

    /** Returns whether the pending call of a target may be running. */
    boolean targetQuarantined(VolumeUse usage) {
      return quarantined.contains(Optional.of(usage));
    }
  }

  /** Returns an operation that has not started. */
  static Turn of(Goal goal, VolumeRecord record) {
    return new Turn(
        goal,
        record,
        record,
        record,
        new Awaited<>(Moment.NONE, new Step.End(new Result.Withdrawn())),
        Tries.NONE,
        Set.of(),
        Detour.NONE,
        List.of());
  }

  // ---- steps

  /** Returns the operation waiting for the result of this step. */
  <E extends Event> Turn await(Moment<E> moment, Step<E> step) {
    VolumeRecord written = step instanceof Step.Save save ? save.record() : saved;
    return new Turn(
        goal, before, record, written, new Awaited<>(moment, step), tries, sent, detour, notices);
  }

  /** Returns the operation making a call. */
  Turn call(Moment<Event.Called> moment, Verb verb, Optional<VolumeUse> usage) {
    return with(tries.called()).await(moment, new Step.Call(verb, usage));
  }

  /** Returns the operation waiting before it repeats a call. */
  Turn pause(Moment<Event.Woke> moment, Duration time) {
    return await(moment, new Step.Pause(time));
  }

  /** Returns the ended operation. */
  Turn end(Result result) {
    return await(Moment.NONE, new Step.End(result));
  }

  /** Returns the operation ended by a failure. */
  Turn end(Outcome outcome, Failure why) {
    return end(why.as(outcome));
  }

  /**
   * Returns the end of a publication or refresh that is no longer wanted, if the operation can stop
   * now: before a call, or instead of a pause or a query. The effect so far is on record, for the
   * release that follows.
   */
  public Optional<Turn> superseded() {
    boolean canBeLeft =
        (goal instanceof Goal.Refresh || (goal instanceof Goal.Publish publish && !publish.keeps()))
            && awaited.moment().isForth()
            && step() instanceof Step.Later;
    return canBeLeft
        ? Optional.of(
            end(
                Outcome.IN_PROGRESS,
                Failure.of(OperatorCode.SUPERSEDED, "its release was requested in the meantime")))
        : Optional.empty();
  }

  /** Returns the step in progress. */
  public Step<?> step() {
    return awaited.step();
  }

  /** Returns the step as a phrase for people. */
  public String doing() {
    return awaited.moment().doing();
  }

  /** Returns the crash point that is reached when the step ends, if it has one. */
  public Optional<CrashPoint> reached() {
    return awaited.moment().reached();
  }

  /** Returns the result of the operation, if it has ended. */
  public Optional<Result> result() {
    return step() instanceof Step.End end ? Optional.of(end.result()) : Optional.empty();
  }

  // ---- knowledge

  /** Returns the operation with this record. */
  public Turn with(VolumeRecord next) {
    return new Turn(goal, before, next, saved, awaited, tries, sent, detour, notices);
  }

  Turn with(Tries next) {
    return new Turn(goal, before, record, saved, awaited, next, sent, detour, notices);
  }

  private Turn with(Detour next) {
    return new Turn(goal, before, record, saved, awaited, tries, sent, next, notices);
  }

  /** Returns the operation before the first attempt of a call. */
  Turn fresh() {
    return with(Tries.NONE);
  }

  /** Returns the operation after the plugin has received a call, or may have. */
  Turn reached(Verb verb) {
    Set<Verb> all = EnumSet.of(verb);
    all.addAll(sent);
    return new Turn(goal, before, record, saved, awaited, tries, all, detour, notices);
  }

  /** Returns the operation with one more notice. */
  Turn note(Notice notice) {
    List<Notice> all = new ArrayList<>(notices);
    all.add(notice);
    return new Turn(goal, before, record, saved, awaited, tries, sent, detour, all);
  }

  /** Returns the operation without the notices that were reported. */
  Turn quiet() {
    return notices.isEmpty()
        ? this
        : new Turn(goal, before, record, saved, awaited, tries, sent, detour, List.of());
  }

  // ---- detours

  /** Returns why the goal cannot be reached, once that is known. */
  Optional<Failure> failure() {
    return detour.failure();
  }

  /** Returns the obstacle that must be removed before the goal is tried again. */
  Clearing clearing() {
    return detour.clearing();
  }

  /** Returns the operation with a failure to reach its goal; the first reason stays. */
  Turn failing(Failure why) {
    return fresh()
        .with(
            new Detour(
                detour.failure().or(() -> Optional.of(why)),
                Clearing.NOTHING,
                detour.cleared(),
                detour.restaged(),
                detour.spared(),
                detour.notFound()));
  }

  /** Returns the operation with an obstacle that must be removed before the goal is tried again. */
  Turn clearing(Clearing what) {
    return fresh()
        .with(
            new Detour(
                detour.failure(),
                what,
                detour.cleared() + 1,
                detour.restaged(),
                detour.spared(),
                detour.notFound()));
  }

  /** Returns the operation after the obstacle was removed. */
  Turn cleared() {
    return fresh()
        .with(
            new Detour(
                detour.failure(),
                Clearing.NOTHING,
                detour.cleared(),
                detour.restaged(),
                detour.spared(),
                detour.notFound()));
  }

  /** Returns the operation staging the volume again. */
  Turn restaging() {
    return fresh()
        .with(
            new Detour(
                detour.failure(),
                detour.clearing(),
                detour.cleared(),
                true,
                detour.spared(),
                detour.notFound()));
  }

  /** Returns the operation that leaves the mount at the target if its goal is not reached. */
  Turn sparing() {
    return with(
        new Detour(
            detour.failure(),
            detour.clearing(),
            detour.cleared(),
            detour.restaged(),
            true,
            detour.notFound()));
  }

  /** Returns the operation asking the control plane about a volume that the plugin did not find. */
  Turn lookingUp(Answer answer) {
    return with(
        new Detour(
            detour.failure(),
            detour.clearing(),
            detour.cleared(),
            detour.restaged(),
            detour.spared(),
            Optional.of(answer)));
  }

  // ---- parts of the goal

  /** Returns the use of the goal. */
  public Optional<VolumeUse> usage() {
    return goal.use();
  }

  /** Returns the goal of a mount or a refresh. */
  public Goal.Publish mount() {
    if (goal instanceof Goal.Publish publish) {
      return publish;
    }
    if (goal instanceof Goal.Refresh refresh) {
      return refresh.wanted();
    }
    throw new IllegalStateException("The goal is no mount: " + goal);
  }

  /**
   * Returns the epoch of the claim that allows the mount: the epoch of the request, or else the
   * recorded epoch of the use; 0 if the mount needs no claim.
   */
  long epoch() {
    MountRequest request = mount().request();
    return request
        .claim()
        .map(ClaimGrant::epoch)
        .orElseGet(() -> before.claim(request.usage()).epoch());
  }
}
