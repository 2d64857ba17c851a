package io.csi4j.conformance.internal.plugin;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.conformance.PluginConformance;
import io.csi4j.conformance.model.CaseResult;
import io.csi4j.conformance.model.CaseResult.Outcome;
import io.csi4j.conformance.model.ConformanceCase;
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
import org.junit.jupiter.params.provider.CsvSource;
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

  private static ConformanceReport report(Defect defect, String cases) {
    try (SpoiltPlugin plugin = new SpoiltPlugin(defect)) {
      return PluginConformance.run(
          plugin.described(), ConformanceCase.named(cases), ConformanceListener.none());
    }
  }

  @Test
  void aCallThatIsNotImplementedFailsOneCaseAndTheOthersAreNotRun() {
    ConformanceReport report = report(Defect.VALIDATE_IS_NOT_IMPLEMENTED, "controller/*");

    assertThat(report.results(Outcome.FAILED))
        .extracting(each -> each.about().name())
        .containsExactly("controller/validate/without-volume-id-is-refused");
    assertThat(report.results(Outcome.NOT_RUN))
        .extracting(each -> each.about().name())
        .containsExactly(
            "controller/validate/without-volume-capabilities-is-refused",
            "controller/validate/an-unknown-volume-is-not-found",
            "controller/validate/what-it-was-made-for-is-confirmed",
            "controller/delete/a-deleted-volume-is-unknown");
    assertThat(report.results(Outcome.NOT_RUN))
        .extracting(CaseResult::story)
        .containsOnly(
            "ValidateVolumeCapabilities is not implemented; for that reason the case"
                + " controller/validate/without-volume-id-is-refused has failed");
  }

  @ParameterizedTest
  @CsvSource({
    "CREATE_MAKES_ANOTHER_VOLUME_EACH_TIME, controller/create/the-same-again*, what the plugin"
        + " remembers",
    "CREATE_TAKES_ANY_SIZE_FOR_A_NAME, controller/create/the-same-name-with-another-size*, what the"
        + " plugin remembers",
    "DELETE_DOES_NOTHING, controller/delete/a-deleted-volume-is-unknown, what the plugin remembers",
    "VALIDATE_KNOWS_EVERY_VOLUME, controller/validate/an-unknown*, how the plugin makes this"
        + " answer",
    "STAGE_KNOWS_EVERY_VOLUME, node/stage/an-unknown*, the checks of the request",
    "LIST_IGNORES_THE_NUMBER_OF_ENTRIES, controller/list/pages-hold*, how the plugin makes this"
        + " answer",
    "LIST_IGNORES_THE_TOKEN, controller/list/an-invalid-token*, how the plugin makes this answer",
    "CAPACITY_IS_NEGATIVE, controller/capacity/is-told, how the plugin makes this answer",
    "CREATE_WITHOUT_A_SIZE_MAKES_LESS_THAN_NOTHING, controller/create/a-volume-without-a-size*, how"
        + " the plugin makes this answer"
  })
  void whatThePluginRemembersIsNamedOnlyWhereTheSameThingWasAskedForBefore(
      Defect defect, String cases, String hint) {
    assertThat(report(defect, cases).results(Outcome.FAILED))
        .singleElement()
        .satisfies(result -> assertThat(result.story()).contains("look at:  " + hint));
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
