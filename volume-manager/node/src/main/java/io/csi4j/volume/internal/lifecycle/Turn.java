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
 * An operation at one moment: its goal, how far it is, and the step that it waits for.
 *
 * @param goal the goal
 * @param before the volume when the operation began
 * @param record the volume now, as far as it is known
 * @param saved the volume as it is on record, or is about to be
 * @param awaited the step that it waits for
 * @param tries how often the present call was made, and how that ended
 * @param sent the calls that the plugin has got, or may have
 * @param detour why it is not on the straight way to its goal, if it is not
 * @param notices what came up in this step
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
   * @param calls how often it was made
   * @param layers how many mounts were on top of each other when it was last made
   * @param unknown how often the plugin has answered that it does not know the volume, or OK while
   *     as many mounts stayed as there were before
   * @param refusal what the plugin said that the mount table has to confirm, if it said such a
   *     thing
   */
  public record Tries(int calls, int layers, int unknown, Optional<Failure> refusal) {

    static final Tries NONE = new Tries(0, 0, 0, Optional.empty());

    Tries seeing(int mounts) {
      return new Tries(calls, mounts, unknown, refusal);
    }

    /** The plugin has answered OK, and so many mounts are there. */
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
   * A departure from the straight way to the goal.
   *
   * @param failure why the goal cannot be reached, once that is so: what follows undoes it
   * @param clearing what has to go before the goal is tried again
   * @param cleared how often something had to go already
   * @param restaged whether staging was repeated because the plugin, or the mount table, said that
   *     it is missing
   * @param spared whether what is at the target stays there should the goal not be reached, as a
   *     workload may be using it
   * @param notFound the answer with which the plugin did not find the volume, once the control
   *     plane was asked about that
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

  /** The obstacle that has to go before a volume can be published. */
  public enum Clearing {
    /** Nothing. */
    NOTHING,
    /** The mount at the target. */
    TARGET,
    /** The staging. */
    STAGING
  }

  /**
   * A step whose answer an operation waits for.
   *
   * @param moment where in its story the operation is
   * @param step the step
   * @param <E> the answer
   */
  public record Awaited<E extends Event>(Moment<E> moment, Step<E> step) {

    /** The operation with its next step, now that this is the answer. */
    public Turn answered(Turn turn, E event, Situation now) {
      return moment.next().after(turn.quiet(), event, now);
    }
  }

  /**
   * One moment of a story: an operation waits for the answer to a step. The moments of a story are
   * constants, listed in its order at the top of its file.
   *
   * @param name its name, for developers
   * @param doing what is being done meanwhile, as a phrase for people
   * @param isForth whether the volume is on its way to a workload, rather than back
   * @param reached the point that the operation has reached with the answer, where it has a name
   * @param next what follows the answer
   * @param <E> the answer
   */
  public record Moment<E extends Event>(
      String name, String doing, boolean isForth, Optional<CrashPoint> reached, Next<E> next) {

    /** The moment before the first step and after the last one. */
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
     * Decides what follows an answer.
     *
     * @param <E> the answer
     */
    @FunctionalInterface
    public interface Next<E extends Event> {

      /** The operation with its next step. */
      Turn after(Turn turn, E event, Situation now);
    }

    /** A moment of the way to a workload. */
    static <E extends Event> Moment<E> forth(String name, String doing, Next<E> next) {
      return new Moment<>(name, doing, true, Optional.empty(), next);
    }

    /** A moment of the way back. */
    static <E extends Event> Moment<E> back(String name, String doing, Next<E> next) {
      return new Moment<>(name, doing, false, Optional.empty(), next);
    }

    /** Returns this moment, whose answer reaches this point. */
    Moment<E> reaching(CrashPoint point) {
      return new Moment<>(name, doing, isForth, Optional.of(point), next);
    }

    @Override
    public String toString() {
      return name;
    }
  }

  /**
   * Something that an operator may want to know.
   *
   * @param code what
   * @param seen what was seen, as a clause
   * @param usage the use, if it is about one; else the staging or the whole volume
   */
  public record Notice(OperatorCode code, String seen, Optional<VolumeUse> usage) {}

  /**
   * The world at the moment of a decision.
   *
   * @param place the boot and the mount namespace
   * @param instance the process that is the plugin; empty when it is not known
   * @param policy how the plugin is treated
   * @param quarantined the targets, and the staging (empty), whose pending call may be going on
   * @param refused the uses that the plugin has refused to release often and long enough, while
   *     nothing was mounted for them
   * @param unanswered the uses of which a publication may not have ended, in the plugin or at all
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

    /** Returns this situation, where this keeps the plugin from getting calls, too. */
    public Situation barredBy(Optional<Failure> also) {
      return also.isEmpty() || barred.isPresent()
          ? this
          : new Situation(place, instance, policy, quarantined, refused, unanswered, also, random);
    }

    /** Whether every publication of a use has ended. */
    boolean isAnswered(VolumeUse usage) {
      return !unanswered.contains(usage);
    }

    /** Whether the pending call of the staging may be going on. */
    boolean stagingQuarantined() {
      return quarantined.contains(Optional.empty());
    }

    /** Whether the pending call of a target may be going on. */
    boolean targetQuarantined(VolumeUse usage) {
      return quarantined.contains(Optional.of(usage));
    }
  }

  /** An operation that has not begun. */
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

  // ---- what it waits for

  /** Waits for the answer to this step. */
  <E extends Event> Turn await(Moment<E> moment, Step<E> step) {
    VolumeRecord written = step instanceof Step.Save save ? save.record() : saved;
    return new Turn(
        goal, before, record, written, new Awaited<>(moment, step), tries, sent, detour, notices);
  }

  /** Makes a call. */
  Turn call(Moment<Event.Called> moment, Verb verb, Optional<VolumeUse> usage) {
    return with(tries.called()).await(moment, new Step.Call(verb, usage));
  }

  /** Waits this long before the same call is made again. */
  Turn pause(Moment<Event.Woke> moment, Duration time) {
    return await(moment, new Step.Pause(time));
  }

  /** Ends. */
  Turn end(Result result) {
    return await(Moment.NONE, new Step.End(result));
  }

  /** Ends without success. */
  Turn end(Outcome outcome, Failure why) {
    return end(why.as(outcome));
  }

  /**
   * The end of a publication, or a refresh, that is not wanted any more, where it can be left:
   * before a call, and instead of a pause or a question. What it has done is on record, for the
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
                Failure.of(OperatorCode.SUPERSEDED, "its release was asked for in the meantime")))
        : Optional.empty();
  }

  /** The step that it waits for. */
  public Step<?> step() {
    return awaited.step();
  }

  /** Returns the step as a phrase for people. */
  public String doing() {
    return awaited.moment().doing();
  }

  /** The point that it has reached once the step has ended, where that has a name. */
  public Optional<CrashPoint> reached() {
    return awaited.moment().reached();
  }

  /** How it ended, if it has. */
  public Optional<Result> result() {
    return step() instanceof Step.End end ? Optional.of(end.result()) : Optional.empty();
  }

  // ---- what it knows

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

  /** The plugin has got a call, or may have. */
  Turn reached(Verb verb) {
    Set<Verb> all = EnumSet.of(verb);
    all.addAll(sent);
    return new Turn(goal, before, record, saved, awaited, tries, all, detour, notices);
  }

  /** One more thing came up. */
  Turn note(Notice notice) {
    List<Notice> all = new ArrayList<>(notices);
    all.add(notice);
    return new Turn(goal, before, record, saved, awaited, tries, sent, detour, all);
  }

  /** Returns the operation without the notices that were told. */
  Turn quiet() {
    return notices.isEmpty()
        ? this
        : new Turn(goal, before, record, saved, awaited, tries, sent, detour, List.of());
  }

  // ---- detours

  /** Why the goal cannot be reached, once that is so. */
  Optional<Failure> failure() {
    return detour.failure();
  }

  /** Returns the obstacle that has to go before the goal is tried again. */
  Clearing clearing() {
    return detour.clearing();
  }

  /** The goal cannot be reached; the first reason stays. */
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

  /** This has to go before the goal is tried again. */
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

  /** Nothing is in the way any more. */
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

  /** The volume is staged once more. */
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

  /** Returns the operation that leaves the mount at the target, should its goal not be reached. */
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

  /** The control plane is asked about a volume that the plugin did not find. */
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

  // ---- what it is about

  /** The use that the goal is about. */
  public Optional<VolumeUse> usage() {
    return goal.use();
  }

  /** The goal of a mount, or of a refresh. */
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
   * Returns the epoch of the claim that allows the mount: of that which its request names, or else
   * of that under which its use was on record; 0 when it needs none.
   */
  long epoch() {
    MountRequest request = mount().request();
    return request
        .claim()
        .map(ClaimGrant::epoch)
        .orElseGet(() -> before.claim(request.usage()).epoch());
  }
}
