package io.csi4j.examples.generated;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Whether everything that can go wrong has a test that asserts it, or a reason why it has none. */
class FaultMatrixTest {

  private static final String REGENERATE =
      "mvn test -Dtest=FaultMatrixTest -Dsurefire.failIfNoSpecifiedTests=false"
          + " -Dcsi4j.regenerate=true";

  private static final Path PAGE =
      Path.of(System.getProperty("csi4j.root", "."), "docs", "fault-matrix.md");

  private static final FaultMatrix SMALL =
      new FaultMatrix(
          List.of(
              new FaultMatrix.Row("A1", List.of(), "Nothing is left"),
              new FaultMatrix.Row("I-7", List.of("MOUNT_LOST"), "Nothing is relied on")),
          Map.of("I-7", "Nobody can test that."));

  private static Evidence evidence() throws IOException {
    return Evidence.of(WrittenTests.ofTheHouse(), FaultMatrix.NAME);
  }

  /** Evidence for rows of which each assertion speaks of one word. */
  private static Evidence shown(Map<String, String> words) {
    TreeMap<String, List<Evidence.Proof>> shown = new TreeMap<>();
    words.forEach(
        (row, word) ->
            shown.put(
                row,
                List.of(
                    new Evidence.Proof(
                        new WrittenTest("", "SomeTest", "works", Set.of(), "", List.of()),
                        Set.of(word)))));
    return new Evidence(shown, List.of());
  }

  @Test
  void everyRowIsAssertedByNameWithItsCodesOrHasAReason() throws IOException {
    assertThat(FaultMatrix.load().problems(evidence())).isEmpty();
  }

  @Test
  void everyCodeThatIsToldIsProvokedByATest() throws IOException {
    assertThat(RowShowing.ofTheVolumeManager().unprovoked(ToldCodes.names()))
        .as("codes that are told and that no test provokes")
        .isEmpty();
  }

  @Test
  void aCodeThatIsOnlyWrittenIsFound() {
    RowShowing showing =
        new RowShowing(
            Map.of(
                "SomeTest",
                """
                class SomeTest {
                  @Test
                  void shows() {
                    assertThat(told()).isEqualTo(OperatorCode.ADOPTED);
                  }

                  @Test
                  void another() {
                    Messages.of(
                        OperatorCode.RPC_SLOW, subject);
                    assertThat(RESUMED).isTrue();
                    // MOUNT_LOST is told here.
                  }
                }
                """,
                "Helper",
                "class Helper { void told() { assertThat(code()).isEqualTo(PATH_FAILED); } }"));

    assertThat(
            showing.unprovoked(
                Set.of("ADOPTED", "RPC_SLOW", "RESUMED", "MOUNT_LOST", "PATH_FAILED")))
        .containsExactly("MOUNT_LOST", "PATH_FAILED", "RPC_SLOW");
  }

  @Test
  void thePageAgreesWithTheListsAndTheTests() throws IOException {
    String expected = FaultMatrixDoc.render(FaultMatrix.load(), evidence());
    if (Boolean.getBoolean("csi4j.regenerate")) {
      Files.writeString(PAGE, expected);
    }
    assertThat(PAGE)
        .as("docs/fault-matrix.md is stale; rewrite it with: " + REGENERATE)
        .exists()
        .content()
        .isEqualTo(expected);
  }

  @Test
  void theMatrixHasAllRows() throws IOException {
    assertThat(
            FaultMatrix.load().rows().stream()
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
  void aMatrixInWhichEveryRowHasATestOrAReasonHasNoProblem() {
    assertThat(SMALL.problems(shown(Map.of("A1", "works")))).isEmpty();
  }

  @Test
  void aRowWithNeitherTestNorReasonIsAProblem() {
    assertThat(SMALL.problems(shown(Map.of())))
        .singleElement()
        .asString()
        .startsWith("Row A1 has no test.");
  }

  @Test
  void aRowWithATestAndAReasonIsAProblem() {
    assertThat(SMALL.problems(shown(Map.of("A1", "works", "I-7", "MOUNT_LOST"))))
        .containsExactly("Row I-7 has a test ([SomeTest]). Take it off open.txt.");
  }

  @Test
  void aRowOfWhichNoAssertionHasItsCodeIsAProblem() {
    FaultMatrix matrix = new FaultMatrix(SMALL.rows(), Map.of());

    assertThat(matrix.problems(shown(Map.of("A1", "works", "I-7", "MOUNT_LOSTS"))))
        .containsExactly("Row I-7 has the code MOUNT_LOST, and no assertion of it has.");
  }

  @Test
  void anAssertionOfWhatIsNoRowIsAProblem() {
    assertThat(SMALL.problems(shown(Map.of("A1", "works", "L99", "works"))))
        .containsExactly("[SomeTest] assert L99, which is no row.");
  }

  @Test
  void whatIsNoEvidenceIsAProblem() {
    Evidence evidence = new Evidence(shown(Map.of("A1", "works")).shown(), List.of("Of no use."));

    assertThat(SMALL.problems(evidence)).containsExactly("Of no use.");
  }

  @Test
  void aCodeThatThereIsNotAndARowThatIsListedTwiceAreProblems() {
    FaultMatrix.Row row = new FaultMatrix.Row("A1", List.of("NO_SUCH"), "Nothing is left");
    assertThat(new FaultMatrix(List.of(row, row), Map.of("A1", "None.")).problems(shown(Map.of())))
        .containsExactly(
            "Row A1 names the code NO_SUCH, which there is not.",
            "Row A1 is listed twice.",
            "Row A1 names the code NO_SUCH, which there is not.");
  }

  @Test
  void aReasonWithoutARowIsAProblem() {
    FaultMatrix matrix = new FaultMatrix(SMALL.rows(), Map.of("Z9", "None.", "I-7", "None."));

    assertThat(matrix.problems(shown(Map.of("A1", "works"))))
        .containsExactly("There is no row Z9, but a reason in open.txt.");
  }
}
