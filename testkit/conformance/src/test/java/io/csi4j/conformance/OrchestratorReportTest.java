package io.csi4j.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;
import static org.junit.platform.testkit.engine.EventConditions.displayName;
import static org.junit.platform.testkit.engine.EventConditions.event;
import static org.junit.platform.testkit.engine.EventConditions.finishedWithFailure;
import static org.junit.platform.testkit.engine.EventConditions.test;
import static org.junit.platform.testkit.engine.TestExecutionResultConditions.message;

import io.csi4j.conformance.model.CaseResult.Outcome;
import io.csi4j.conformance.model.ConformanceCase;
import io.csi4j.conformance.model.ConformanceListener;
import io.csi4j.conformance.model.ConformanceReport;
import io.csi4j.conformance.model.ConformanceRun;
import io.csi4j.conformance.model.OrchestratorSetting;
import io.csi4j.conformance.model.OrchestratorUnderTest;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.platform.testkit.engine.EngineTestKit;
import org.junit.platform.testkit.engine.Events;

/** How a run of the suite for orchestrators is reported while it runs and afterwards. */
class OrchestratorReportTest {

  private static final OrchestratorConformance MOUNTS =
      OrchestratorConformance.create().only(ConformanceCase.named("mount/*"));

  private static OrchestratorUnderTest noStart(OrchestratorSetting setting) throws IOException {
    throw new IOException("no directory " + setting.directory() + "/volumes after 3 tries");
  }

  @Test
  void aCauseOfManyScenariosIsReportedOnceWithTheStoryOfTheFirst() {
    ConformanceReport report =
        OrchestratorConformance.create()
            .run(OrchestratorReportTest::noStart, ConformanceListener.none());

    int cases = OrchestratorConformance.cases().size();
    String cause =
        "FAILED "
            + cases
            + " cases for one reason, first seen in mount/first: The orchestrator did not start:"
            + " java.io.IOException: no directory … after … tries\n";
    assertThat(report.count(Outcome.FAILED)).isEqualTo(cases).isGreaterThan(100);
    assertThat(report.text())
        .startsWith("Conformance of an orchestrator\n\n" + cause + "  expected: The volume is ")
        .containsOnlyOnce("  problem: The orchestrator did not start: java.io.IOException: no")
        .contains("\n  also in:\n    mount/second-workload mount/read-only ")
        .containsPattern("\nall +0 +0 +0 +0 +" + cases + "\n");
    assertThat(report.text().lines()).hasSizeLessThan(80).allMatch(line -> line.length() < 250);
    assertThat(report.summary()).startsWith(cause).containsOnlyOnce("FAILED");
  }

  @Test
  void aRunPrintsALineForEachScenarioAndTheCausesAtTheEnd() {
    List<String> printed = new ArrayList<>();
    ConformanceReport report =
        MOUNTS.run(OrchestratorReportTest::noStart, ConformanceListener.printing(printed::add));

    int cases = report.results().size();
    assertThat(printed).hasSize(cases + 1);
    assertThat(printed.subList(0, 2))
        .satisfiesExactly(
            first ->
                assertThat(first)
                    .matches(
                        "1/"
                            + cases
                            + " FAILED mount/first \\(\\d+ ms\\): The orchestrator did not start:"
                            + " java\\.io\\.IOException: no directory .* after 3 tries"),
            second ->
                assertThat(second)
                    .matches(
                        "2/"
                            + cases
                            + " FAILED mount/second-workload \\(\\d+ ms\\): for the same reason as"
                            + " mount/first"));
    assertThat(printed.get(cases)).isEqualTo(report.summary().stripTrailing());
  }

  /** An orchestrator that does not start. */
  static class NotStarting extends OrchestratorConformanceTest {
    @Override
    protected OrchestratorUnderTest start(OrchestratorSetting setting) throws IOException {
      return noStart(setting);
    }

    @Override
    protected OrchestratorConformance suite() {
      return MOUNTS;
    }
  }

  @Test
  void aTestWhoseCauseAnotherTestHasShownNamesThatTest() {
    Events tests =
        EngineTestKit.engine("junit-jupiter")
            .selectors(selectClass(NotStarting.class))
            .execute()
            .testEvents();

    tests
        .assertThatEvents()
        .haveExactly(
            1,
            event(
                test(),
                displayName("mount/first"),
                finishedWithFailure(
                    message(
                        text ->
                            text.startsWith("mount/first: expected: The volume is attached, ")))))
        .haveExactly(
            1,
            event(
                test(),
                displayName("mount/second-workload"),
                finishedWithFailure(
                    message(
                        text ->
                            text.startsWith(
                                    "mount/second-workload: for the same reason as mount/first:"
                                        + " The orchestr")
                                && text.lines().count() == 1))));
  }

  @Test
  void adviceIsGroupedToo() {
    ConformanceReport report =
        OrchestratorConformance.create()
            .only(each -> each.name().equals("mount/twice") || each.name().equals("mount/first"))
            .run(ToyOrchestrator.with(Defect.MAKES_TARGET), ConformanceListener.none());

    assertThat(report.clean()).as(report.text()).isTrue();
    assertThat(report.text())
        .contains(
            "ADVICE 2 cases for one reason, first seen in mount/first: advice on duty D-409: ")
        .contains("\n  advice on duty D-409: ")
        .contains("\n  also in:\n    mount/twice\n");
  }

  @Test
  void theReportIsXmlOfTheFormThatJUnitsRunnersWrite() {
    ConformanceReport report =
        OrchestratorConformance.create()
            .only(each -> each.name().equals("mount/first"))
            .run(
                setting -> {
                  throw new IOException("<a> & \"b\"");
                },
                ConformanceListener.none());

    assertThat(report.junitXml())
        .startsWith("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites tests=\"1\"")
        .contains("failures=\"1\"", "<testcase classname=\"csi.mount\" name=\"mount/first\"")
        .contains("problem: The orchestrator did not start: java.io.IOException: &lt;a&gt; &amp;")
        .containsOnlyOnce("<failure message=");
  }

  @Test
  void aRunThatIsStoppedRunsNoFurtherScenario() {
    try (ConformanceRun run = MOUNTS.open(OrchestratorReportTest::noStart)) {
      run.stop();

      assertThat(run.run(MOUNTS.chosen(), ConformanceListener.none()).results())
          .hasSize(MOUNTS.chosen().size())
          .allSatisfy(
              result -> {
                assertThat(result.outcome()).isEqualTo(Outcome.NOT_RUN);
                assertThat(result.causes()).isEqualTo(List.of("the run was stopped"));
              });
    }
  }
}
