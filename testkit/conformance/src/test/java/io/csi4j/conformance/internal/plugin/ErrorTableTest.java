package io.csi4j.conformance.internal.plugin;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.joining;
import static java.util.stream.Collectors.toList;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.conformance.OrchestratorConformance;
import io.csi4j.conformance.model.ConformanceCase;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Every row of the spec's error tables has a case, or a reason for having none. */
class ErrorTableTest {

  private static final String AGAIN = "-Dcsi4j.regenerate=true";

  /** Rows that nobody can force from outside, by their lines in the spec. */
  private static final Map<Integer, String> NOT_FORCED =
      Map.ofEntries(
          Map.entry(508, "needs secrets with fewer rights"),
          Map.entry(511, "needs wrong secrets, and a plugin that checks them"),
          Map.entry(766, "needs an unhealthy plugin"),
          Map.entry(767, "needs a machine without the dependency"),
          Map.entry(1388, "needs a second node"),
          Map.entry(2038, "needs full storage"),
          Map.entry(3082, "needs volumes that the plugin cannot snapshot together"),
          Map.entry(3083, "needs full storage"),
          Map.entry(3134, "uses differ between plugins"),
          Map.entry(3438, "needs storage without changed block tracking"),
          Map.entry(3254, "binds the caller"),
          Map.entry(502, "binds the caller"));

  private record Row(String rpc, String code, String condition, int line) {
    static Row of(String text) {
      String[] cells = text.split("\t", -1);
      return new Row(cells[0], cells[1], cells[2], Integer.parseInt(cells[3]));
    }

    List<String> cases() {
      return Suite.cases().stream()
          .filter(each -> each.errorRows().contains(line))
          .map(SuiteCase::name)
          .toList();
    }
  }

  private static List<Row> rows() throws IOException {
    try (InputStream in = ErrorTableTest.class.getResourceAsStream("error-table.tsv")) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8)
          .lines()
          .skip(1)
          .map(Row::of)
          .toList();
    }
  }

  @Test
  void everyRowHasACaseOrAReason() throws IOException {
    assertThat(rows())
        .allSatisfy(
            row ->
                assertThat(!row.cases().isEmpty())
                    .as("%s has either a case or a reason", row)
                    .isNotEqualTo(NOT_FORCED.containsKey(row.line())));
  }

  @Test
  void everyCaseNamesRowsThatThereAre() throws IOException {
    List<Integer> lines = rows().stream().map(Row::line).toList();
    assertThat(Suite.cases()).allSatisfy(each -> assertThat(lines).containsAll(each.errorRows()));
    assertThat(lines).containsAll(NOT_FORCED.keySet());
  }

  @Test
  void namesAreUniqueAndTellTheirService() {
    assertThat(Suite.cases())
        .extracting(SuiteCase::name)
        .doesNotHaveDuplicates()
        .allMatch(
            name ->
                name.matches(
                    "(identity|controller|topology|snapshots|groups|node|metadata|concurrency|status)"
                        + "(/[a-z-]+)?/[a-z0-9-]+"));
    assertThat(Suite.cases())
        .allSatisfy(each -> assertThat(each.expectation()).matches("[A-Za-z].*\\."));
  }

  /** What binds says so in its sentence; where the spec is silent there is no case. */
  @Test
  void everyCaseHasASentenceOfTheSpecAndItsStrength() {
    assertThat(Suite.cases())
        .allSatisfy(
            each ->
                assertThat(each.sentence())
                    .as(each.name())
                    .endsWith(".")
                    .containsPattern(
                        switch (each.strength()) {
                          case MUST -> "MUST|SHALL|REQUIRED";
                          case SHOULD -> "SHOULD";
                          case MAY -> "MAY";
                        }));
  }

  @Test
  void whatIsOnlyBetterIsNoDuty() {
    assertThat(Suite.cases())
        .filteredOn(each -> each.name().contains("-better-"))
        .isNotEmpty()
        .noneMatch(each -> each.strength() == SuiteCase.Strength.MUST);
  }

  @Test
  void aRowWithoutStepsAndStepsWithoutARowAreRefused() {
    CaseSteps steps = new CaseSteps();
    steps.add("node/a", t -> {});

    assertThatThrownBy(() -> steps.add("node/a", t -> {}))
        .hasMessage("The case node/a has its steps twice.");
    assertThatThrownBy(() -> steps.take("node/c", "", ""))
        .hasMessage("The case node/c of cases.tsv has no steps.");
    assertThatThrownBy(steps::checkAllTaken)
        .hasMessage("No row of cases.tsv has the cases [node/a].");
    steps.take("node/a", "", "");
    steps.checkAllTaken();
  }

  @ParameterizedTest
  @CsvSource({
    "ListVolumes of no-thing, succeeds, 'No call of cases.tsv is: ListVolumes of no-thing'",
    "ListVolumes as it-is, succeeds, 'No call of cases.tsv is: ListVolumes as it-is'",
    "ListVolumes or none, succeeds, 'No call of cases.tsv is: ListVolumes or none'",
    "ListVolumes without volume_id, succeeds, 'No call of cases.tsv is: ListVolumes without volume_id'",
    "ListVolumes with volume_id: 1, succeeds, 'No call of cases.tsv is: ListVolumes with volume_id: 1'",
    "ListVolumes, worst: OK, 'No call of cases.tsv ends: worst: OK'"
  })
  void aCallThatARowCannotMeanIsRefused(String call, String ends, String message) {
    assertThatThrownBy(() -> new CaseSteps().take("node/a", call, ends)).hasMessage(message);
  }

  @Test
  void theDocumentIsWhatTheSuiteIs() throws IOException {
    Path document = Path.of(System.getProperty("csi4j.root", ".."), "docs", "conformance.md");
    if (Boolean.getBoolean("csi4j.regenerate")) {
      Files.writeString(document, document());
    }
    assertThat(document).as("regenerate with " + AGAIN).content().isEqualTo(document());
  }

  private static String document() throws IOException {
    StringBuilder out =
        new StringBuilder(
            """
            # The conformance suites

            %d cases judge a CSI plugin, and %d [scenarios](#scenarios-for-orchestrators) an orchestrator.
            [testing-with-csi4j.md](testing-with-csi4j.md) shows how to run them.

            A plugin that fails a case is not conformant, as the spec says MUST there. A case marked SHOULD gives advice only.
            A case marked MAY allows both answers, and gives advice for a third. After a failure the suite prints the rule of
            the spec.

            A case is NOT RUN if a preparing call is refused, late or unimplemented, if the plugin requires secrets that are
            not configured, or if it has died. A plugin that dies fails the case during which it died. Every case but those of
            `identity` waits until Probe reports the plugin ready, for at most the deadline of a call.

            The words in brackets are what a case [needs](#needs). `ErrorTableTest` generates this page (%s).
            """
                .formatted(Suite.cases().size(), OrchestratorConformance.cases().size(), AGAIN));
    Map<String, List<SuiteCase>> same = groups(Suite.cases(), SuiteCase::expectation);
    out.append("\n## Cases for several calls\n\n");
    same.values().stream().filter(ErrorTableTest::isCommon).forEach(all -> entry(out, all));
    groups(
            Suite.cases().stream().filter(each -> !isCommon(same.get(each.expectation()))).toList(),
            SuiteCase::group)
        .forEach(
            (group, cases) -> {
              out.append("\n## ").append(group).append("\n\n");
              groups(cases, each -> each.strength() + each.expectation())
                  .values()
                  .forEach(all -> entry(out, all));
            });
    out.append("\n## Needs\n\n");
    for (Need need : Need.values()) {
      out.append("- ").append(need).append(": ").append(need.words()).append('\n');
    }
    out.append("\n## Rows of the error tables without a case\n\n");
    out.append("Every other row of the spec's error tables has a case.\n\n");
    for (Row row : rows()) {
      if (row.cases().isEmpty()) {
        out.append("- ").append(row.rpc()).append(", ").append(row.code()).append(": ");
        out.append(row.condition()).append(" (").append(NOT_FORCED.get(row.line())).append(")\n");
      }
    }
    out.append("\n## Scenarios for orchestrators\n\n");
    out.append("A scenario with a `*` needs a host that attaches volumes.\n\n");
    groups(OrchestratorConformance.cases(), ConformanceCase::expectation)
        .forEach(
            (expectation, all) ->
                out.append("- ")
                    .append(all.stream().map(ErrorTableTest::scenario).collect(joining(", ")))
                    .append(": ")
                    .append(expectation)
                    .append('\n'));
    return out.toString();
  }

  private static <T> Map<String, List<T>> groups(List<T> all, Function<T, String> key) {
    return all.stream().collect(groupingBy(key, LinkedHashMap::new, toList()));
  }

  /** Returns whether these cases of one expectation test several calls alike. */
  private static boolean isCommon(List<SuiteCase> cases) {
    return cases.stream().map(SuiteCase::place).distinct().count() > 4;
  }

  private static void entry(StringBuilder out, List<SuiteCase> cases) {
    SuiteCase first = cases.get(0);
    out.append("- ");
    if (first.strength() != SuiteCase.Strength.MUST) {
      out.append(first.strength()).append(": ");
    }
    out.append(first.expectation());
    String before = "";
    for (SuiteCase each : cases) {
      out.append(before).append(" `").append(each.name()).append('`');
      if (!each.requirements().isEmpty()) {
        out.append(each.requirements().stream().map(Need::name).collect(joining(" ", " (", ")")));
      }
      before = ",";
    }
    out.append('\n');
  }

  private static String scenario(ConformanceCase scenario) {
    return "`" + scenario.name() + "`" + (scenario.needs().isEmpty() ? "" : "*");
  }
}
