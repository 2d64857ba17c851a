package io.csi4j.examples.generated;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.examples.generated.FaultMatrix.Row;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Each failure has a test that asserts it, or a reason why it has none. */
class FaultMatrixTest {

  private static final List<WrittenTest> TESTS = WrittenTest.all();

  private static WrittenTest test(String type, Set<String> tags, String body) {
    return new WrittenTest("m", type, "works", tags, body);
  }

  @Test
  void everyRowIsAssertedByNameWithItsCodesOrHasAReason() throws IOException {
    assertThat(FaultMatrix.load(TESTS).problems()).isEmpty();
  }

  @Test
  void thePageAgreesWithTheListsAndTheTests() throws IOException {
    GeneratedPage.isFresh("fault-matrix.md", FaultMatrix.load(TESTS).page());
  }

  @Test
  void everyCodeThatIsReportedIsNamedByATest() {
    assertThat(ToldCodes.withoutTest()).isEmpty();
  }

  @Test
  void theMatrixHasAllRows() throws IOException {
    assertThat(
            FaultMatrix.load(TESTS).rows().stream()
                .collect(Collectors.groupingBy(row -> row.id().charAt(0), Collectors.counting())))
        .isEqualTo(
            Map.ofEntries(
                Map.entry('A', 25L),
                Map.entry('B', 7L),
                Map.entry('C', 20L),
                Map.entry('D', 11L),
                Map.entry('E', 12L),
                Map.entry('F', 19L),
                Map.entry('G', 13L),
                Map.entry('H', 18L),
                Map.entry('I', 11L),
                Map.entry('J', 6L),
                Map.entry('K', 10L),
                Map.entry('L', 8L)));
  }

  @Test
  void aTestIsReadWithItsTagsAndTheRowsAndCodesThatItAsserts() {
    List<WrittenTest> tests =
        WrittenTest.in(
            "m",
            "SomeTest",
            """
            #Tag("campaign")
            class SomeTest {

              #Tag("I-7")
              #ParameterizedTest
              #ValueSource(
                  strings = "it")
              void works(String it) {
                // assertThat(told()).named("A1: none").isEmpty();
                assertThat(told()).isEqualTo(RPC_SLOW);
                try (Node node = open(PATH_FAILED)) {
                  assertThat(told())
                      .named("I-7 A2: MOUNT_LOST")
                      .contains(OperatorCode.ADOPTED);
                }
              }

              void helps() {}
            }
            """
                .replace('#', '@')
                .replace("named", "as"));

    assertThat(tests)
        .singleElement()
        .satisfies(
            test -> {
              assertThat(test.name()).isEqualTo("SomeTest#works");
              assertThat(test.tags()).isEqualTo(Set.of("campaign", "I-7"));
              assertThat(test.says(".contains(OperatorCode.ADOPTED); }")).isTrue();
              assertThat(test.assertions(FaultMatrix.NAME))
                  .containsExactly(
                      new WrittenTest.Assertion(Set.of("I-7", "A2"), Set.of("ADOPTED")));
            });
  }

  @Test
  void whatIsMissingOrUnknownIsFound() {
    String a1 = "assertThat(it).as(\"A1: it is\").isEqualTo(ADOPTED);\n";
    Row row = new Row("A1", List.of("ADOPTED"), "It is adopted");
    Row other = new Row("I-7", List.of("MOUNT_LOST", "NO_SUCH"), "It is lost");
    FaultMatrix good =
        new FaultMatrix(
            List.of(row), Map.of(), List.of(test("SomeTest", Set.of("A1", "campaign"), a1)));

    assertThat(good.problems()).isEmpty();
    assertThat(
            new FaultMatrix(
                    List.of(row, row, other),
                    Map.of("A1", "None.", "Z9", "None."),
                    List.of(
                        test("SomeTest", Set.of("A1"), a1 + a1.replace("A1:", "L99:")),
                        test("SimulatorTest", Set.of("A1"), a1)))
                .problems())
        .containsExactly(
            "SomeTest#works is tagged with [A1] and asserts [A1, L99].",
            "SimulatorTest#works plays histories that need not meet [A1].",
            "Row A1 needs either a test or a reason in open.txt.",
            "Row A1 is listed twice.",
            "Row A1 needs either a test or a reason in open.txt.",
            "Row I-7 needs either a test or a reason in open.txt.",
            "Row I-7 has the code MOUNT_LOST, and no assertion of it has.",
            "Row I-7 names the code NO_SUCH, which does not exist.",
            "There is no row L99.",
            "There is no row Z9.");
  }
}
