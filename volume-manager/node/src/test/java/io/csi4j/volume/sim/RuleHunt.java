package io.csi4j.volume.sim;

import io.csi4j.volume.internal.lifecycle.Rule;
import io.csi4j.volume.sim.Explorer.Limit;
import io.csi4j.volume.sim.Explorer.Tally;
import io.csi4j.volume.sim.Simulation.Outcome;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/** Turns one rule of the protocol off, and looks for the harm. */
final class RuleHunt {

  /** Those that are about plugins in trouble. */
  private static final Set<Rule> MENDING =
      EnumSet.of(
          Rule.USE_OUTLIVES_REPAIR,
          Rule.ALL_GONE_BEFORE_RESTAGE,
          Rule.WITHDRAW_BEFORE_PUBLISH,
          Rule.BARRED_GETS_NOTHING,
          Rule.PLUGIN_FIRST);

  /** A missing tombstone does harm in one of ten thousand histories; from here on it is near. */
  private static final long NEAR_A_MISSED_TOMBSTONE = 200_001;

  private RuleHunt() {}

  /** What was found, after how much. */
  record Catch(Rule rule, Optional<Outcome> outcome, long histories, double seconds) {
    String invariant() {
      return outcome.flatMap(Outcome::violation).map(Findings.Violation::invariant).orElse("none");
    }

    @Override
    public String toString() {
      return String.format(
          Locale.ROOT,
          "%-26s %-9s %,10d %8.1f  %s",
          rule,
          invariant(),
          histories,
          seconds,
          outcome
              .map(it -> it.setup() + ", " + it.violation().map(Object::toString).orElse(""))
              .orElse(""));
    }
  }

  /** Looks in all small histories first, then at random in larger and in long ones. */
  static Catch hunt(Rule rule, double seconds) {
    Tally tally = new Tally();
    // What a tombstone is for takes more than one thing that goes wrong.
    for (Setup setup : rule == Rule.TOMBSTONES ? List.<Setup>of() : setups(rule)) {
      double left = seconds - tally.seconds();
      if (left > 0 && tally.first().isEmpty()) {
        tally.plus(Explorer.exhaustive(setup.without(rule), Limit.seconds(left)));
      }
    }
    if (tally.first().isEmpty() && seconds > tally.seconds()) {
      tally.plus(
          Explorer.random(
              rule == Rule.TOMBSTONES ? NEAR_A_MISSED_TOMBSTONE : 1,
              Integer.MAX_VALUE,
              seed -> larger(rule, seed).without(rule),
              Limit.seconds(seconds - tally.seconds())));
    }
    return new Catch(rule, tally.first(), tally.histories(), tally.seconds());
  }

  /** By turns a short history with a crash and a fault, and a long one. */
  private static Setup larger(Rule rule, long seed) {
    if (rule == Rule.EPOCH_CONFIRMED) {
      return Setup.roam(true, false, 4, 6).claimed();
    }
    if (rule == Rule.TOMBSTONES) {
      return Setup.roam(true, false, 4, 6);
    }
    if (MENDING.contains(rule)) {
      return Setup.mend(seed % 2 == 0, 1, (int) (seed / 2 % 2));
    }
    boolean shared = seed / 2 % 2 == 0;
    boolean serialising = seed / 4 % 2 == 0;
    return seed % 2 == 0
        ? Setup.drill(shared, serialising, 1, 1)
        : Setup.roam(shared, serialising, 4, 6);
  }

  /** From the smallest on. */
  private static List<Setup> setups(Rule rule) {
    List<Setup> setups = new ArrayList<>();
    if (rule == Rule.EPOCH_CONFIRMED) {
      return List.of(Setup.drill(false, false, 0, 1).claimed());
    }
    if (MENDING.contains(rule)) {
      setups.add(Setup.mend(false, 0, 0));
      setups.add(Setup.mend(true, 0, 0));
      return setups;
    }
    int[][] budgets = {{0, 0}, {0, 1}, {1, 0}};
    for (int[] budget : budgets) {
      for (boolean shared : new boolean[] {false, true}) {
        for (boolean serialising : new boolean[] {true, false}) {
          Setup setup = Setup.drill(shared, serialising, budget[0], budget[1]);
          setups.add(setup);
          if (budget[0] + budget[1] == 0) {
            setups.add(setup.with(Setup.Drive.HURRY));
          }
        }
      }
    }
    return setups;
  }
}
