package io.csi4j.volume.functional;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import io.csi4j.mount.campaign.PlayedInShares;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.platform.commons.support.ReflectionSupport;
import org.junit.platform.testkit.engine.EngineExecutionResults;
import org.junit.platform.testkit.engine.EngineTestKit;
import org.junit.platform.testkit.engine.Event;

/** The functional tests with a proxy before each plugin have the results that they have without. */
class ThroughTheProxyTest {

  @Test
  void someFunctionalTestsAreTheSame() {
    hasTheSameResults(ClaimedMountTest.class);
    hasTheSameResults(ToldOfPluginsTest.class);
  }

  static Stream<Class<?>> functionalTests() {
    return ReflectionSupport.findAllClassesInPackage(
            ThroughTheProxyTest.class.getPackageName(),
            type -> type != ThroughTheProxyTest.class,
            name -> name.endsWith("Test"))
        .stream()
        .sorted(Comparator.comparing(Class::getName));
  }

  @Tag("campaign")
  @PlayedInShares
  @ParameterizedTest
  @MethodSource("functionalTests")
  void allFunctionalTestsAreTheSame(Class<?> tests) {
    hasTheSameResults(tests);
  }

  private static void hasTheSameResults(Class<?> tests) {
    Node.THROUGH_PROXY.set(true);
    try {
      // All of them in each share: the kit does not look at the properties of the system.
      EngineExecutionResults results =
          EngineTestKit.engine("junit-jupiter").selectors(selectClass(tests)).execute();

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
