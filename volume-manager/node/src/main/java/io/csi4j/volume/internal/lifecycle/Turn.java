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
 * The state of an operation between two steps: its goal, its progress, and the step that it waits
 * for.
 *
 * @param goal the goal
 * @param before the record of the volume when the operation started
 * @param record the present record of the volume
 * @param saved the record that was written last or is being written
 * @param awaited the step that the operation waits for
 * @param tries the attempts of the present call, and their results
 * @param sent the calls that the plugin has received or may have received
 * @param detour the deviation from the direct path to the goal, if there is one
 * @param notices the notices that were not reported yet
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
   * @param unknown the number of answers in which the plugin did not know the volume, or answered
   *     OK while the number of mounts did not change
   * @param refusal the refusal of the plugin for which the mount table must be checked, if there is
   *     one
   */
  public record Tries(int calls, int layers, int unknown, Optional<Failure> refusal) {

    static final Tries NONE = new Tries(0, 0, 0, Optional.empty());

    Tries seeing(int mounts) {
      return new Tries(calls, mounts, unknown, refusal);
    }

    /** Returns the attempts after the plugin has answered OK and this number of mounts is left. */
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
   * A deviation from the direct path to the goal.
   *
   * @param failure why the goal cannot be reached, once that is known; the following steps undo the
   *     operation
   * @param clearing the obstacle that must be removed before the goal is tried again
   * @param cleared the number of obstacles that the operation has had to remove
   * @param restaged whether the volume was staged again because its staging was found missing
   * @param spared whether the mount at the target must stay even if the goal is not reached,
   *     because a workload may be using it
   * @param notFound the answer in which the plugin did not find the volume; set once the control
   *     plane has been queried about the volume
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
   * A step whose result an operation waits for.
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
   * One position in a lifecycle, at which an operation waits for the result of a step. The
   * positions of a lifecycle are constants at the top of its source file, in order.
   *
   * @param name the name of the position, for developers
   * @param doing the work that is in progress, as a phrase for people
   * @param isForth true if the volume is being mounted or refreshed; false if it is being released
   * @param reached the crash point that the operation reaches with the result, if there is one
   * @param next decides the step that follows the result
   * @param <E> the result
   */
  public record Moment<E extends Event>(
      String name, String doing, boolean isForth, Optional<CrashPoint> reached, Next<E> next) {

    /** The position before the first step and after the last step. */
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
     * Decides the step that follows a result.
     *
     * @param <E> the result
     */
    @FunctionalInterface
    public interface Next<E extends Event> {

      /** Returns the operation with its next step. */
      Turn after(Turn turn, E event, Situation now);
    }

    /** Returns a position in the lifecycle of a mount or refresh. */
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
   * @param usage the use that the notice concerns; empty if the notice concerns the staging or the
   *     volume
   */
  public record Notice(OperatorCode code, String seen, Optional<VolumeUse> usage) {}

  /**
   * The facts that a decision depends on, apart from the operation itself.
   *
   * @param place the boot and the mount namespace
   * @param instance the process of the plugin; empty if it is not known
   * @param policy the policy for the plugin
   * @param quarantined the paths whose pending call may still be running, as uses; empty stands for
   *     the staging path
   * @param refused the uses without a mount that the plugin has refused to release often enough and
   *     for long enough
   * @param unanswered the uses with a publication that may still be running
   * @param barred why the engine must not call the plugin now; empty if calls are allowed
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
     * Returns this situation with a reason why the engine must not call the plugin, if the
     * situation has no such reason yet.
     */
    public Situation barredBy(Optional<Failure> also) {
      return also.isEmpty() || barred.isPresent()
          ? this
          : new Situation(place, instance, policy, quarantined, refused, unanswered, also, random);
    }

    /** Returns whether every publication of a use has certainly ended. */
    boolean isAnswered(VolumeUse usage) {
      return !unanswered.contains(usage);
    }

    /** Returns whether the pending call for the staging path may still be running. */
    boolean stagingQuarantined() {
      return quarantined.contains(Optional.empty());
    }

    /** Returns whether the pending call for a target may still be running. */
    boolean targetQuarantined(VolumeUse usage) {
      return quarantined.contains(Optional.of(usage));
    }
  }

  /** Returns an operation before its first step. */
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

  /** Returns the operation waiting for the result of a call. */
  Turn call(Moment<Event.Called> moment, Verb verb, Optional<VolumeUse> usage) {
    return with(tries.called()).await(moment, new Step.Call(verb, usage));
  }

  /** Returns the operation waiting before it repeats a call. */
  Turn pause(Moment<Event.Woke> moment, Duration time) {
    return await(moment, new Step.Pause(time));
  }

  /** Returns the operation after it has ended with a result. */
  Turn end(Result result) {
    return await(Moment.NONE, new Step.End(result));
  }

  /** Returns the operation after it has ended with a failure. */
  Turn end(Outcome outcome, Failure why) {
    return end(why.as(outcome));
  }

  /**
   * Returns the end of a mount or refresh that is no longer wanted, if the operation can stop now.
   * It can stop before a call, or instead of a pause or a query. Its effects so far are on record,
   * so the following release can undo them.
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

  /** Returns the crash point that the operation reaches when the step ends, if there is one. */
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

  /** Returns the operation with no attempts counted for the next call. */
  Turn fresh() {
    return with(Tries.NONE);
  }

  /** Returns the operation after the plugin has received a call or may have received it. */
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

  /** Returns the operation without notices, because they were reported. */
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

  /**
   * Returns the operation with a reason why its goal cannot be reached. If there is a reason
   * already, it stays.
   */
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

  /** Returns the operation after an obstacle was removed. */
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

  /** Returns the operation with the note that the volume is being staged again. */
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

  /**
   * Returns the operation with the note that the mount at the target must stay even if the goal is
   * not reached.
   */
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

  /**
   * Returns the operation with the answer in which the plugin did not find the volume, so that the
   * control plane is queried only once.
   */
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
