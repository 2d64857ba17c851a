package io.csi4j.volume.sim;

import io.csi4j.volume.internal.port.CrashPoint;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Plays one history. */
final class Simulation {

  private Simulation() {}

  /**
   * What came of it.
   *
   * @param setup what kind of history it was
   * @param script plays it again
   * @param violation what was broken, if anything was
   * @param events how much happened
   * @param simulated how many nanoseconds of the world passed
   * @param crashedAt at which points the host crashed
   * @param deviations what went otherwise than usual, for people
   * @param trace every event, when asked for
   * @param joined whether it ended where another history goes on from the same world
   */
  record Outcome(
      Setup setup,
      Script script,
      Optional<Findings.Violation> violation,
      long events,
      long simulated,
      Map<CrashPoint, Integer> crashedAt,
      List<String> deviations,
      List<String> trace,
      boolean joined) {}

  /** Plays the history in which these choices are made. */
  static Outcome play(Setup setup, Choices choices, boolean tracing) {
    return play(setup, choices, tracing, null);
  }

  /** The history in which nothing else goes wrong than that a seam of the engine tears. */
  static Outcome torn(Setup setup, Script script, Seams seams, boolean tracing) {
    return play(setup, Choices.scripted(script), tracing, null, seams);
  }

  /** The same up to the first of these crossroads, if any, that another history has come to. */
  static Outcome play(Setup setup, Choices choices, boolean tracing, Crossroads crossroads) {
    return play(setup, choices, tracing, crossroads, Seams.none());
  }

  private static Outcome play(
      Setup setup, Choices choices, boolean tracing, Crossroads crossroads, Seams seams) {
    Findings findings = new Findings(tracing);
    World world = new World(setup, choices, findings);
    world.tear(seams);
    world.joinAt(crossroads);
    try {
      if (setup.roams()) {
        new Roam(world).run();
      } else {
        new Drill(world).run();
        if (crossroads != null) {
          crossroads.ended(world);
        }
      }
    } catch (SimHost.Stop stop) {
      // What was found is in the findings.
    }
    return new Outcome(
        setup,
        choices.written(),
        Optional.ofNullable(findings.first()),
        findings.events(),
        world.time().elapsed().nanos(),
        world.crashedAt(),
        findings.isBroken() ? choices.deviations() : List.of(),
        findings.trace(),
        world.isJoined());
  }

  static Outcome play(Setup setup, Script script, boolean tracing) {
    return play(setup, Choices.scripted(script), tracing);
  }

  static Outcome random(Setup setup, long seed, boolean tracing) {
    return play(setup, Choices.random(seed), tracing);
  }
}
