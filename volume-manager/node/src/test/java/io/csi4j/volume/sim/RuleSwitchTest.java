package io.csi4j.volume.sim;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.volume.internal.lifecycle.Rule;
import io.csi4j.volume.sim.Simulation.Outcome;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Each rule of the protocol is needed: without it the simulator finds the harm. */
class RuleSwitchTest {

  /** The invariant that breaks first without a rule. */
  private static String broken(Rule rule) {
    return switch (rule) {
      case KEEP_UNTIL_UNSTAGED, UNPUBLISH_FAILURE_COUNTS, TOMBSTONES -> "I1";
      case USAGE_BEFORE_CALL, USAGE_RESTORED, QUARANTINE, ROLLBACK, UNKNOWN_IS_NOT_LAST -> "I2";
      case INTENT_BEFORE_CALL, DISTRUST_REFUSALS, LOOK_AFTER_OK, USAGE_BY_VALUE -> "I3";
      case BARRED_GETS_NOTHING -> "C8";
      case ALL_GONE_BEFORE_RESTAGE -> "I2";
      case WITHDRAW_BEFORE_PUBLISH -> "I3";
      case USE_OUTLIVES_REPAIR -> "I4";
      case PLUGIN_FIRST -> "I11";
      case SINGLE_WRITER_ADMISSION -> "I4";
      case UNSTAGE_IN_DOUBT_FIRST, PLACE_CHECKED, ONE_STAGING_PATH -> "I5";
      case WAIT_FOR_HOST -> "I11";
      case ONE_AT_A_TIME -> "I12";
      case EPOCH_CONFIRMED -> "I13";
    };
  }

  @Tag("campaign")
  @ParameterizedTest
  @EnumSource
  void withoutARuleItsHarmIsFoundAndItsSmallestHistoryCanBePlayedAgain(Rule rule) {
    assertCaught(rule);
  }

  @ParameterizedTest
  @EnumSource(
      names = {
        "ONE_AT_A_TIME",
        "ONE_STAGING_PATH",
        "SINGLE_WRITER_ADMISSION",
        "UNKNOWN_IS_NOT_LAST",
        "USAGE_BY_VALUE"
      })
  void theHarmOfAMissingRuleIsFoundWithinAFewHistories(Rule rule) {
    assertCaught(rule);
  }

  private static void assertCaught(Rule rule) {
    RuleHunt.Catch caught = RuleHunt.hunt(rule, 60);

    assertThat(caught.invariant()).as("%s", caught).isEqualTo(broken(rule));
    Outcome found = caught.outcome().orElseThrow();
    Outcome smallest = Explorer.shrink(found);
    assertThat(smallest.script().deviations()).isLessThanOrEqualTo(found.script().deviations());
    assertThat(Simulation.play(smallest.setup(), smallest.script(), true).violation())
        .isEqualTo(smallest.violation());
  }
}
