package io.csi4j.conformance.internal.plugin;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.conformance.PluginConformance;
import io.csi4j.conformance.model.CaseResult.Outcome;
import io.csi4j.conformance.model.ConformanceCase;
import io.csi4j.conformance.model.ConformanceListener;
import io.csi4j.conformance.model.ConformanceReport;
import java.util.function.Predicate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A plugin that is odd in a way that the spec allows is accused of nothing. */
class LawfulPluginsTest {

  @ParameterizedTest
  @EnumSource
  void anOddityIsAccusedByNoCaseThatItConcerns(LawfulOddity oddity) {
    assertAccusedOfNothing(oddity, ConformanceCase.named(oddity.concerns()));
  }

  @Tag("campaign")
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

  @Test
  void thereAreAtLeastTwentyFiveOddities() {
    assertThat(LawfulOddity.values()).hasSizeGreaterThanOrEqualTo(25);
  }
}
