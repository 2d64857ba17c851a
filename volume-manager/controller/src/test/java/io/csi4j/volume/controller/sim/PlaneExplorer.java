package io.csi4j.volume.controller.sim;

import io.csi4j.volume.controller.sim.PlaneSimulation.Outcome;
import io.csi4j.volume.controller.sim.PlaneWorld.Course;
import io.csi4j.volume.controller.sim.PlaneWorld.Request;
import io.csi4j.volume.controller.sim.PlaneWorld.Setup;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** All small setups: each step at which a control plane may be killed, or stopped. */
final class PlaneExplorer {

  private PlaneExplorer() {}

  /**
   * Setups that differ only in the steps.
   *
   * @param course as in {@link Setup}
   * @param together as in {@link Setup}
   * @param stops as in {@link Setup}
   * @param then as in {@link Setup}
   */
  record Family(Course course, boolean together, boolean stops, Request then) {

    /** Returns all of them. Snapshots concern the records of volumes alone. */
    static Stream<Family> all() {
      return Stream.concat(
          of(
              Course.VOLUME,
              List.of(true, false),
              List.of(Request.NONE, Request.CREATE, Request.DELETE, Request.EXPAND, Request.USE)),
          of(
              Course.SNAPSHOTS,
              List.of(true),
              List.of(Request.NONE, Request.CUT, Request.KEEP, Request.DROP, Request.DELETE)));
    }

    private static Stream<Family> of(
        Course course, List<Boolean> together, List<Request> requests) {
      return together.stream()
          .flatMap(
              isTogether ->
                  requests.stream()
                      .flatMap(
                          then ->
                              Stream.of(false, true)
                                  .map(stops -> new Family(course, isTogether, stops, then))));
    }

    private Setup at(long step) {
      return new Setup(course, together, step, stops, then, 0);
    }
  }

  /**
   * Plays all setups of a family, and returns the first in which something is broken.
   *
   * @param killsBoth whether the other control plane is killed at each of its steps, too
   * @param played receives each setup
   */
  static Optional<Setup> broken(Family family, boolean killsBoth, Consumer<Setup> played) {
    return broken(family, 1, killsBoth, played);
  }

  /** Plays a part of them, in which the control plane is killed at each {@code stride}-th step. */
  static Optional<Setup> broken(
      Family family, int stride, boolean killsBoth, Consumer<Setup> played) {
    for (long at = 1; ; at += stride) {
      Setup one = family.at(at);
      Optional<Outcome> outcome = played(one, played);
      if (outcome.isEmpty()) {
        return Optional.empty();
      }
      if (outcome.get().violation().isPresent()) {
        return Optional.of(one);
      }
      Optional<Setup> broken =
          killsBoth && family.then() != Request.NONE ? brokenTwice(one, played) : Optional.empty();
      if (broken.isPresent()) {
        return broken;
      }
    }
  }

  private static Optional<Setup> brokenTwice(Setup one, Consumer<Setup> played) {
    for (long at = 1; ; at++) {
      Setup both = new Setup(one.course(), one.together(), one.at(), one.stops(), one.then(), at);
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
