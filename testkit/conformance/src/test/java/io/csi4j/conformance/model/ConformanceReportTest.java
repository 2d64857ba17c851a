package io.csi4j.conformance.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.conformance.model.CaseResult.Outcome;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** How results are put together by their causes. */
class ConformanceReportTest {

  private record Case(String name, String expectation) implements ConformanceCase {}

  private static CaseResult failed(String name, String... causes) {
    return new CaseResult(
        new Case("a/" + name, "It works."),
        Outcome.FAILED,
        List.of(causes),
        "the story of " + name,
        List.of(),
        List.of(),
        Duration.ZERO);
  }

  private static ConformanceReport report(CaseResult... results) {
    return new ConformanceReport("a host", List.of(results));
  }

  @Test
  void theCauseOfTheMostCasesComesFirstAndFurtherCausesOfACaseAreNamed() {
    ConformanceReport report =
        report(
            failed("one", "rare"),
            failed("two", "common"),
            failed("three", "common", "duty D-049 is broken"),
            failed("four", "common"));

    assertThat(report.text())
        .startsWith(
            """
            Conformance of a host

            FAILED 3 cases for one reason, first seen in a/two: common
              the story of two
              also in:
                a/four
              also in a/three, which has further causes:
                duty D-049 is broken

            FAILED a/one
              the story of one

            """);
    assertThat(report.summary())
        .startsWith(
            """
            FAILED 3 cases for one reason, first seen in a/two: common
            FAILED a/one: rare
            group""");
  }

  @Test
  void causesThatDifferInNamesNumbersAndPathsAreOne() {
    ConformanceReport report =
        report(
            failed("one", "volume 'a' at /tmp/x1/y took 3 s and ended with INTERNAL (13)"),
            failed("two", "volume 'b' at /tmp/x2/z took 41 s and ended with INTERNAL (13)"));

    assertThat(report.summary())
        .startsWith(
            "FAILED 2 cases for one reason, first seen in a/one: volume '…' at … took … s and ended"
                + " with INTERNAL (13)\n");
  }

  @Test
  void otherDutiesAndCodesAreOtherCauses() {
    ConformanceReport report =
        report(
            failed("one", "duty D-049 is broken"),
            failed("two", "duty D-050 is broken"),
            failed("three", "it ended with INTERNAL (13)"),
            failed("four", "it ended with UNKNOWN (2)"));

    assertThat(report.summary().lines().filter(line -> line.startsWith("FAILED"))).hasSize(4);
  }

  @Test
  void theFirstCaseWithAllCausesOfAResultIsFound() {
    CaseResult first = failed("one", "common");
    CaseResult further = failed("two", "common", "rare");
    CaseResult last = failed("three", "rare");
    ConformanceReport report = report(first, further, last);

    assertThat(report.firstLike(first)).isEmpty();
    assertThat(report.firstLike(further)).isEmpty();
    assertThat(report.firstLike(last)).contains(further);
  }
}
