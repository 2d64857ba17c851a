package io.csi4j.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.client.CsiPlugin;
import io.csi4j.conformance.model.OrchestratorReport;
import io.csi4j.conformance.model.ScenarioResult;
import io.csi4j.testkit.FakeCsiPlugin;
import io.csi4j.testkit.referee.Breach;
import io.csi4j.testkit.referee.DutyId;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class OrchestratorReportTest {

  @Test
  void theReportIsXmlOfTheFormThatJUnitsRunnersWrite() {
    OrchestratorReport report =
        new OrchestratorReport(List.of(result(0), result(1, "volume <a> & \"b\" is left")));

    assertThat(report.junitXml())
        .startsWith("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites tests=\"2\"")
        .contains("failures=\"1\"", "time=\"3.000\"")
        .contains("name=\"" + report.results().get(0).scenario().name() + "\"")
        .contains("problem: volume &lt;a&gt; &amp; &quot;b&quot; is left")
        .containsOnlyOnce("<failure message=");
  }

  @Test
  void aScenarioThatFailedTellsEachDutyOnceAndNoMoreThanTheEndOfItsJournal() {
    try (FakeCsiPlugin fake = FakeCsiPlugin.open();
        CsiPlugin plugin = CsiPlugin.connect(fake.endpoint())) {
      plugin.node().getInfo();
      List<Breach> breaches =
          IntStream.rangeClosed(1, 300)
              .mapToObj(
                  number ->
                      new Breach(
                          DutyId.of(number % 2 == 0 ? 49 : 83),
                          "the story of call " + number,
                          fake.journal().calls()))
              .toList();
      String journal = (fake.journal().describe() + "x".repeat(1000) + "\n").repeat(200);
      ScenarioResult result =
          new ScenarioResult(
              OrchestratorConformance.scenarios().get(0),
              List.of("it went wrong"),
              breaches.stream().filter(each -> each.duty().equals(DutyId.of(83))).toList(),
              breaches.stream().filter(each -> each.duty().equals(DutyId.of(49))).toList(),
              journal,
              Duration.ZERO);

      assertThat(result.describe())
          .hasSizeLessThan(12_000)
          .contains("problem: it went wrong")
          .containsOnlyOnce("advice on duty D-049, 150 times: ")
          .containsOnlyOnce("broken duty D-083, 150 times: ")
          .containsOnlyOnce("first: the story of call 1\n    #")
          .containsOnlyOnce("first: the story of call 2\n    #")
          .contains("NodeGetInfo on 'node-1' ended OK")
          .contains("what the plugin saw, but for the first " + (journal.lines().count() - 40))
          .doesNotContain("the story of call 3\n", "CallRecord[", "x".repeat(300));
      assertThat(new OrchestratorReport(Collections.nCopies(13, result)).describe())
          .hasSizeLessThan(200_000);
      assertThat(result).hasToString(result.describe());
      assertThat(breaches.get(0)).hasToString("the story of call 1");
    }
  }

  private static ScenarioResult result(int number, String... problems) {
    return new ScenarioResult(
        OrchestratorConformance.scenarios().get(number),
        List.of(problems),
        List.of(),
        List.of(),
        "",
        Duration.ofMillis(1500));
  }
}
