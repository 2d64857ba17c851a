package io.csi4j.volume.sim;

import io.csi4j.volume.sim.Explorer.Limit;
import io.csi4j.volume.sim.Explorer.Tally;
import io.csi4j.volume.sim.Simulation.Outcome;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/** Looks for the harm of a mutant: in its own classes, where the engine is the mutant. */
final class MutantHunt {

  /** Those that are about plugins in trouble. */
  private static final Set<Mutant> MENDING =
      EnumSet.of(
          Mutant.USE_OUTLIVES_REPAIR,
          Mutant.ALL_GONE_BEFORE_RESTAGE,
          Mutant.WITHDRAW_BEFORE_PUBLISH,
          Mutant.BARRED_GETS_NOTHING,
          Mutant.PLUGIN_FIRST);

  /** Those that are about refreshes. */
  private static final Set<Mutant> REFRESHING =
      EnumSet.of(
          Mutant.REFRESH_LEAVES_THE_MOUNT,
          Mutant.REFRESH_OVER_THE_MOUNT,
          Mutant.REFRESH_WAITS_FOR_ITS_END,
          Mutant.REFRESH_IS_SENT,
          Mutant.REFRESH_ON_RECORD);

  /** Those that are about inline volumes. */
  private static final Set<Mutant> INLINE =
      EnumSet.of(
          Mutant.INLINE_IS_NOT_STAGED,
          Mutant.INLINE_IS_NOT_UNSTAGED,
          Mutant.INLINE_HAS_ONE_ID,
          Mutant.INTENT_NAMES_THE_CALL);

  /** Those that are about a plugin which refuses to unpublish what is not mounted. */
  private static final Set<Mutant> REFUSING = EnumSet.of(Mutant.UNSEEN_IS_GIVEN_UP);

  /** A missing tombstone does harm in one of ten thousand histories; from here on it is near. */
  private static final long NEAR_A_MISSED_TOMBSTONE = 200_001;

  private MutantHunt() {}

  /**
   * What was found, after how much.
   *
   * @param mutant the mutant
   * @param harm the invariant that broke
   * @param found the history in which it broke, for people
   * @param isShrunk whether the smallest history breaks the same, when it is played again
   * @param histories how many were played
   * @param seconds how long that took
   */
  record Catch(
      Mutant mutant, String harm, String found, boolean isShrunk, long histories, double seconds) {

    boolean isCaught() {
      return mutant.harms().contains(harm) && isShrunk;
    }

    @Override
    public String toString() {
      return String.format(
          Locale.ROOT, "%-26s %-9s %,10d %8.1f  %s", mutant, harm, histories, seconds, found);
    }
  }

  /** Looks for the harm of a mutant, for so many seconds. */
  static Catch of(Mutant mutant, double seconds) {
    Object[] told =
        (Object[])
            MutantLoader.call(mutant, MutantHunt.class, "among", mutant.name(), (Double) seconds);
    return new Catch(
        mutant,
        (String) told[0],
        (String) told[1],
        (Boolean) told[2],
        (Long) told[3],
        (Double) told[4]);
  }

  /** The same among the mutant's own classes; what it tells is of no class of ours. */
  static Object[] among(String mutant, Double seconds) {
    Tally tally = hunt(Mutant.valueOf(mutant), seconds);
    Optional<Outcome> found = tally.first();
    return new Object[] {
      found.flatMap(Outcome::violation).map(Findings.Violation::invariant).orElse("none"),
      found
          .map(it -> it.setup() + ", " + it.violation().map(Object::toString).orElse(""))
          .orElse(""),
      found.filter(MutantHunt::isShrunk).isPresent(),
      tally.histories(),
      tally.seconds()
    };
  }

  private static boolean isShrunk(Outcome found) {
    Outcome smallest = Explorer.shrink(found);
    return smallest.script().deviations() <= found.script().deviations()
        && Simulation.play(smallest.setup(), smallest.script(), true)
            .violation()
            .equals(smallest.violation());
  }

  /** Looks in all small histories first, then at random in larger and in long ones. */
  private static Tally hunt(Mutant mutant, double seconds) {
    Tally tally = new Tally();
    // What a tombstone is for takes more than one thing that goes wrong.
    for (Setup setup : mutant == Mutant.TOMBSTONES ? List.<Setup>of() : setups(mutant)) {
      double left = seconds - tally.seconds();
      if (left > 0 && tally.first().isEmpty()) {
        tally.plus(Explorer.exhaustive(setup, Limit.seconds(left)));
      }
    }
    if (tally.first().isEmpty() && seconds > tally.seconds()) {
      tally.plus(
          Explorer.random(
              mutant == Mutant.TOMBSTONES ? NEAR_A_MISSED_TOMBSTONE : 1,
              Integer.MAX_VALUE,
              seed -> larger(mutant, seed),
              Limit.seconds(seconds - tally.seconds())));
    }
    return tally;
  }

  /** By turns a short history with a crash and a fault, and a long one. */
  private static Setup larger(Mutant mutant, long seed) {
    if (mutant == Mutant.EPOCH_CONFIRMED || mutant == Mutant.GONE_UNTIL_ASKED) {
      return Setup.roam(true, false, 4, 6).claimed();
    }
    if (mutant == Mutant.TOMBSTONES || mutant == Mutant.OTHERS_ARE_SPARED) {
      return Setup.roam(true, false, 4, 6);
    }
    if (mutant == Mutant.HEALTH_TAKES_ITS_TURN) {
      return Setup.roam(true, false, 4, 6).watching();
    }
    if (REFRESHING.contains(mutant)) {
      return Setup.drill(seed % 2 == 0, false, 1, 1).refreshing();
    }
    if (INLINE.contains(mutant)) {
      return Setup.drill(seed % 2 == 0, false, 1, 1).inlining();
    }
    if (REFUSING.contains(mutant)) {
      return Setup.drill(seed % 2 == 0, false, 1, 1).refusing();
    }
    if (MENDING.contains(mutant)) {
      return Setup.mend(seed % 2 == 0, 1, (int) (seed / 2 % 2));
    }
    boolean shared = seed / 2 % 2 == 0;
    boolean serialising = seed / 4 % 2 == 0;
    return seed % 2 == 0
        ? Setup.drill(shared, serialising, 1, 1)
        : Setup.roam(shared, serialising, 4, 6);
  }

  /** From the smallest on. */
  private static List<Setup> setups(Mutant mutant) {
    List<Setup> setups = new ArrayList<>();
    if (mutant == Mutant.EPOCH_CONFIRMED) {
      return List.of(Setup.drill(false, false, 0, 1).claimed());
    }
    if (mutant == Mutant.HEALTH_TAKES_ITS_TURN
        || mutant == Mutant.OTHERS_ARE_SPARED
        || mutant == Mutant.GONE_UNTIL_ASKED) {
      return List.of();
    }
    if (REFRESHING.contains(mutant)) {
      return List.of(
          Setup.drill(false, false, 0, 0).refreshing(),
          Setup.drill(false, false, 0, 1).refreshing(),
          Setup.drill(false, false, 1, 0).refreshing());
    }
    if (INLINE.contains(mutant)) {
      return List.of(
          Setup.drill(false, false, 0, 0).inlining(),
          Setup.drill(false, false, 0, 1).inlining(),
          Setup.drill(false, false, 1, 0).inlining());
    }
    if (REFUSING.contains(mutant)) {
      return List.of(Setup.drill(false, false, 0, 1).refusing());
    }
    if (MENDING.contains(mutant)) {
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
