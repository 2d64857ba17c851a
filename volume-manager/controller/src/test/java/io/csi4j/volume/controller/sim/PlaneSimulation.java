package io.csi4j.volume.controller.sim;

import io.csi4j.volume.controller.sim.PlaneWorld.Count;
import io.csi4j.volume.controller.sim.PlaneWorld.Play;
import io.csi4j.volume.controller.sim.PlaneWorld.Setup;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/** One history of control planes, by a seed. */
final class PlaneSimulation {

  /**
   * What came of a history.
   *
   * @param steps the number of steps
   * @param counts what was counted
   * @param violation what was broken, if something was
   * @param story what happened, if it was asked for
   */
  record Outcome(
      long steps, Map<Count, Long> counts, Optional<String> violation, List<String> story) {}

  private PlaneSimulation() {}

  /**
   * Plays a history: two or three control planes and one to three volumes, by its seed; each fifth
   * with snapshots.
   */
  static Outcome play(long seed, LostRule lost, boolean tells) {
    return play(
        new Play(
            seed,
            2 + (int) (seed % 2),
            1 + (int) (seed / 2 % 3),
            seed / 6 % 3 != 0,
            seed / 18 % 2 == 0,
            seed % 5 == 4,
            Duration.ofMinutes(3),
            lost,
            tells),
        PlaneWorld::play);
  }

  /** Plays a small setup; nothing if one was not halted, as it was done before that step. */
  static Optional<Outcome> play(Setup setup, boolean tells) {
    boolean[] isReached = new boolean[1];
    Outcome outcome =
        play(
            new Play(1, 3, 1, true, setup.together(), true, Duration.ofMinutes(5), null, tells),
            world -> isReached[0] = world.play(setup));
    return isReached[0] || outcome.violation().isPresent()
        ? Optional.of(outcome)
        : Optional.empty();
  }

  private static Outcome play(Play play, Consumer<PlaneWorld> course) {
    PlaneWorld world = new PlaneWorld(play);
    Optional<String> violation = Optional.empty();
    try {
      course.accept(world);
    } catch (AssertionError broken) {
      if (broken.getCause() != null) {
        throw broken;
      }
      violation = Optional.of(String.valueOf(broken.getMessage()));
    }
    return new Outcome(world.timeline.steps(), new EnumMap<>(world.counts), violation, world.story);
  }
}
