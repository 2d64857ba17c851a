package io.csi4j.volume.sim;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.mount.campaign.PlayedInShares;
import io.csi4j.volume.internal.port.CrashPoint;
import io.csi4j.volume.sim.Explorer.Limit;
import io.csi4j.volume.sim.Explorer.Tally;
import io.csi4j.volume.sim.Simulation.Outcome;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

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

  /** Setups for a volume of one workload, and the same for one that several share. */
  private static Stream<Setup> bothWays(Function<Boolean, Stream<Setup>> setups) {
    return Stream.of(false, true).flatMap(setups);
  }

  static Stream<Setup> crashesAndFaults() {
    return bothWays(
        shared ->
            Stream.of(
                Setup.drill(shared, false, 1, 1),
                // A plugin that refuses a second call can do less harm, so it gets less.
                Setup.drill(shared, true, 1, 0),
                Setup.drill(shared, true, 0, 1)));
  }

  @Tag("campaign")
  @PlayedInShares
  @ParameterizedTest
  @MethodSource("crashesAndFaults")
  void noInvariantBreaksInAnyHistoryWithOneCrashAndOneFault(Setup setup) {
    assertCrashedEverywhere(allOf(setup), setup, EnumSet.allOf(CrashPoint.class));
  }

  private static void assertCrashedEverywhere(Tally tally, Setup setup, Set<CrashPoint> points) {
    if (setup.crashes() > 0 && setup.faults() > 0) {
      assertThat(tally.crashedAt().keySet()).isEqualTo(points);
      assertThat(tally.crashedAt().values()).allMatch(times -> times >= 2);
    }
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

  @Test
  void noInvariantBreaksWhereThePluginRefusesToUnpublishWhatIsNotMounted() {
    allOf(Setup.drill(false, true, 0, 1).with(Setup.Drive.BRIEF).refusing());
  }

  static Stream<Setup> refusals() {
    return bothWays(
        shared ->
            Stream.of(
                Setup.drill(shared, false, 0, 1).refusing(),
                Setup.drill(shared, false, 1, 0).refusing(),
                Setup.mend(shared, 0, 1).refusing()));
  }

  @Tag("campaign")
  @PlayedInShares
  @ParameterizedTest
  @MethodSource("refusals")
  void noInvariantBreaksInAnyHistoryWhereThePluginRefusesToUnpublishWhatIsNotMounted(Setup setup) {
    allOf(setup);
  }

  @Tag("campaign")
  @PlayedInShares
  @ParameterizedTest
  @ValueSource(longs = {101, 201, 301})
  void noInvariantBreaksInRandomHistoriesWhereThePluginRefusesToUnpublishWhatIsNotMounted(
      long firstSeed) {
    Tally tally =
        Explorer.random(
            firstSeed,
            100,
            seed -> Setup.roam(seed % 2 == 0, seed / 2 % 2 == 0, 4, 6).refusing(),
            NONE);

    assertSound(tally);
    assertThat(tally.histories()).isEqualTo(100);
  }

  static Stream<Setup> pluginTrouble() {
    return bothWays(shared -> Stream.of(Setup.mend(shared, 0, 1), Setup.mend(shared, 1, 0)));
  }

  @Tag("campaign")
  @PlayedInShares
  @ParameterizedTest
  @MethodSource("pluginTrouble")
  void noInvariantBreaksWhenThePluginDiesForgetsOrIsUnhealthy(Setup setup) {
    allOf(setup);
  }

  @Test
  void noInvariantBreaksInLongRandomHistoriesOnAFailingDisk() {
    assertSoundOnAFailingDisk(1, 100);
  }

  @Tag("campaign")
  @PlayedInShares
  @ParameterizedTest
  @ValueSource(longs = {101, 201, 301, 401, 501})
  void noInvariantBreaksInManyLongRandomHistoriesOnAFailingDisk(long firstSeed) {
    assertSoundOnAFailingDisk(firstSeed, 100);
  }

  private static void assertSoundOnAFailingDisk(long firstSeed, int histories) {
    Tally tally =
        Explorer.random(
            firstSeed, histories, seed -> Setup.roam(seed % 2 == 0, seed / 2 % 2 == 0, 4, 6), NONE);

    assertSound(tally);
    assertThat(tally.histories()).isEqualTo(histories);
  }

  @Test
  void questionsForHealthBreakNoInvariantAndComeInNoOnesWay() {
    Tally tally =
        Explorer.random(
            1, 100, seed -> Setup.roam(seed % 2 == 0, seed / 2 % 2 == 0, 4, 6).watching(), NONE);

    assertSound(tally);
    assertThat(tally.histories()).isEqualTo(100);
  }

  static Stream<Setup> claims() {
    return bothWays(
        shared ->
            Stream.of(
                Setup.drill(shared, false, 0, 1).claimed(),
                Setup.drill(shared, false, 1, 0).claimed(),
                Setup.drill(shared, false, 0, 1).claimed().with(Setup.Drive.HURRY)));
  }

  @Tag("campaign")
  @PlayedInShares
  @ParameterizedTest
  @MethodSource("claims")
  void noInvariantBreaksWhenClaimsMoveOnAndAnswersAreLateOrMissing(Setup setup) {
    allOf(setup);
  }

  @Tag("campaign")
  @PlayedInShares
  @Test
  void noInvariantBreaksInRandomHistoriesWithClaims() {
    Tally tally =
        Explorer.random(
            1, 100, seed -> Setup.roam(seed % 2 == 0, seed / 2 % 2 == 0, 4, 6).claimed(), NONE);
    assertSound(tally);
    assertThat(tally.histories()).isEqualTo(100);
  }

  static Stream<Setup> refreshes() {
    return Stream.concat(
        bothWays(
            shared ->
                Stream.of(
                    Setup.drill(shared, false, 1, 0).refreshing(),
                    Setup.drill(shared, false, 0, 1).refreshing(),
                    Setup.drill(shared, false, 0, 1).refreshing().with(Setup.Drive.HURRY))),
        Stream.of(
            Setup.drill(false, false, 1, 1).refreshing(),
            Setup.drill(false, true, 0, 1).refreshing(),
            Setup.drill(false, false, 0, 1).refreshing().claimed()));
  }

  @Tag("campaign")
  @PlayedInShares
  @ParameterizedTest
  @MethodSource("refreshes")
  void noInvariantBreaksInAnyHistoryOfARefreshWithACrashOrAFault(Setup setup) {
    allOf(setup);
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

  static Stream<Setup> inlineCrashesAndFaults() {
    return Stream.of(
        Setup.drill(false, false, 1, 1).inlining(),
        Setup.drill(false, true, 1, 1).inlining(),
        Setup.drill(true, false, 1, 0).inlining(),
        Setup.drill(true, false, 0, 1).inlining());
  }

  @Tag("campaign")
  @PlayedInShares
  @ParameterizedTest
  @MethodSource("inlineCrashesAndFaults")
  void noInvariantBreaksInAnyHistoryOfAnInlineVolumeWithOneCrashAndOneFault(Setup setup) {
    assertCrashedEverywhere(allOf(setup), setup, EnumSet.complementOf(EnumSet.copyOf(OF_STAGING)));
  }

  static Stream<Setup> inlineTrouble() {
    return bothWays(
        shared ->
            Stream.of(
                Setup.drill(shared, false, 0, 1).inlining().with(Setup.Drive.HURRY),
                Setup.mend(shared, 0, 1).inlining(),
                Setup.mend(shared, 1, 0).inlining(),
                Setup.drill(shared, false, 1, 0).inlining().refreshing(),
                Setup.drill(shared, false, 0, 1).inlining().refreshing()));
  }

  @Tag("campaign")
  @PlayedInShares
  @ParameterizedTest
  @MethodSource("inlineTrouble")
  void noInvariantBreaksWhenOperationsOnInlineVolumesOverlapOrTheirPluginDiesOrTheyAreRefreshed(
      Setup setup) {
    allOf(setup);
  }

  @Tag("campaign")
  @PlayedInShares
  @ParameterizedTest
  @ValueSource(longs = {101, 201, 301, 401, 501})
  void noInvariantBreaksInManyRandomHistoriesWithInlineVolumes(long firstSeed) {
    assertSoundInline(firstSeed, 100);
  }

  /**
   * A refresh was going on when the host forgot its workload, and wanted it again with the former
   * contexts before the release could begin.
   */
  @Test
  void aMountDoesNotOvertakeARefreshOfAUseThatIsGivenUp() {
    Tally tally =
        Explorer.random(157, 1, seed -> Setup.roam(true, true, 4, 6).inlining().refreshing(), NONE);

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
