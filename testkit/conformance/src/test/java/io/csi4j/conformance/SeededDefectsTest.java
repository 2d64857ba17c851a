package io.csi4j.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.csi4j.conformance.model.CaseResult;
import io.csi4j.conformance.model.CaseResult.Outcome;
import io.csi4j.conformance.model.ConformanceCase;
import io.csi4j.conformance.model.ConformanceListener;
import io.csi4j.conformance.model.ConformanceReport;
import io.csi4j.testkit.referee.DutyId;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Each seeded defect fails the scenarios that are about it, and breaks the duties that it breaks;
 * or it is advised against there.
 */
@Tag("campaign")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class SeededDefectsTest {

  private static final String HARMLESS = "unmount/never-mounted";

  /** Runs spend most of their time waiting: several at a time take less of it. */
  private final ExecutorService pool = Executors.newFixedThreadPool(3);

  private final Map<Defect, Future<ConformanceReport>> reports = new EnumMap<>(Defect.class);

  @BeforeAll
  @SuppressWarnings("unchecked")
  void begin() {
    Stream.concat(defects(), unwise())
        .map(Arguments::get)
        .forEach(
            each ->
                reports.put(
                    (Defect) each[0],
                    pool.submit(() -> run((Defect) each[0], (Set<String>) each[1]))));
  }

  @AfterAll
  void end() {
    pool.shutdownNow();
  }

  private static ConformanceReport run(Defect defect, Set<String> scenarios) {
    return OrchestratorConformance.create()
        .withPatience(Duration.ofSeconds(20))
        .only(each -> scenarios.contains(each.name()) || each.name().equals(HARMLESS))
        .run(ToyOrchestrator.with(defect), ConformanceListener.none());
  }

  static Stream<Arguments> defects() {
    return Stream.of(
        arguments(Defect.ANY_UNMOUNT_IS_THE_LAST, names("mount/second-workload"), duties(142)),
        arguments(Defect.STRANGER_IS_THE_LAST, names("unmount/by-a-stranger"), duties(142)),
        arguments(
            Defect.FORGETS_AT_RESTART,
            names("restart/while-mounted", "restart/then-a-second-workload"),
            duties(142)),
        arguments(
            Defect.FAILED_UNPUBLISH_IS_DONE, names("fail/unpublish-then-recovers"), duties(142)),
        arguments(Defect.RECORD_GONE_BEFORE_UNSTAGE, names("fail/unstage-then-recovers"), duties()),
        arguments(Defect.FAILED_MOUNT_IS_FORGOTTEN, names("fail/publish-after-stage"), duties()),
        arguments(Defect.STAGING_PER_WORKLOAD, names("mount/second-workload"), duties(378)),
        arguments(Defect.OK_IS_BELIEVED, names("mount/nothing-made"), duties()),
        arguments(
            Defect.REPEATS_WHAT_IS_REFUSED,
            names("refused/stage-unimplemented", "refused/publish-invalid-argument"),
            duties(83, 80)),
        arguments(Defect.SECRETS_OF_ANOTHER_CALL, names("secrets/only-where-expected"), duties()),
        arguments(
            Defect.LOSES_PUBLISH_CONTEXT,
            names("mount/first", "shape/no-staging"),
            duties(375, 402)),
        arguments(Defect.LOSES_VOLUME_CONTEXT, names("shape/node-only"), duties()),
        arguments(Defect.HAS_NO_CONTROLLER, names("mount/first"), duties()),
        arguments(Defect.DETACHES_FIRST, names("mount/first"), duties(145)),
        arguments(Defect.NEW_PATH_EACH_ATTEMPT, names("lost/publish-timed-out"), duties()),
        arguments(Defect.LOWERCASES_IDS, names("names/odd"), duties()),
        arguments(Defect.ONE_LOCK_FOR_ALL, names("slow/hung-call-blocks-nobody"), duties()),
        arguments(Defect.UNCERTAIN_IS_NOT_DONE, names("lost/stage-given-up"), duties()),
        arguments(Defect.IGNORES_READ_ONLY, names("mount/read-only"), duties()),
        arguments(Defect.LAST_ORDER_WINS, names("mount/otherwise"), duties()),
        arguments(Defect.FLAGS_AT_STAGING_ONLY, names("mount/flags"), duties()),
        arguments(Defect.FACTS_AT_STAGING, names("mount/workload-facts"), duties(80)),
        arguments(
            Defect.TRUSTS_PRESENT_CAPABILITIES, names("plugin/upgrade-drops-staging"), duties()),
        arguments(Defect.UNDOES_FAILED_REFRESH, names("refresh/refused"), duties()),
        arguments(Defect.INLINE_NAMED_BY_JOB, names("inline/one-for-each-workload"), duties()));
  }

  /**
   * The spec does not say MUST of what these do: they are caught by advice. What meets without a
   * lock may break more than that, or may not.
   */
  static Stream<Arguments> unwise() {
    Set<String> crowd = names("crowd/eight-workloads-one-volume");
    return Stream.of(
        arguments(Defect.NO_LOCK, crowd, crowd, duties(49, 50)),
        arguments(
            Defect.CLAIM_AFTER_PUBLISH,
            names("crowd/leaves-while-another-publishes"),
            names(),
            duties(49, 50)),
        arguments(
            Defect.MAKES_TARGET, names("mount/first", "shape/no-staging"), names(), duties(409)));
  }

  @ParameterizedTest
  @MethodSource("unwise")
  void isAdvised(Defect defect, Set<String> scenarios, Set<String> mayFail, Set<DutyId> duties)
      throws Exception {
    ConformanceReport report = Objects.requireNonNull(reports.get(defect)).get();
    assertThat(failed(report))
        .as(report.text())
        .extracting(result -> result.about().name())
        .isSubsetOf(mayFail);
    assertThat(report.results())
        .as(report.text())
        .filteredOn(
            result ->
                duties.stream()
                    .allMatch(duty -> result.story().contains("\nadvice on duty " + duty)))
        .extracting(result -> result.about().name())
        .containsExactlyInAnyOrderElementsOf(scenarios);
  }

  @ParameterizedTest
  @MethodSource("defects")
  void fails(Defect defect, Set<String> scenarios, Set<DutyId> duties) throws Exception {
    ConformanceReport report = Objects.requireNonNull(reports.get(defect)).get();
    assertThat(failed(report))
        .as(report.text())
        .extracting(result -> result.about().name())
        .containsExactlyInAnyOrderElementsOf(scenarios);
    String causes =
        failed(report).stream()
            .flatMap(result -> result.causes().stream())
            .collect(Collectors.joining("\n"));
    assertThat(duties)
        .as(report.text())
        .allSatisfy(duty -> assertThat(causes).contains("broken duty " + duty + ": "));
    failed(report).forEach(SeededDefectsTest::tellsTheStory);
  }

  private static List<CaseResult> failed(ConformanceReport report) {
    return report.results(Outcome.FAILED);
  }

  private static void tellsTheStory(CaseResult result) {
    assertThat(result.story())
        .startsWith("expected: " + result.about().expectation() + "\n")
        .contains("\nwhat the plugin saw")
        .doesNotContain("csi4j-hidden");
    assertThat(result.causes())
        .isNotEmpty()
        .allSatisfy(
            cause ->
                assertThat(result.story())
                    .containsAnyOf(
                        "\nproblem: " + cause,
                        "\n" + cause.replaceFirst("(broken duty D-\\d+): .*", "$1")));
  }

  @Test
  void everyDefectIsTried() {
    assertThat(Stream.concat(defects(), unwise()).map(each -> (Defect) each.get()[0]))
        .containsExactlyInAnyOrderElementsOf(EnumSet.allOf(Defect.class));
  }

  @Test
  void namesOfScenariosAreUnique() {
    assertThat(OrchestratorConformance.cases())
        .extracting(ConformanceCase::name)
        .doesNotHaveDuplicates()
        .hasSizeGreaterThan(25);
  }

  private static Set<String> names(String... names) {
    return Arrays.stream(names).collect(Collectors.toSet());
  }

  private static Set<DutyId> duties(int... numbers) {
    return IntStream.of(numbers).mapToObj(DutyId::of).collect(Collectors.toSet());
  }
}
