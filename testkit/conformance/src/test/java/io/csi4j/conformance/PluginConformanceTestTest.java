package io.csi4j.conformance;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;
import static org.junit.platform.testkit.engine.EventConditions.displayName;
import static org.junit.platform.testkit.engine.EventConditions.event;
import static org.junit.platform.testkit.engine.EventConditions.finishedWithFailure;
import static org.junit.platform.testkit.engine.EventConditions.test;
import static org.junit.platform.testkit.engine.TestExecutionResultConditions.message;

import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.StatusCode;
import io.csi4j.conformance.model.ConformanceCase;
import io.csi4j.conformance.model.PluginUnderTest;
import io.csi4j.testkit.FakeCsiPlugin;
import io.csi4j.testkit.fault.Fault;
import io.csi4j.testkit.fault.When;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.platform.testkit.engine.EngineTestKit;
import org.junit.platform.testkit.engine.Events;

/** The suite as JUnit sees it. */
class PluginConformanceTestTest {

  /** A plugin that is never ready. */
  static class NotReady extends PluginConformanceTest {
    private static FakeCsiPlugin plugin;

    @BeforeAll
    static void open() {
      plugin = FakeCsiPlugin.open();
      plugin.inject(
          Fault.fail(StatusCode.FAILED_PRECONDITION, "not ready"),
          When.calling(CsiOperation.PROBE));
    }

    @AfterAll
    static void close() {
      plugin.close();
    }

    @Override
    protected PluginUnderTest plugin() {
      return PluginUnderTest.at(plugin.endpoint());
    }

    @Override
    protected boolean includes(ConformanceCase each) {
      return each.group().equals("identity");
    }
  }

  @Test
  void eachCaseIsATestThatPassesFailsOrIsAborted() {
    Events tests =
        EngineTestKit.engine("junit-jupiter")
            .selectors(selectClass(NotReady.class))
            .execute()
            .testEvents();

    tests.assertStatistics(stats -> stats.started(11).succeeded(7).failed(2).aborted(2));
    tests
        .assertThatEvents()
        .haveExactly(
            1,
            event(
                test(),
                displayName("identity/probe/says-ready"),
                finishedWithFailure(message(text -> text.contains("FAILED_PRECONDITION (9)")))));
  }
}
