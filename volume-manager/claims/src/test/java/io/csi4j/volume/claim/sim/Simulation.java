package io.csi4j.volume.claim.sim;

import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;

/** One history of claims, by a seed. */
final class Simulation {

  /**
   * What came of it.
   *
   * @param operations how many operations were begun
   * @param steps how many effects and changes of turns there were
   * @param counts what was counted
   * @param violation what was broken, if something was
   */
  record Outcome(
      long operations, long steps, Map<World.Count, Long> counts, Optional<String> violation) {}

  private Simulation() {}

  /**
   * Plays it.
   *
   * @param coordinators how many processes work at the same claims
   * @param defect the rule that is not kept; null for none
   */
  static Outcome play(long seed, long operations, int coordinators, Defect defect, boolean tells) {
    World world = new World(seed, operations, coordinators, defect, tells);
    Optional<String> violation = Optional.empty();
    try {
      world.turns().play();
      world.chaos.finish();
    } catch (AssertionError broken) {
      violation = Optional.of(String.valueOf(broken.getMessage()));
      if (broken.getCause() != null) {
        throw broken;
      }
    }
    return new Outcome(
        world.turns().operations(), world.turns().steps(), new EnumMap<>(world.counts), violation);
  }
}
