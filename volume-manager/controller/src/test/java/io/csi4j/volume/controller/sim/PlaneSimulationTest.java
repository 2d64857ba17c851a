package io.csi4j.volume.controller.sim;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.mount.campaign.PlayedInShares;
import io.csi4j.volume.controller.sim.PlaneExplorer.Family;
import io.csi4j.volume.controller.sim.PlaneSimulation.Outcome;
import io.csi4j.volume.controller.sim.PlaneWorld.Count;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Histories of several control planes under a seed; each rule of theirs is needed. */
@Timeout(1_800)
class PlaneSimulationTest {

  private static final int SLICE = 150;
  private static final int SHARE = 500;

  @Test
  void whateverHappensNoVolumeIsLostOrMadeTwiceAndAllWorkEnds() {
    Map<Count, Long> counts = sound(1, SLICE);
    for (Count what : Count.values()) {
      // A late attachment of a deleted volume is rare, and so is work that is given up beside
      // other.
      if (what != Count.ANSWERED_FOR && what != Count.GIVEN_UP) {
        assertThat(counts.getOrDefault(what, 0L)).as("%s happened", what).isPositive();
      }
    }
  }

  static LongStream firstSeeds() {
    return LongStream.iterate(1, from -> from < 10_000, from -> from + SHARE);
  }

  @Tag("campaign")
  @PlayedInShares
  @ParameterizedTest
  @MethodSource("firstSeeds")
  void inTenThousandHistoriesNoVolumeIsLostOrMadeTwiceAndAllWorkEnds(long from) {
    assertThat(sound(from, SHARE)).containsKeys(Count.TAKEN_OVER, Count.MADE_LATE);
  }

  private static Map<Count, Long> sound(long from, int seeds) {
    Map<Count, Long> counts = new EnumMap<>(Count.class);
    for (long seed = from; seed < from + seeds; seed++) {
      Outcome outcome = PlaneSimulation.play(seed, null, false);
      assertThat(outcome.violation()).as("seed %s", seed).isEmpty();
      outcome.counts().forEach((what, count) -> counts.merge(what, count, Long::sum));
    }
    return counts;
  }

  @Test
  void theSameSeedPlaysTheSameHistory() {
    for (long seed = 1; seed <= 6; seed++) {
      Outcome first = PlaneSimulation.play(seed, null, false);
      Outcome second = PlaneSimulation.play(seed, null, false);
      assertThat(second.steps()).as("seed %s", seed).isEqualTo(first.steps());
      assertThat(second.counts()).as("seed %s", seed).isEqualTo(first.counts());
    }
  }

  /** Each rule, with the seed at which its harm was found, and the harm. */
  static Stream<Arguments> rules() {
    return Stream.of(
        Arguments.of(LostRule.RECORD_WITHOUT_CONDITION, 12, "is on record, and its volume is gone"),
        Arguments.of(LostRule.CLAIM_WITHOUT_CONDITION, 3, "is deleted under a grant"),
        Arguments.of(LostRule.SESSION_WITHOUT_CONDITION, 5, "s after a renewal"),
        Arguments.of(LostRule.EPOCH_IS_FORGOTTEN, 7, "whose session lasts"),
        Arguments.of(LostRule.TAKEOVER_IS_NOT_SEEN, 106, "is held for its deletion for ever"),
        Arguments.of(LostRule.JOINT_WRITE_IS_TORN, 2, "is held for its deletion for ever"),
        Arguments.of(LostRule.NOTHING_IS_HELD, 2_178, "is granted, and is gone"),
        Arguments.of(LostRule.NAME_IS_NOT_KEPT, 1, "is made twice"),
        Arguments.of(LostRule.SESSION_AGE_IS_IGNORED, 7, "which is not its work"),
        Arguments.of(LostRule.SESSION_ENDS_EARLY, 3, "s after a renewal"),
        Arguments.of(LostRule.LEFT_WORK_STAYS, 70, "a deletion is left"),
        Arguments.of(LostRule.UNKNOWN_IS_REFUSED, 1, "is removed, and"),
        Arguments.of(LostRule.REFUSED_DELETION_IS_LATE, 41, "is deleted, and its record keeps it"),
        Arguments.of(LostRule.WRITE_IS_LOST, 1, "which is not its work"),
        Arguments.of(LostRule.RECORD_IS_NOT_ASKED, 1, "is granted, and is gone"),
        Arguments.of(LostRule.SNAPSHOT_WORK_IS_NOT_SEEN, 9, "whose session lasts"),
        Arguments.of(LostRule.SNAPSHOT_IS_NOT_SEEN, 9, "is taken off the record"),
        Arguments.of(LostRule.SNAPSHOT_NAME_IS_NOT_KEPT, 9, "is cut twice"),
        Arguments.of(LostRule.UNKNOWN_SNAPSHOT_IS_REFUSED, 54, "is taken off the record"));
  }

  @ParameterizedTest
  @MethodSource("rules")
  void withoutARuleItsHarmIsFound(LostRule lost, long seed, String harm) {
    assertThat(harms(lost, LongStream.of(seed)))
        .hasValueSatisfying(found -> assertThat(found).contains(harm));
  }

  /** Not by one history alone: a change of the product moves what happens under a seed. */
  @Tag("campaign")
  @PlayedInShares
  @ParameterizedTest
  @EnumSource
  void withoutARuleAHarmIsFoundWithinAThousandHistories(LostRule lost) {
    assertThat(harms(lost, LongStream.rangeClosed(1, 1_000))).isPresent();
    assertThat(rules().map(each -> each.get()[0])).contains(lost);
  }

  private static Optional<String> harms(LostRule lost, LongStream seeds) {
    return seeds
        .mapToObj(seed -> PlaneSimulation.play(seed, lost, false))
        .flatMap(outcome -> outcome.violation().stream())
        .findFirst();
  }

  /** Some 500 setups. */
  @Test
  void aControlPlaneMayEndAtEachThirdStepWhateverAnotherOneIsAskedFor() {
    assertThat(
            Family.all()
                .flatMap(family -> PlaneExplorer.broken(family, 3, false, setup -> {}).stream()))
        .isEmpty();
  }

  static Stream<Family> families() {
    return Family.all();
  }

  /** Some 80,000 setups. */
  @Tag("campaign")
  @PlayedInShares
  @ParameterizedTest
  @MethodSource("families")
  void twoControlPlanesMayEndAtEachOfTheirSteps(Family family) {
    assertThat(PlaneExplorer.broken(family, true, setup -> {})).isEmpty();
  }
}
