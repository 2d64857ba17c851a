package io.csi4j.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.conformance.OrchestratorConformance;
import io.csi4j.conformance.model.CaseResult;
import io.csi4j.conformance.model.ConformanceCase;
import io.csi4j.conformance.model.ConformanceReport;
import io.csi4j.conformance.model.ConformanceRun;
import io.csi4j.conformance.model.OrchestratorUnderTest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The suite for orchestrators against one that is made of csi4j. It waits most of the time, so
 * scenarios run beside each other; one that is written as a test of its own extends {@code
 * OrchestratorConformanceTest}.
 */
class ManagedNodeTest {

  private static final Set<String> SLICE =
      Set.of("mount", "secrets", "shape", "plugin", "health", "refresh", "inline");

  private static final Set<String> NODE_SLICE = Set.of("restart", "shape");

  private static final Duration CALL = Duration.ofMillis(500);

  private static final OrchestratorConformance SUITE =
      OrchestratorConformance.create().withCallDeadline(CALL);

  private static final OrchestratorConformance NODE_ONLY =
      OrchestratorConformance.nodeOnly().withCallDeadline(CALL);

  @Test
  @Tag("campaign")
  void everyScenarioComesOutAsExpected() throws Exception {
    assertThat(SUITE.chosen()).hasSize(106);
    passes(SUITE, ManagedNode::new);
  }

  @Test
  @Tag("campaign")
  void everyScenarioOfANodeComesOutAsExpectedOnTheAgentAlone() throws Exception {
    assertThat(NODE_ONLY.chosen()).hasSize(92);
    passes(NODE_ONLY, AgentAlone::new);
  }

  @Test
  void someScenariosOfANodeComeOutAsExpectedOnTheAgentAlone() throws Exception {
    OrchestratorConformance slice = NODE_ONLY.only(each -> NODE_SLICE.contains(each.group()));
    assertThat(slice.chosen()).hasSizeGreaterThan(8);
    passes(slice, AgentAlone::new);
  }

  @Test
  void someScenariosComeOutAsExpected() throws Exception {
    OrchestratorConformance slice = SUITE.only(each -> SLICE.contains(each.group()));
    assertThat(slice.chosen()).hasSizeGreaterThan(15);
    passes(slice, ManagedNode::new);
  }

  private static void passes(OrchestratorConformance suite, OrchestratorUnderTest.Factory factory)
      throws Exception {
    List<Future<CaseResult>> running = new ArrayList<>();
    List<CaseResult> results = new ArrayList<>();
    ExecutorService pool = Executors.newFixedThreadPool(12);
    try (ConformanceRun run = suite.open(factory)) {
      for (ConformanceCase each : suite.chosen()) {
        running.add(pool.submit(() -> run.run(each)));
      }
      for (Future<CaseResult> each : running) {
        results.add(each.get());
      }
      ConformanceReport report = new ConformanceReport(run.subject(), results);
      assertThat(report.clean()).as(report.text()).isTrue();
    } finally {
      pool.shutdownNow();
    }
  }
}
