package io.csi4j.conformance.internal.plugin;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.conformance.PluginConformance;
import io.csi4j.conformance.model.CaseResult;
import io.csi4j.conformance.model.CaseResult.Outcome;
import io.csi4j.conformance.model.ConformanceListener;
import io.csi4j.conformance.model.ConformanceReport;
import io.csi4j.mount.campaign.PlayedInShares;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Each seeded defect is found by the cases that are meant to find it, and by no others. */
class DefectsTest {

  private static final String ADVICE = "advice: ";

  @Tag("campaign")
  @PlayedInShares
  @ParameterizedTest
  @EnumSource
  void aDefectFailsItsCasesAndNoOthers(Defect defect) throws IOException {
    assertFound(defect);
  }

  static Stream<Defect> everyFortieth() {
    Defect[] all = Defect.values();
    return IntStream.range(0, all.length).filter(at -> at % 40 == 0).mapToObj(at -> all[at]);
  }

  @ParameterizedTest
  @MethodSource("everyFortieth")
  void everyFortiethDefectFailsItsCasesAndNoOthers(Defect defect) throws IOException {
    assertFound(defect);
  }

  private static void assertFound(Defect defect) throws IOException {
    ConformanceReport report;
    try (SpoiltPlugin plugin = new SpoiltPlugin(defect)) {
      report = PluginConformance.run(plugin.described(), ConformanceListener.none());
    }

    assertThat(report.results(Outcome.FAILED))
        .extracting(each -> each.about().name())
        .containsExactlyInAnyOrderElementsOf(expected(defect, false));
    assertThat(report.results(Outcome.ADVICE))
        .extracting(each -> each.about().name())
        .containsAll(expected(defect, true));
    assertThat(report.results(Outcome.FAILED))
        .extracting(CaseResult::story)
        .allSatisfy(
            story ->
                assertThat(story)
                    .contains("expected: ", "got: ", "the spec: ", "look at: ", "calls:"));
  }

  @Test
  void everyDefectFailsACase() throws IOException {
    assertThat(expected()).containsOnlyKeys(Defect.values());
    assertThat(expected().values()).noneMatch(List::isEmpty);
    assertThat(Suite.cases())
        .extracting(SuiteCase::name)
        .containsAll(
            expected().values().stream()
                .flatMap(List::stream)
                .map(name -> name.replace(ADVICE, ""))
                .toList());
  }

  /** The cases that a defect fails, or those that give advice about it. */
  private static List<String> expected(Defect defect, boolean advice) throws IOException {
    return expected().get(defect).stream()
        .filter(name -> name.startsWith(ADVICE) == advice)
        .map(name -> name.replace(ADVICE, ""))
        .toList();
  }

  private static Map<Defect, List<String>> expected() throws IOException {
    Map<Defect, List<String>> expected = new EnumMap<>(Defect.class);
    List<String> cases = new ArrayList<>();
    try (InputStream in = DefectsTest.class.getResourceAsStream("seeded-defects.txt")) {
      String text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
      for (String line : text.lines().toList()) {
        if (line.startsWith("  ")) {
          cases.add(line.strip());
        } else {
          cases = new ArrayList<>();
          expected.put(Defect.valueOf(line), cases);
        }
      }
    }
    return expected;
  }
}
