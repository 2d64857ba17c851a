package io.csi4j.mount.campaign;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/** The shares of a campaign are disjoint, and together they are all of it. */
class CampaignShareTest {

  /** Only played by the tests below. */
  static final class Campaign {

    static IntStream cases() {
      return IntStream.range(0, 11);
    }

    @PlayedInShares
    @ParameterizedTest
    @MethodSource("cases")
    void manyCases(int which) {
      assertThat(which).as("the one that fails").isNotEqualTo(7);
    }

    @PlayedInShares
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void fewCases(int which) {
      assertThat(which).isPositive();
    }

    @PlayedInShares
    @Test
    void one() {}

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void always(int which) {
      assertThat(which).isPositive();
    }
  }

  /** The annotation of a class is one of all its tests. */
  @PlayedInShares
  static final class WholeClass {

    @Test
    void one() {}

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void other(int which) {
      assertThat(which).isPositive();
    }
  }

  /** What came of the tests and containers of a class. */
  private static final class Played implements TestExecutionListener {
    private final List<String> passed = new ArrayList<>();
    private final List<String> failed = new ArrayList<>();
    private final Map<String, String> skipped = new HashMap<>();
    private final List<Throwable> thrown = new ArrayList<>();

    static Played inFull(Class<?> type) {
      return with(Map.of(), type);
    }

    static Played of(Class<?> type, String share) {
      return with(Map.of(CampaignShare.PROPERTY, share), type);
    }

    private static Played with(Map<String, String> parameters, Class<?> type) {
      Played played = new Played();
      LauncherFactory.create()
          .execute(
              LauncherDiscoveryRequestBuilder.request()
                  .selectors(selectClass(type))
                  // A run that plays a share itself has the property of the system.
                  .enableImplicitConfigurationParameters(false)
                  .configurationParameters(parameters)
                  .build(),
              played);
      return played;
    }

    private static String name(TestIdentifier test) {
      return test.getUniqueId().replaceAll("^.*/\\[class:[^/]*/", "");
    }

    @Override
    public void executionSkipped(TestIdentifier test, String reason) {
      skipped.put(name(test), reason);
    }

    @Override
    public void executionFinished(TestIdentifier test, TestExecutionResult result) {
      result.getThrowable().ifPresent(thrown::add);
      if (test.isTest()) {
        (result.getStatus() == TestExecutionResult.Status.SUCCESSFUL ? passed : failed)
            .add(name(test));
      }
    }

    List<String> tests() {
      List<String> all = new ArrayList<>(passed);
      all.addAll(failed);
      return all;
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 7, 20})
  void eachTestIsPlayedInExactlyOneShareAndSkippedInAllOthers(int count) {
    List<String> all = Played.inFull(Campaign.class).tests();
    assertThat(all).hasSize(11 + 2 + 1 + 2).doesNotHaveDuplicates();
    Map<String, Integer> times = new HashMap<>();

    for (int number = 1; number <= count; number++) {
      Played played = Played.of(Campaign.class, number + "/" + count);

      played.tests().forEach(test -> times.merge(test, 1, Integer::sum));
      assertThat(played.tests()).noneMatch(played.skipped::containsKey);
      assertThat(played.tests().size() + played.skipped.size()).isEqualTo(all.size());
      String reason = "not in share " + number + "/" + count + " of the campaigns";
      assertThat(played.skipped.values()).allMatch(reason::equals);
    }

    assertThat(times).containsOnlyKeys(all);
    times.forEach(
        (test, played) ->
            assertThat(played).as(test).isEqualTo(test.contains("always") ? count : 1));
  }

  @Test
  void aTestThatFailsDoesSoInItsShare() {
    List<String> failed =
        IntStream.rangeClosed(1, 4)
            .mapToObj(number -> Played.of(Campaign.class, number + "/4"))
            .flatMap(played -> played.failed.stream())
            .toList();

    assertThat(failed).singleElement().asString().contains("manyCases", "#8");
  }

  @Test
  void aShareOfManyCasesIsSpreadOverTheWholeList() {
    Played played = Played.of(Campaign.class, "2/4");

    assertThat(played.tests().stream().filter(test -> test.contains("manyCases")))
        .hasSizeBetween(2, 3);
  }

  @Test
  void theAnnotationOfAClassIsOneOfEachOfItsTests() {
    List<List<String>> shares =
        IntStream.rangeClosed(1, 2)
            .mapToObj(number -> Played.of(WholeClass.class, number + "/2").tests())
            .toList();

    assertThat(shares.get(0)).isNotEmpty().doesNotContainAnyElementsOf(shares.get(1));
    assertThat(shares.get(0).size() + shares.get(1).size()).isEqualTo(4);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "", "x", "5/4", "0/4", "-1/4", "1/0", "1/4/2", "1", "1/", "/4", "1 / 4", "1/99999"
      })
  void aTextThatIsNoShareIsRefused(String text) {
    assertThatThrownBy(() -> CampaignShare.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("'" + text + "' is no share of the campaigns")
        .hasMessageContaining("Set campaign.share to one such as 1/4");
  }

  @Test
  void aCampaignWithWhatIsNoShareFails() {
    Played played = Played.of(Campaign.class, "5/4");

    assertThat(played.passed).hasSize(2).allMatch(test -> test.contains("always"));
    assertThat(played.skipped).isEmpty();
    assertThat(played.thrown)
        .hasSize(3)
        .allSatisfy(
            thrown -> assertThat(thrown).rootCause().hasMessageContaining("'5/4' is no share"));
  }
}
