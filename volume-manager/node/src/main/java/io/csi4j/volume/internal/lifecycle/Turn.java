package io.csi4j.volume.internal.lifecycle;

import io.csi4j.volume.internal.record.Verb;
import io.csi4j.volume.internal.record.VolumeRecord;
import io.csi4j.volume.model.UsageKey;
import io.csi4j.volume.node.PathStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

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

  /** A turn in which something is being changed; begins as a copy. */
  private static final class Draft {
    private final Turn from;
    private VolumeRecord record;
    private Phase phase;
    private Step step;
    private int tries;
    private int layers;
    private int refusals;
    private Set<Verb> sent;
    private Optional<Failure> failure;
    private Clearing clearing;
    private int cleared;
    private boolean restaged;
    private boolean spared;
    private List<Notice> notices;
    private VolumeRecord saved;

    Draft(Turn from) {
      this.from = from;
      record = from.record;
      phase = from.phase;
      step = from.step;
      tries = from.tries;
      layers = from.layers;
      refusals = from.refusals;
      sent = from.sent;
      failure = from.failure;
      clearing = from.clearing;
      cleared = from.cleared;
      restaged = from.restaged;
      spared = from.spared;
      notices = from.notices;
      saved = from.saved;
    }

    /** Begins to count the tries anew. */
    void fresh() {
      tries = 0;
      layers = 0;
      refusals = 0;
    }

    Turn turn() {
      return new Turn(
          from.goal,
          from.before,
          record,
          phase,
          step,
          tries,
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
  }

  private Turn but(Consumer<Draft> change) {
    Draft draft = new Draft(this);
    change.accept(draft);
    return draft.turn();
  }

  /** Waits for this step from now on. */
  Turn to(Phase nextPhase, Step next) {
    return but(
        draft -> {
          draft.phase = nextPhase;
          draft.step = next;
          draft.saved = next instanceof Step.Save save ? save.record() : saved;
        });
  }

  /** Makes a call. */
  Turn call(Phase nextPhase, Verb verb, Optional<UsageKey> usage) {
    return to(nextPhase, new Step.Call(verb, usage)).but(draft -> draft.tries++);
  }

  /** The plugin has got a call, or may have. */
  Turn reached(Verb verb) {
    Set<Verb> all = EnumSet.of(verb);
    all.addAll(sent);
    return but(draft -> draft.sent = all);
  }

  /** The plugin has answered that it does not know the volume. */
  Turn refused() {
    return but(draft -> draft.refusals++);
  }

  Turn pause(Duration time) {
    return to(phase, new Step.Pause(time));
  }

  Turn end(Result result) {
    return to(Phase.ENDED, new Step.End(result));
  }

  /** The same operation, with this record. */
  public Turn with(VolumeRecord next) {
    return but(draft -> draft.record = next);
  }

  /** Begins to count the tries anew. */
  Turn fresh() {
    return but(Draft::fresh);
  }

  Turn seeing(int mounts) {
    return but(draft -> draft.layers = mounts);
  }

  /** The goal cannot be reached; the first reason stays. */
  Turn failing(Failure why) {
    return but(
        draft -> {
          draft.fresh();
          draft.failure = failure.or(() -> Optional.of(why));
          draft.clearing = Clearing.NOTHING;
        });
  }

  Turn clearing(Clearing what) {
    return but(
        draft -> {
          draft.fresh();
          draft.clearing = what;
          draft.cleared += what == Clearing.NOTHING ? 0 : 1;
        });
  }

  Turn restaging() {
    return but(
        draft -> {
          draft.fresh();
          draft.restaged = true;
        });
  }

  /** What is at the target stays there, whatever comes. */
  Turn sparing() {
    return but(draft -> draft.spared = true);
  }

  Turn note(Notice notice) {
    List<Notice> all = new ArrayList<>(notices);
    all.add(notice);
    return but(draft -> draft.notices = all);
  }

  Turn quiet() {
    return notices.isEmpty() ? this : but(draft -> draft.notices = List.of());
  }

  /** The use that the goal is about. */
  public Optional<UsageKey> usage() {
    if (goal instanceof Goal.Publish publish) {
      return Optional.of(publish.usage());
    }
    if (goal instanceof Goal.Withdraw withdraw) {
      return withdraw.usage();
    }
    if (goal instanceof Goal.Abandon abandon) {
      return Optional.of(abandon.usage());
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
