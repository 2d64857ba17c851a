package io.csi4j.volume.sim;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.mount.campaign.PlayedInShares;
import java.io.IOException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Each rule of the protocol is needed: the simulator finds the harm of an engine without it. */
class MutantsTest {

  /** Within so many histories, on any machine; the slowest takes some 6,000. */
  private static final long MOST_HISTORIES = 10_000;

  /** For that a quiet machine needs less than a minute, and a busy one several. */
  private static final double LONGEST_SECONDS = 300;

  @Tag("campaign")
  @PlayedInShares
  @ParameterizedTest
  @EnumSource
  void theHarmOfAMutantIsFoundAndItsSmallestHistoryCanBePlayedAgain(Mutant mutant) {
    assertCaught(mutant);
  }

  @ParameterizedTest
  @EnumSource(names = "ONE_AT_A_TIME")
  void theHarmOfOneIsFoundWithinAFewHistories(Mutant mutant) {
    assertCaught(mutant);
  }

  @ParameterizedTest
  @EnumSource
  void eachMutantIsAnEditOfTheEngineAsItIs(Mutant mutant) throws IOException {
    assertThat(MutantLoader.sources(mutant)).isNotEmpty();
  }

  private static void assertCaught(Mutant mutant) {
    MutantHunt.Catch caught = MutantHunt.of(mutant, LONGEST_SECONDS);

    assertThat(mutant.harms()).as("%s", caught).contains(caught.harm());
    assertThat(caught.isShrunk()).as("%s", caught).isTrue();
    assertThat(caught.histories()).as("%s", caught).isLessThanOrEqualTo(MOST_HISTORIES);
  }

  /** One mutant for each of four invariants: each costs a new engine, compiled and warmed up. */
  @Tag("campaign")
  @PlayedInShares
  @ParameterizedTest
  @EnumSource(
      names = {
        "KEEP_UNTIL_UNSTAGED",
        "USAGE_BEFORE_CALL",
        "INTENT_BEFORE_CALL",
        "UNSTAGE_IN_DOUBT_FIRST"
      })
  void theSameInvariantsBreakWithAndWithoutJoining(Mutant mutant) {
    assertThat(MutantLoader.call(mutant, Comparison.class, "differences")).isEqualTo("");
  }
}
