package io.csi4j.volume.internal.lifecycle;

import io.csi4j.volume.PathStatus;
import io.csi4j.volume.UsageKey;
import io.csi4j.volume.internal.record.Verb;
import io.csi4j.volume.internal.record.VolumeRecord;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * An operation at one moment: what it wants, how far it is, what is to be done next.
 *
 * @param goal what it wants
 * @param before what was remembered when it began
 * @param record what is so now, as far as it is known
 * @param phase which step it waits for
 * @param step that step
 * @param tries how often the present call was made
 * @param layers how many mounts were on top of each other when the present call was last made
 * @param refusals how often the plugin has answered the present call that it does not know the
 *     volume
 * @param sent the calls that the plugin has got, or may have
 * @param failure why the goal cannot be reached, once that is so: what follows undoes it
 * @param clearing what has to go before the goal can be begun with
 * @param cleared how often something had to go already
 * @param restaged whether staging was repeated because the plugin, or the mount table, said that it
 *     is missing
 * @param spared whether what is at the target stays there should the goal not be reached, as a
 *     workload may be using it
 * @param notices what came up in this step
 * @param saved the volume as it is on record, or is about to be
 */
public record Turn(
    Goal goal,
    VolumeRecord before,
    VolumeRecord record,
    Phase phase,
    Step step,
    int tries,
    int layers,
    int refusals,
    Set<Verb> sent,
    Optional<Failure> failure,
    Clearing clearing,
    int cleared,
    boolean restaged,
    boolean spared,
    List<Notice> notices,
    VolumeRecord saved) {

  /** What has to go before a volume can be published. */
  public enum Clearing {
    /** Nothing. */
    NOTHING,
    /** What is at the target. */
    TARGET,
    /** The staging. */
    STAGING
  }

  /** Copies the collections. */
  public Turn {
    sent = Set.copyOf(sent);
    notices = List.copyOf(notices);
  }

  /** An operation that has not begun. */
  static Turn of(Goal goal, VolumeRecord record) {
    return new Turn(
        goal,
        record,
        record,
        Phase.ENDED,
        new Step.Look(Optional.empty()),
        0,
        0,
        0,
        Set.of(),
        Optional.empty(),
        Clearing.NOTHING,
        0,
        false,
        false,
        List.of(),
        record);
  }

  /** Waits for this step from now on. */
  Turn to(Phase nextPhase, Step next) {
    VolumeRecord known = next instanceof Step.Save save ? save.record() : saved;
    return new Turn(
        goal, before, record, nextPhase, next, tries, layers, refusals, sent, failure, clearing,
        cleared, restaged, spared, notices, known);
  }

  /** Makes a call. */
  Turn call(Phase nextPhase, Verb verb, Optional<UsageKey> usage) {
    return new Turn(
        goal,
        before,
        record,
        nextPhase,
        new Step.Call(verb, usage),
        tries + 1,
        layers,
        refusals,
        sent,
        failure,
        clearing,
        cleared,
        restaged,
        spared,
        notices,
        saved);
  }

  /** The plugin has got a call, or may have. */
  Turn reached(Verb verb) {
    Set<Verb> all = EnumSet.of(verb);
    all.addAll(sent);
    return new Turn(
        goal, before, record, phase, step, tries, layers, refusals, all, failure, clearing, cleared,
        restaged, spared, notices, saved);
  }

  /** The plugin has answered that it does not know the volume. */
  Turn refused() {
    return new Turn(
        goal,
        before,
        record,
        phase,
        step,
        tries,
        layers,
        refusals + 1,
        sent,
        failure,
        clearing,
        cleared,
        restaged,
        spared,
        notices,
        saved);
  }

  Turn pause(Duration time) {
    return to(phase, new Step.Pause(time));
  }

  Turn end(Result result) {
    return to(Phase.ENDED, new Step.End(result));
  }

  /** The same operation, with this record. */
  public Turn with(VolumeRecord next) {
    return new Turn(
        goal, before, next, phase, step, tries, layers, refusals, sent, failure, clearing, cleared,
        restaged, spared, notices, saved);
  }

  /** Begins to count the tries anew. */
  Turn fresh() {
    return new Turn(
        goal, before, record, phase, step, 0, 0, 0, sent, failure, clearing, cleared, restaged,
        spared, notices, saved);
  }

  Turn seeing(int mounts) {
    return new Turn(
        goal, before, record, phase, step, tries, mounts, refusals, sent, failure, clearing,
        cleared, restaged, spared, notices, saved);
  }

  /** The goal cannot be reached; the first reason stays. */
  Turn failing(Failure why) {
    return new Turn(
        goal,
        before,
        record,
        phase,
        step,
        0,
        0,
        0,
        sent,
        failure.or(() -> Optional.of(why)),
        Clearing.NOTHING,
        cleared,
        restaged,
        spared,
        notices,
        saved);
  }

  Turn clearing(Clearing what) {
    return new Turn(
        goal,
        before,
        record,
        phase,
        step,
        0,
        0,
        0,
        sent,
        failure,
        what,
        cleared + (what == Clearing.NOTHING ? 0 : 1),
        restaged,
        spared,
        notices,
        saved);
  }

  Turn restaging() {
    return new Turn(
        goal, before, record, phase, step, 0, 0, 0, sent, failure, clearing, cleared, true, spared,
        notices, saved);
  }

  /** What is at the target stays there, whatever comes. */
  Turn sparing() {
    return new Turn(
        goal, before, record, phase, step, tries, layers, refusals, sent, failure, clearing,
        cleared, restaged, true, notices, saved);
  }

  Turn note(Notice notice) {
    List<Notice> all = new ArrayList<>(notices);
    all.add(notice);
    return new Turn(
        goal, before, record, phase, step, tries, layers, refusals, sent, failure, clearing,
        cleared, restaged, spared, all, saved);
  }

  Turn quiet() {
    return notices.isEmpty()
        ? this
        : new Turn(
            goal, before, record, phase, step, tries, layers, refusals, sent, failure, clearing,
            cleared, restaged, spared, List.of(), saved);
  }

  /** The use that the goal is about. */
  public Optional<UsageKey> usage() {
    if (goal instanceof Goal.Publish publish) {
      return Optional.of(publish.usage());
    }
    if (goal instanceof Goal.Withdraw withdraw) {
      return withdraw.usage();
    }
    return goal instanceof Goal.Release release ? Optional.of(release.usage()) : Optional.empty();
  }

  /** Whether the use stays on record though what is mounted for it goes. */
  boolean keepsUse(Rules rules) {
    if (!rules.on(Rule.USE_OUTLIVES_REPAIR)) {
      return false;
    }
    return goal instanceof Goal.Withdraw
        || (clearing == Clearing.TARGET
            && usage()
                .flatMap(record::target)
                .filter(target -> !target.path().is(PathStatus.GOING))
                .isPresent());
  }
}
