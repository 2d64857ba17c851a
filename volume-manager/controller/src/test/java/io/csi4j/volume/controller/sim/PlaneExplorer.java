package io.csi4j.volume.controller.sim;

import io.csi4j.volume.controller.sim.PlaneSimulation.Outcome;
import io.csi4j.volume.controller.sim.PlaneWorld.Request;
import io.csi4j.volume.controller.sim.PlaneWorld.Setup;
import java.util.Optional;
import java.util.function.Consumer;

/** All small setups: each step at which a control plane may be killed, or stopped. */
final class PlaneExplorer {

  private PlaneExplorer() {}

  /**
   * Plays all setups, and returns the first in which something is broken.
   *
   * @param killsBoth whether the other control plane is killed at each of its steps, too
   * @param played told of each setup
   */
  static Optional<Setup> broken(boolean killsBoth, Consumer<Setup> played) {
    return broken(true, killsBoth, played).or(() -> broken(false, killsBoth, played));
  }

  private static Optional<Setup> broken(
      boolean together, boolean killsBoth, Consumer<Setup> played) {
    for (Request then : Request.values()) {
      for (boolean stops : new boolean[] {false, true}) {
        for (long at = 1; ; at++) {
          Setup one = new Setup(together, at, stops, then, 0);
          Optional<Outcome> outcome = played(one, played);
          if (outcome.isEmpty()) {
            break;
          }
          if (outcome.get().violation().isPresent()) {
            return Optional.of(one);
          }
          Optional<Setup> broken =
              killsBoth && then != Request.NONE ? brokenTwice(one, played) : Optional.empty();
          if (broken.isPresent()) {
            return broken;
          }
        }
      }
    }
    return Optional.empty();
  }

  private static Optional<Setup> brokenTwice(Setup one, Consumer<Setup> played) {
    for (long at = 1; ; at++) {
      Setup both = new Setup(one.together(), one.at(), one.stops(), one.then(), at);
      Optional<Outcome> outcome = played(both, played);
      if (outcome.isEmpty()) {
        return Optional.empty();
      }
      if (outcome.get().violation().isPresent()) {
        return Optional.of(both);
      }
    }
  }

  private static Optional<Outcome> played(Setup setup, Consumer<Setup> played) {
    played.accept(setup);
    return PlaneSimulation.play(setup, false);
  }
}
