package io.csi4j.conformance.internal.plugin;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.StatusCode;
import io.csi4j.conformance.PluginConformance;
import io.csi4j.conformance.model.CaseResult.Outcome;
import io.csi4j.conformance.model.ConformanceCase;
import io.csi4j.conformance.model.ConformanceListener;
import io.csi4j.conformance.model.ConformanceReport;
import io.csi4j.mount.campaign.PlayedInShares;
import io.csi4j.testkit.model.PluginShape;
import java.util.function.Predicate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** A plugin that is odd in a way that the spec allows is accused of nothing. */
class LawfulPluginsTest {

  @ParameterizedTest
  @EnumSource
  void anOddityIsAccusedByNoCaseThatItConcerns(LawfulOddity oddity) {
    assertAccusedOfNothing(oddity, ConformanceCase.named(oddity.concerns()));
  }

  @Tag("campaign")
  @PlayedInShares
  @ParameterizedTest
  @EnumSource
  void anOddityIsAccusedByNoCaseAtAll(LawfulOddity oddity) {
    assertAccusedOfNothing(oddity, each -> true);
  }

  private static void assertAccusedOfNothing(
      LawfulOddity oddity, Predicate<ConformanceCase> which) {
    ConformanceReport report;
    try (SpoiltPlugin plugin = new SpoiltPlugin(oddity)) {
      report = PluginConformance.run(plugin.described(), which, ConformanceListener.none());
    }

    assertThat(report.results()).isNotEmpty();
    assertThat(report.results(Outcome.FAILED)).as(report.text()).isEmpty();
    assertThat(report.results()).as(report.text()).allMatch(each -> each.leftBehind().isEmpty());
  }

  @ParameterizedTest
  @CsvSource(
      quoteCharacter = '"',
      value = {
        "MAKES_NO_VOLUME_WITHOUT_A_SIZE, controller/create/a-volume-without-a-size-is-made,"
            + " \"CreateVolume should end with OK here, but ended with OUT_OF_RANGE (11): 'say how"
            + " large'.\"",
        "A_TOKEN_OF_OTHERS_IS_AN_INVALID_FIELD, controller/list/an-invalid-token-is-aborted,"
            + " \"ListVolumes should end with ABORTED (10) here, but ended with INVALID_ARGUMENT"
            + " (3):"
            + " 'no token of mine'.\"",
        "A_TOKEN_OF_OTHERS_IS_AN_INVALID_FIELD, snapshots/list/an-invalid-token-is-aborted,"
            + " \"ListSnapshots should end with ABORTED (10) here, but ended with INVALID_ARGUMENT"
            + " (3): 'no token of mine'.\""
      })
  void anOddityThatCallersHaveToExpectIsAdvisedAgainst(
      LawfulOddity oddity, String which, String advice) {
    try (SpoiltPlugin plugin = new SpoiltPlugin(oddity)) {
      ConformanceReport report =
          PluginConformance.run(
              plugin.described(), ConformanceCase.named(which), ConformanceListener.none());

      assertThat(report.results())
          .singleElement()
          .satisfies(
              result -> {
                assertThat(result.outcome()).isEqualTo(Outcome.ADVICE);
                assertThat(result.story()).isEqualTo(advice);
              });
    }
  }

  /** It may go on with the work of a call that it has aborted. */
  @Test
  void aPluginThatIsStillBusyAfterTwoCallsAtOnceIsAdvised() {
    Spoiling busy =
        new Spoiling() {
          @Override
          public PluginShape shape() {
            return PluginShape.full();
          }

          @Override
          public How how() {
            return Spoiling.refusing(
                call ->
                    call.is(CsiOperation.CREATE_VOLUME)
                        && call.memory().count().incrementAndGet() > 1,
                StatusCode.ABORTED,
                "the volume is still being made");
          }
        };
    try (SpoiltPlugin plugin = new SpoiltPlugin(busy)) {
      ConformanceReport report =
          PluginConformance.run(
              plugin.described(),
              ConformanceCase.named("concurrency/one-name-created-*"),
              ConformanceListener.none());

      assertThat(report.results())
          .singleElement()
          .satisfies(
              result -> {
                assertThat(result.outcome()).isEqualTo(Outcome.ADVICE);
                assertThat(result.leftBehind()).isEmpty();
                assertThat(result.story())
                    .isEqualTo(
                        "CreateVolume should end with OK here, but ended with ABORTED (10): 'the"
                            + " volume is still being made'.");
              });
    }
  }

  @Test
  void thereAreAtLeastTwentyFiveOddities() {
    assertThat(LawfulOddity.values()).hasSizeGreaterThanOrEqualTo(25);
  }
}
