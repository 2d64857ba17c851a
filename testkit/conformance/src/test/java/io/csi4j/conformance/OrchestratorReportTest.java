package io.csi4j.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.conformance.model.OrchestratorReport;
import io.csi4j.conformance.model.ScenarioResult;
import java.time.Duration;
import java.util.List;
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

  private static ScenarioResult result(int number, String... problems) {
    return new ScenarioResult(
        OrchestratorConformance.scenarios().get(number),
        List.of(problems),
        List.of(),
        "",
        Duration.ofMillis(1500));
  }
}
