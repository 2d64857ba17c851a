package io.csi4j.volume.sim;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.volume.internal.port.CrashPoint;
import io.csi4j.volume.sim.Explorer.Limit;
import io.csi4j.volume.sim.Explorer.Tally;
import io.csi4j.volume.sim.Simulation.Outcome;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The engine in the simulator: many histories, and no invariant is broken in any. {@code
 * volume-manager/node/simulate} goes through more of them.
 */
class SimulatorTest {

  private static final Limit NONE = new Limit(Long.MAX_VALUE, 600, true, 2);

  private static void assertSound(Tally tally) {
    assertThat(tally.first().map(Explorer::shrink).map(Explorer::story)).isEmpty();
  }

  private static Tally allOf(Setup setup) {
    Tally tally = Explorer.exhaustive(setup, NONE);
    assertSound(tally);
    assertThat(tally.isComplete()).isTrue();
    return tally;
  }

  @Tag("campaign")
  @Test
  void noInvariantBreaksInAnyHistoryWithOneCrashAndOneFault() {
    Tally all = new Tally();
    for (boolean shared : new boolean[] {false, true}) {
      all.plus(allOf(Setup.drill(shared, false, 1, 1)));
      // A plugin that refuses a second call can do less harm, so it gets less.
      all.plus(allOf(Setup.drill(shared, true, 1, 0)));
      all.plus(allOf(Setup.drill(shared, true, 0, 1)));
    }

    assertThat(all.crashedAt().keySet()).containsExactlyInAnyOrder(CrashPoint.values());
    assertThat(all.crashedAt().values()).allMatch(times -> times >= 2);
  }

  @Test
  void noInvariantBreaksInAnyHistoryWithOneCrash() {
    allOf(Setup.drill(false, true, 1, 0));
    allOf(Setup.mend(true, 0, 0));
  }

  @Test
  void noInvariantBreaksWhenOperationsOverlap() {
    allOf(Setup.drill(true, false, 0, 1).with(Setup.Drive.HURRY));
  }

  @Tag("campaign")
  @Test
  void noInvariantBreaksWhenOperationsOnAVolumeOfOneWorkloadOverlap() {
    allOf(Setup.drill(false, false, 0, 1).with(Setup.Drive.HURRY));
  }

  @Tag("campaign")
  @Test
  void noInvariantBreaksWhenThePluginDiesForgetsOrIsUnhealthy() {
    for (boolean shared : new boolean[] {false, true}) {
      allOf(Setup.mend(shared, 0, 1));
      allOf(Setup.mend(shared, 1, 0));
    }
  }

  @Test
  void noInvariantBreaksInLongRandomHistoriesOnAFailingDisk() {
    assertSoundOnAFailingDisk(1, 100);
  }

  @Tag("campaign")
  @Test
  void noInvariantBreaksInManyLongRandomHistoriesOnAFailingDisk() {
    assertSoundOnAFailingDisk(101, 500);
  }

  private static void assertSoundOnAFailingDisk(long firstSeed, int histories) {
    Tally tally =
        Explorer.random(
            firstSeed, histories, seed -> Setup.roam(seed % 2 == 0, seed / 2 % 2 == 0, 4, 6), NONE);

    assertSound(tally);
    assertThat(tally.histories()).isEqualTo(histories);
  }

  /**
   * A call that stages was done after it had been given up and the volume given back, and the power
   * cut that followed took what would have shown it.
   */
  @Test
  void whatALateCallDidBeforeAPowerCutIsGivenBack() {
    Tally tally = Explorer.random(5499, 1, seed -> Setup.roam(false, false, 4, 6), NONE);

    assertSound(tally);
    assertThat(tally.histories()).isEqualTo(1);
  }

  @Test
  void questionsForHealthBreakNoInvariantAndComeInNoOnesWay() {
    Tally tally =
        Explorer.random(
            1, 100, seed -> Setup.roam(seed % 2 == 0, seed / 2 % 2 == 0, 4, 6).watching(), NONE);

    assertSound(tally);
    assertThat(tally.histories()).isEqualTo(100);
  }

  @Tag("campaign")
  @Test
  void noInvariantBreaksWhenClaimsMoveOnAndAnswersAreLateOrMissing() {
    for (boolean shared : new boolean[] {false, true}) {
      allOf(Setup.drill(shared, false, 0, 1).claimed());
      allOf(Setup.drill(shared, false, 1, 0).claimed());
      allOf(Setup.drill(shared, false, 0, 1).claimed().with(Setup.Drive.HURRY));
    }
    Tally tally =
        Explorer.random(
            1, 100, seed -> Setup.roam(seed % 2 == 0, seed / 2 % 2 == 0, 4, 6).claimed(), NONE);
    assertSound(tally);
    assertThat(tally.histories()).isEqualTo(100);
  }

  @Tag("campaign")
  @Test
  void noInvariantBreaksInAnyHistoryOfARefreshWithACrashOrAFault() {
    for (boolean shared : new boolean[] {false, true}) {
      allOf(Setup.drill(shared, false, 1, 0).refreshing());
      allOf(Setup.drill(shared, false, 0, 1).refreshing());
      allOf(Setup.drill(shared, false, 0, 1).refreshing().with(Setup.Drive.HURRY));
    }
    allOf(Setup.drill(false, false, 1, 1).refreshing());
    allOf(Setup.drill(false, true, 0, 1).refreshing());
    allOf(Setup.drill(false, false, 0, 1).refreshing().claimed());
  }

  @Test
  void noInvariantBreaksInRandomHistoriesWithRefreshes() {
    allOf(Setup.drill(false, false, 0, 1).refreshing());
    Tally tally =
        Explorer.random(
            1, 100, seed -> Setup.roam(seed % 2 == 0, seed / 2 % 2 == 0, 4, 6).refreshing(), NONE);

    assertSound(tally);
    assertThat(tally.histories()).isEqualTo(100);
  }

  /** It is neither staged nor unstaged, so it cannot end there. */
  private static final Set<CrashPoint> OF_STAGING =
      EnumSet.of(
          CrashPoint.BEFORE_STAGE,
          CrashPoint.STAGE_ANSWERED,
          CrashPoint.STAGING_SEEN,
          CrashPoint.STAGED_SAVED,
          CrashPoint.BEFORE_UNSTAGE,
          CrashPoint.UNSTAGE_ANSWERED);

  @Tag("campaign")
  @Test
  void noInvariantBreaksInAnyHistoryOfAnInlineVolumeWithOneCrashAndOneFault() {
    Tally all = allOf(Setup.drill(false, false, 1, 1).inlining());
    all.plus(allOf(Setup.drill(false, true, 1, 1).inlining()));
    all.plus(allOf(Setup.drill(true, false, 1, 0).inlining()));
    all.plus(allOf(Setup.drill(true, false, 0, 1).inlining()));

    assertThat(all.crashedAt().keySet())
        .isEqualTo(EnumSet.complementOf(EnumSet.copyOf(OF_STAGING)));
    assertThat(all.crashedAt().values()).allMatch(times -> times >= 2);
  }

  @Tag("campaign")
  @Test
  void noInvariantBreaksWhenOperationsOnInlineVolumesOverlapOrTheirPluginDiesOrTheyAreRefreshed() {
    for (boolean shared : new boolean[] {false, true}) {
      allOf(Setup.drill(shared, false, 0, 1).inlining().with(Setup.Drive.HURRY));
      allOf(Setup.mend(shared, 0, 1).inlining());
      allOf(Setup.mend(shared, 1, 0).inlining());
      allOf(Setup.drill(shared, false, 1, 0).inlining().refreshing());
      allOf(Setup.drill(shared, false, 0, 1).inlining().refreshing());
    }
    assertSoundInline(101, 500);
  }

  /**
   * A refresh was going on when the host forgot its workload, and wanted it again with the former
   * contexts before the release could begin.
   */
  @Test
  void aMountDoesNotOvertakeARefreshOfAUseThatIsGivenUp() {
    Tally tally =
        Explorer.random(828, 1, seed -> Setup.roam(true, true, 4, 6).inlining().refreshing(), NONE);

    assertSound(tally);
    assertThat(tally.histories()).isEqualTo(1);
  }

  @Test
  void noInvariantBreaksInHistoriesWithInlineVolumes() {
    allOf(Setup.drill(false, false, 1, 0).inlining());
    allOf(Setup.drill(false, false, 0, 1).inlining());
    assertSoundInline(1, 100);
  }

  private static void assertSoundInline(long firstSeed, int histories) {
    Tally tally =
        Explorer.random(
            firstSeed,
            histories,
            seed -> {
              Setup setup = Setup.roam(seed % 2 == 0, seed / 2 % 2 == 0, 4, 6).inlining();
              return seed / 4 % 2 == 0 ? setup.refreshing() : setup;
            },
            NONE);

    assertSound(tally);
    assertThat(tally.histories()).isEqualTo(histories);
  }

  @Test
  void theSameHistoryHappensAgainBitForBit() {
    for (long seed = 1; seed <= 10; seed++) {
      Setup setup = Setup.roam(seed % 2 == 0, seed % 3 == 0, 4, 6);
      Outcome once = Simulation.random(setup, seed, true);

      Outcome again = Simulation.play(setup, Script.parse(once.script().toString()), true);

      assertThat(again.trace()).isEqualTo(once.trace());
      assertThat(again.script()).isEqualTo(once.script());
      assertThat(once.trace()).hasSizeGreaterThan(100);
    }
  }

  @Test
  void differentSeedsAreDifferentHistories() {
    Setup setup = Setup.roam(true, true, 4, 6);

    long different =
        Arrays.stream(new long[] {1, 2, 3, 4, 5, 6, 7, 8})
            .mapToObj(seed -> Simulation.random(setup, seed, true).trace())
            .distinct()
            .count();

    assertThat(different).isEqualTo(8);
  }
}
