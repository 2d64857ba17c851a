package io.csi4j.volume.functional;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectPackage;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.platform.testkit.engine.EngineExecutionResults;
import org.junit.platform.testkit.engine.EngineTestKit;
import org.junit.platform.testkit.engine.Event;

/** The functional tests with a proxy before each plugin have the results that they have without. */
class ThroughTheProxyTest {

  @Test
  void someFunctionalTestsAreTheSame() {
    hasTheSameResults(
        EngineTestKit.engine("junit-jupiter")
            .selectors(selectClass(ClaimedMountTest.class), selectClass(ToldOfPluginsTest.class)));
  }

  @Tag("campaign")
  @Test
  void allFunctionalTestsAreTheSame() {
    hasTheSameResults(
        EngineTestKit.engine("junit-jupiter")
            .selectors(selectPackage(ThroughTheProxyTest.class.getPackageName())));
  }

  private static void hasTheSameResults(EngineTestKit.Builder tests) {
    // Among the tests is this one.
    assumeFalse(Node.THROUGH_PROXY.get(), "a proxy stands before each plugin already");
    Node.THROUGH_PROXY.set(true);
    try {
      EngineExecutionResults results = tests.execute();

      assertThat(results.testEvents().succeeded().count()).isPositive();
      assertThat(failures(results)).isEmpty();
    } finally {
      Node.THROUGH_PROXY.set(false);
    }
  }

  private static List<String> failures(EngineExecutionResults results) {
    return Stream.concat(
            results.testEvents().failed().stream(), results.containerEvents().failed().stream())
        .map(Event::toString)
        .toList();
  }
}
