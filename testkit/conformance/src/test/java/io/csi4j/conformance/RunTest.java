package io.csi4j.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.Secrets;
import io.csi4j.client.model.StatusCode;
import io.csi4j.conformance.model.CaseResult;
import io.csi4j.conformance.model.CaseResult.Outcome;
import io.csi4j.conformance.model.ConformanceCase;
import io.csi4j.conformance.model.ConformanceListener;
import io.csi4j.conformance.model.ConformanceReport;
import io.csi4j.conformance.model.PluginUnderTest;
import io.csi4j.conformance.model.PluginUnderTest.Cleanup;
import io.csi4j.testkit.FakeCsiPlugin;
import io.csi4j.testkit.fault.Fault;
import io.csi4j.testkit.fault.When;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How a run goes, beyond what the cases say. */
class RunTest {

  private static final Pattern TAG = Pattern.compile("<(/?)([a-z-]+)(?: [^<>]*?)?(/?)>");
  private static final String STAGE_AGAIN = "node/stage/again-succeeds";

  private static ConformanceReport run(PluginUnderTest plugin, String pattern) {
    return PluginConformance.run(
        plugin, ConformanceCase.named(pattern), ConformanceListener.none());
  }

  @Test
  void aCaseThatHangsEndsByItsDeadline() {
    try (FakeCsiPlugin plugin = FakeCsiPlugin.open()) {
      plugin.inject(Fault.hang(), When.calling(CsiOperation.NODE_STAGE_VOLUME));
      CaseResult result =
          run(
                  PluginUnderTest.builder(plugin.endpoint())
                      .deadline(Duration.ofMillis(700))
                      .build(),
                  STAGE_AGAIN)
              .results()
              .get(0);

      assertThat(result.outcome()).isEqualTo(Outcome.FAILED);
      assertThat(result.story())
          .contains("expected: NodeStageVolume succeeds")
          .contains("got:      DEADLINE_EXCEEDED (4)")
          .contains("look at:  the plugin's log: the call was not answered in time");
      plugin.release();
    }
  }

  @Test
  void aFailedCaseCleansUpAndTellsItsCallsWithoutSecrets() {
    try (FakeCsiPlugin plugin = FakeCsiPlugin.open()) {
      plugin.inject(
          Fault.applyThenFail(StatusCode.INTERNAL, "the password is hunter2-hunter2"),
          When.calling(CsiOperation.NODE_STAGE_VOLUME).once());
      CaseResult result =
          run(
                  PluginUnderTest.builder(plugin.endpoint())
                      .secrets(Secrets.of(Map.of("password", "hunter2-hunter2")))
                      .build(),
                  STAGE_AGAIN)
              .results()
              .get(0);

      assertThat(result.outcome()).isEqualTo(Outcome.FAILED);
      assertThat(result.leftBehind()).isEmpty();
      assertThat(result.story())
          .contains("CreateVolume {", "ControllerPublishVolume {", "NodeStageVolume {")
          .doesNotContain("hunter2");
      assertThat(plugin.contents().volumes()).isEmpty();
      assertThat(plugin.contents().idle()).isTrue();
    }
  }

  @Test
  void whatCannotBeCleanedUpIsReported() {
    try (FakeCsiPlugin plugin = FakeCsiPlugin.open()) {
      plugin.inject(
          Fault.fail(StatusCode.INTERNAL, "no"), When.calling(CsiOperation.DELETE_VOLUME));
      ConformanceReport report =
          run(PluginUnderTest.at(plugin.endpoint()), "controller/create/a-volume-is-made");

      assertThat(report.count(Outcome.PASSED)).isEqualTo(1);
      assertThat(report.clean()).isFalse();
      assertThat(report.results().get(0).leftBehind())
          .singleElement()
          .asString()
          .startsWith("the volume '")
          .endsWith("': DeleteVolume ended with INTERNAL (13): 'no'");
      assertThat(report.text()).contains("LEFT BEHIND by controller/create/a-volume-is-made");
      assertThat(count("error", report)).isEqualTo(1);
    }
  }

  @Test
  void aFailedCaseCanBeKeptToBeLookedAt(@TempDir Path directory) {
    try (FakeCsiPlugin plugin = FakeCsiPlugin.open()) {
      plugin.inject(
          Fault.fail(StatusCode.INTERNAL, "no"), When.calling(CsiOperation.NODE_STAGE_VOLUME));
      ConformanceReport report =
          run(
              PluginUnderTest.builder(plugin.endpoint())
                  .directory(directory)
                  .cleanup(Cleanup.UNLESS_FAILED)
                  .build(),
              STAGE_AGAIN);

      assertThat(plugin.contents().volumes()).hasSize(1);
      assertThat(report.results().get(0).leftBehind()).isNotEmpty();
    }
  }

  @Test
  void aPluginThatDoesNotListenFailsEveryCaseAndSaysSo() {
    PluginUnderTest nobody;
    try (FakeCsiPlugin plugin = FakeCsiPlugin.open()) {
      nobody = PluginUnderTest.at(plugin.endpoint());
    }
    ConformanceReport report = run(nobody, "identity/*");

    assertThat(report.clean()).isFalse();
    assertThat(report.count(Outcome.FAILED) + report.count(Outcome.SKIPPED))
        .isEqualTo(report.results().size());
    assertThat(report.results(Outcome.FAILED).get(0).story())
        .contains("UNAVAILABLE (14)")
        .contains("whether the plugin still runs and listens on the socket");
  }

  @Test
  void aListenerIsToldOfEveryCaseInItsTurn() {
    List<String> told = new ArrayList<>();
    try (FakeCsiPlugin plugin = FakeCsiPlugin.open()) {
      PluginConformance.run(
          PluginUnderTest.at(plugin.endpoint()),
          ConformanceCase.named("identity/probe/*"),
          new ConformanceListener() {
            @Override
            public void started(ConformanceCase about, int number, int of) {
              told.add(number + " of " + of + " " + about.name());
            }

            @Override
            public void ended(CaseResult result) {
              told.add(result.about().name() + " " + result.outcome());
            }
          });
    }
    assertThat(told)
        .containsExactly(
            "1 of 2 identity/probe/says-ready",
            "identity/probe/says-ready PASSED",
            "2 of 2 identity/probe/can-be-repeated",
            "identity/probe/can-be-repeated PASSED");
  }

  @Test
  void theReportIsXmlThatCountsAsTheTableDoes() {
    try (FakeCsiPlugin plugin = FakeCsiPlugin.open()) {
      plugin.inject(
          Fault.fail(StatusCode.INTERNAL, "<&>\"\u0000"), When.calling(CsiOperation.PROBE));
      ConformanceReport report = run(PluginUnderTest.at(plugin.endpoint()), "identity/*");

      assertThat(count("testcase", report)).isEqualTo(report.results().size());
      assertThat(report.junitXml())
          .contains("<testsuites tests=\"12\" failures=\"2\" errors=\"0\" skipped=\"2\"");
      assertThat(count("failure", report)).isEqualTo(report.count(Outcome.FAILED)).isEqualTo(2);
      assertThat(count("skipped", report)).isEqualTo(report.count(Outcome.SKIPPED));
      assertThat(report.text())
          .contains("FAILED identity/probe/says-ready\n")
          .containsPattern("identity +8 +0 +2 +2\n");
    }
  }

  /** How often an element begins, in a document whose elements all end where they should. */
  private static int count(String element, ConformanceReport report) {
    Deque<String> open = new ArrayDeque<>();
    int count = 0;
    Matcher tags = TAG.matcher(report.junitXml());
    while (tags.find()) {
      String name = tags.group(2);
      if (tags.group(1).isEmpty()) {
        count += name.equals(element) ? 1 : 0;
        open.push(name);
      }
      if (!tags.group(1).isEmpty() || !tags.group(3).isEmpty()) {
        assertThat(open.pop()).isEqualTo(name);
      }
    }
    assertThat(open).isEmpty();
    assertThat(TAG.matcher(report.junitXml()).replaceAll("").replaceFirst("<\\?xml[^>]*>", ""))
        .doesNotContain("<", ">");
    return count;
  }
}
