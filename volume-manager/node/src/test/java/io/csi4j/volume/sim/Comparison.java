package io.csi4j.volume.sim;

import io.csi4j.volume.sim.Explorer.Limit;
import io.csi4j.volume.sim.Explorer.Tally;
import java.util.List;
import java.util.Set;

/**
 * All histories of a setup, each to its end, beside those that are left when histories join: both
 * have to come to the same worlds and break the same invariants.
 *
 * @param full what came of all
 * @param joined what came of those that are left
 * @param worlds the worlds that all came to
 * @param joinedWorlds those that the others came to
 */
record Comparison(
    Tally full, Tally joined, Set<Canonical.Key> worlds, Set<Canonical.Key> joinedWorlds) {

  static Comparison of(Setup setup, Limit limit) {
    Crossroads all = Crossroads.onlyRecording();
    Crossroads some = Crossroads.recording(Set.of());
    Tally full = Explorer.exhaustive(setup, limit, all);
    Tally joined = Explorer.exhaustive(setup, limit, some);
    return new Comparison(full, joined, all.recorded(), some.recorded());
  }

  /** The small setups that a mutant of the engine is compared in: where they differ, in words. */
  static String differences() {
    StringBuilder differences = new StringBuilder();
    for (Setup setup : List.of(Setup.drill(false, false, 1, 0), Setup.drill(true, true, 0, 1))) {
      Comparison both = of(setup, new Limit(Long.MAX_VALUE, 600, false, 2));
      if (!both.isSame() || both.joined().joined() == 0) {
        differences.append(setup).append(": ").append(both).append('\n');
      }
    }
    return differences.toString();
  }

  boolean isSame() {
    return full.isComplete()
        && joined.isComplete()
        && worlds.equals(joinedWorlds)
        && full.violations().keySet().equals(joined.violations().keySet())
        && full.crashedAt().keySet().equals(joined.crashedAt().keySet());
  }

  @Override
  public String toString() {
    return (isSame() ? "the same " : "DIFFERENT: ")
        + worlds.size()
        + " and "
        + joinedWorlds.size()
        + " worlds\n  in full: "
        + full
        + "\n  joined:  "
        + joined;
  }
}
