package io.csi4j.conformance.internal.plugin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.conformance.OrchestratorConformance;
import io.csi4j.conformance.model.ConformanceCase;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Every row of the spec's error tables has a case, or a reason for having none. */
class ErrorTableTest {

  private static final String AGAIN = "-Dcsi4j.regenerate=true";

  /** Rows that nobody can force from outside, by their lines in the spec. */
  private static final Map<Integer, String> NOT_FORCED =
      Map.ofEntries(
          Map.entry(508, "needs secrets of somebody who may do less"),
          Map.entry(511, "needs secrets that are wrong, and a plugin that looks at them"),
          Map.entry(766, "the plugin would have to be ill"),
          Map.entry(767, "the plugin would have to lack something on its machine"),
          Map.entry(1388, "needs a second node; the suite speaks to one"),
          Map.entry(2038, "the storage would have to be full"),
          Map.entry(3082, "needs volumes that the plugin cannot snapshot together"),
          Map.entry(3083, "the storage would have to be full"),
          Map.entry(3134, "what uses a group snapshot differs from plugin to plugin"),
          Map.entry(3438, "changed block tracking would have to be switched off in the storage"),
          Map.entry(3254, "about the caller: the stream would have to break"),
          Map.entry(502, "about the caller: what it makes of a code that no row has"));

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
    assertThat(document).as("written anew by " + AGAIN).content().isEqualTo(document());
  }

  private static String document() throws IOException {
    StringBuilder out = new StringBuilder();
    out.append("# The conformance suites\n\n")
        .append(Suite.cases().size())
        .append(
            " cases ask a CSI plugin what it owes its callers, and "
                + OrchestratorConformance.cases().size()
                + " [scenarios](#the-scenarios-for-orchestrators) what an orchestrator does with its"
                + " plugins. This page is generated from them by"
                + " `ErrorTableTest`\n(")
        .append(AGAIN)
        .append(").\n\n")
        .append(
            "A plugin fails a case of strength MUST by doing otherwise. It gets advice where a case"
                + " says SHOULD. Where a case says\nMAY, the plugin may do either, and only a third"
                + " way earns it advice. Where the spec is silent there is no case: the\nsentence is"
                + " what the spec says, in our words.\n\n")
        .append(
            "A case is NOT RUN, and says nothing about the plugin, if a step before the tested one"
                + " was refused, a call was not\nanswered in time or is not implemented, for which"
                + " another case has failed, the plugin asked for secrets, or it is gone.\nA plugin"
                + " that dies fails the case in which it did. Where the spec has a MUST for each of"
                + " two codes, neither fails a plugin:\na field that is missing is INVALID_ARGUMENT,"
                + " and a volume of no id does not exist, which is NOT_FOUND.\nAll cases but"
                + " those of identity wait for a plugin that says to Probe that it is not well or not"
                + " ready,\nfor the deadline of a call, and are NOT RUN if it still says so.\n\n");
    Map<String, List<SuiteCase>> groups =
        Suite.cases().stream()
            .collect(
                Collectors.groupingBy(
                    SuiteCase::group, java.util.LinkedHashMap::new, Collectors.toList()));
    groups.forEach(
        (group, cases) -> {
          out.append("## ").append(group).append("\n\n");
          out.append(
              """
              | case | strength | sentence | expected | section | needs |
              |---|---|---|---|---|---|
              """);
          for (SuiteCase each : cases) {
            out.append("| `")
                .append(each.name())
                .append("` | ")
                .append(each.strength())
                .append(" | ")
                .append(each.sentence())
                .append(" | ")
                .append(each.expectation())
                .append(" | ")
                .append(each.place())
                .append(" | ")
                .append(String.join("; ", each.needs()))
                .append(" |\n");
          }
          out.append('\n');
        });
    out.append("## The error tables of the spec\n\n");
    out.append("| call | code | condition | line | cases, or why none |\n|---|---|---|---|---|\n");
    for (Row row : rows()) {
      List<String> last = new ArrayList<>();
      row.cases().forEach(name -> last.add("`" + name + "`"));
      if (row.cases().size() > 6) {
        last.subList(3, last.size()).clear();
        last.add("and " + (row.cases().size() - 3) + " more");
      }
      out.append("| ")
          .append(row.rpc())
          .append(" | ")
          .append(row.code())
          .append(" | ")
          .append(row.condition())
          .append(" | ")
          .append(row.line())
          .append(" | ")
          .append(last.isEmpty() ? NOT_FORCED.get(row.line()) : String.join(", ", last))
          .append(" |\n");
    }
    out.append(
        """

        ## The scenarios for orchestrators

        Rows of `scenarios.tsv`. How the suite is run: [testing-with-csi4j.md](testing-with-csi4j.md#the-suite-for-orchestrators).

        | scenario | expected | needs |
        |---|---|---|
        """);
    for (ConformanceCase each : OrchestratorConformance.cases()) {
      out.append("| `").append(each.name()).append("` | ").append(each.expectation());
      out.append(" | ").append(String.join("; ", each.needs())).append(" |\n");
    }
    return out.toString();
  }
}
