package io.csi4j.volume.sim;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.mount.campaign.PlayedInShares;
import io.csi4j.volume.internal.text.CapturedLog;
import io.csi4j.volume.sim.Seams.Seam;
import io.csi4j.volume.sim.Simulation.Outcome;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.logging.Level;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * An error of no known kind is thrown at a seam of the engine, each time that the seam is passed in
 * a history, before or after the port has done its work: no invariant breaks, every caller gets an
 * answer, and nothing is left in the end.
 */
@Isolated("Reads the log of the modules.")
class TornSeamsTest {

  /** Does not divide the number of steps of any operation. */
  private static final int STRIDE = 41;

  static Stream<Setup> histories() {
    return Stream.of(
        Setup.drill(true, false, 0, 0),
        Setup.drill(false, true, 0, 0),
        Setup.drill(true, false, 0, 0).with(Setup.Drive.HURRY),
        Setup.drill(true, false, 0, 0).claimed(),
        Setup.drill(true, false, 0, 0).watching(),
        Setup.drill(true, false, 0, 0).refreshing(),
        Setup.mend(true, 0, 0),
        Setup.mend(true, 0, 0).watching());
  }

  @Tag("campaign")
  @PlayedInShares
  @ParameterizedTest
  @MethodSource("histories")
  void anErrorAtAnySeamEndsTheOperationOrIsMadeUpFor(Setup setup) {
    assertThat(broken(setup, 1)).isEmpty();
  }

  @Test
  void anErrorAtASeamEndsTheOperationOrIsMadeUpFor() {
    assertThat(histories().flatMap(setup -> broken(setup, STRIDE).stream())).isEmpty();
  }

  @Test
  void everySeamIsPassed() {
    Seams seams = Seams.counting();
    Simulation.torn(Setup.drill(true, false, 0, 0).claimed(), Script.of(0), seams, false);
    assertThat(seams.passed().keySet()).containsExactlyInAnyOrder(Seam.values());
  }

  /**
   * A listener that was told, with an error after that, is told again: a beginning may be the one
   * thing that nobody has heard of.
   */
  private static boolean[] times(Seam seam) {
    return seam == Seam.LISTENERS ? new boolean[] {false} : new boolean[] {false, true};
  }

  /** Tears each seam at each n-th time that it is passed; returns what broke. */
  private static List<String> broken(Setup setup, int stride) {
    try (CapturedLog log = CapturedLog.ofVolumes()) {
      List<String> broken = torn(setup, stride);
      assertThat(log.messages(Level.SEVERE))
          .isNotEmpty()
          .allMatch(
              line ->
                  line.matches(
                      "(Working on|Looking after) volume .* failed\\. Report " + "this\\."));
      return broken;
    }
  }

  private static List<String> torn(Setup setup, int stride) {
    Seams whole = Seams.counting();
    Simulation.torn(setup, Script.of(0), whole, false);
    List<String> broken = new ArrayList<>();
    for (Map.Entry<Seam, Integer> seam : whole.passed().entrySet()) {
      for (int at = 1; at <= seam.getValue(); at += stride) {
        for (boolean afterwards : times(seam.getKey())) {
          Seams tearing = Seams.tearing(seam.getKey(), at, afterwards);
          Outcome outcome = Simulation.torn(setup, Script.of(0), tearing, false);
          outcome
              .violation()
              .map(
                  violation ->
                      "%s, %s the %d. time %s: %s"
                          .formatted(
                              setup,
                              seam.getKey(),
                              tearing.at(),
                              afterwards ? "afterwards" : "before",
                              violation))
              .ifPresent(broken::add);
        }
      }
    }
    return broken;
  }
}
