package io.csi4j.examples.generated;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Whether everything that can go wrong has a test, or a reason why it has none. */
class FaultMatrixTest {

  /** Grows with the tests, never shrinks. */
  private static final int LINKED_AT_LEAST = 155;

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
          Map.of("I-7", "Nobody can test that."),
          Map.of());

  @Test
  void everyRowHasATestOrAReasonAndEveryTagARow() throws IOException {
    SortedMap<String, Set<String>> tags = RowTags.inTheVolumeManager();
    if (Boolean.getBoolean("csi4j.regenerate")) {
      forgetReasonsOf(FaultMatrix.load().linked(tags).keySet());
    }
    assertThat(FaultMatrix.load().problems(tags))
        .as("rewrite the lists with: " + REGENERATE)
        .isEmpty();
  }

  @Test
  void aTestOfEachRowAssertsItsCodeOrItsOutcome() throws IOException {
    assertThat(
            RowShowing.ofTheVolumeManager()
                .unshown(
                    FaultMatrix.load().rows(),
                    RowTags.inTheVolumeManager(),
                    FaultMatrix.outcomes()))
        .isEmpty();
  }

  @Test
  void everyCodeThatIsToldIsProvokedByATest() throws IOException {
    assertThat(RowShowing.ofTheVolumeManager().unprovoked(ToldCodes.names()))
        .as("codes that are told and that no test provokes")
        .isEmpty();
  }

  @Test
  void aRowWhoseTestsDoNotShowItAndACodeThatIsOnlyWrittenAreFound() {
    RowShowing showing =
        new RowShowing(
            Map.of(
                "SomeTest",
                """
                class SomeTest {
                  @Test
                  @Tag("A1")
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
    FaultMatrix.Row row = new FaultMatrix.Row("A1", List.of("ADOPTED"), "It is adopted");
    FaultMatrix.Row slow = new FaultMatrix.Row("C9", List.of("RPC_STUCK"), "It is slow");
    Map<String, Set<String>> tests =
        Map.of("A1", Set.of("SomeTest#shows"), "C9", Set.of("SomeTest#another"));

    assertThat(
            showing.unprovoked(
                Set.of("ADOPTED", "RPC_SLOW", "RESUMED", "MOUNT_LOST", "PATH_FAILED")))
        .containsExactly("MOUNT_LOST", "PATH_FAILED", "RPC_SLOW");
    assertThat(showing.unshown(List.of(row), tests, Map.of())).isEmpty();
    assertThat(showing.unshown(List.of(slow), tests, Map.of()))
        .singleElement()
        .asString()
        .startsWith("Row C9: none of its tests [SomeTest#another] asserts [RPC_STUCK].");
    assertThat(
            showing.unshown(
                List.of(slow),
                tests,
                Map.of("C9", List.of("SomeTest#another", "RESUMED).isTrue()"))))
        .isEmpty();
    assertThat(
            showing.unshown(
                List.of(row, slow),
                tests,
                Map.of(
                    "A1", List.of("SomeTest#shows", "told()"),
                    "C9", List.of("SomeTest#another", "ADOPTED"))))
        .hasSize(2);
  }

  @Test
  void atLeastAsManyRowsHaveATestAsEver() throws IOException {
    assertThat(FaultMatrix.load().linked(RowTags.inTheVolumeManager()))
        .hasSizeGreaterThanOrEqualTo(LINKED_AT_LEAST);
  }

  @Test
  void thePageAgreesWithTheListsAndTheTags() throws IOException {
    SortedMap<String, Set<String>> tags = RowTags.inTheVolumeManager();
    if (Boolean.getBoolean("csi4j.regenerate")) {
      forgetReasonsOf(FaultMatrix.load().linked(tags).keySet());
    }
    FaultMatrix matrix = FaultMatrix.load();
    String expected = FaultMatrixDoc.render(matrix, matrix.linked(tags));
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
                Map.entry('H', 17L),
                Map.entry('I', 11L),
                Map.entry('J', 6L),
                Map.entry('K', 10L),
                Map.entry('L', 8L)));
  }

  @Test
  void aMatrixInWhichEveryRowHasATestOrAReasonHasNoProblem() {
    assertThat(SMALL.problems(Map.of("A1", Set.of("SomeTest#works")))).isEmpty();
  }

  @Test
  void aRowWithNeitherTestNorReasonIsAProblem() {
    assertThat(SMALL.problems(Map.of()))
        .singleElement()
        .asString()
        .startsWith("Row A1 has no test.");
  }

  @Test
  void aRowWithATestAndAReasonIsAProblem() {
    assertThat(SMALL.problems(Map.of("A1", Set.of("T#a"), "I-7", Set.of("T#b"))))
        .containsExactly("Row I-7 has a test ([T]). Take it off open.txt.");
  }

  @Test
  void aTagThatIsNoRowIsAProblem() {
    assertThat(SMALL.problems(Map.of("A1", Set.of("T#a"), "I7", Set.of("T#b"))))
        .containsExactly("The tag I7 of [T#b] is no row. Rows of group I are written I-7.");
  }

  @Test
  void aCodeThatThereIsNotAndARowThatIsListedTwiceAreProblems() {
    FaultMatrix.Row row = new FaultMatrix.Row("A1", List.of("NO_SUCH"), "Nothing is left");
    assertThat(
            new FaultMatrix(List.of(row, row), Map.of("A1", "None."), Map.of()).problems(Map.of()))
        .containsExactly(
            "Row A1 names the code NO_SUCH, which there is not.",
            "Row A1 is listed twice.",
            "Row A1 names the code NO_SUCH, which there is not.");
  }

  @Test
  void aReasonWithoutARowAndATestElsewhereThatIsGoneAreProblems() {
    FaultMatrix matrix =
        new FaultMatrix(
            SMALL.rows(),
            Map.of("Z9", "None."),
            Map.of(
                "A1",
                "testkit/fake/src/Nowhere.java#works",
                "I-7",
                "examples/src/test/java/io/csi4j/examples/generated/RowTags.java#works"));
    assertThat(matrix.problems(Map.of("A1", Set.of("T#a"), "I-7", Set.of("T#a"))))
        .hasSize(3)
        .contains("There is no row Z9, but a reason in open.txt.");
  }

  @Test
  void testsThatAreNotRunDoNotCount() {
    assertThat(
            RowTags.of(
                """
                class SomeTest {
                  @Tag("A1")
                  void helper() {}

                  @Tag("A1")
                  private static final class Looked {
                    @Test
                    void never() {}
                  }
                }
                """
                    .lines()
                    .toList()))
        .isEmpty();
  }

  @Test
  void tagsOfMethodsClassesAndTheirLikesAreFoundAndOthersLeftAlone() {
    assertThat(
            RowTags.of(
                """
                @Tag("A1")
                class SomeTest {
                  @Test
                  @Tag("I-7")
                  @Tag("L3")
                  @Tag("D-03")
                  void one() {}

                  @Nested
                  @Tag("B2")
                  class Inside {
                    @ParameterizedTest
                    @Tag("mount")
                    void two(String value) {}
                  }

                  @TestFactory
                  Stream<DynamicTest> three() {
                    return Stream.of();
                  }
                }
                """
                    .lines()
                    .toList()))
        .isEqualTo(
            Map.of(
                "A1", Set.of("SomeTest#one", "SomeTest#two", "SomeTest#three"),
                "I-7", Set.of("SomeTest#one"),
                "L3", Set.of("SomeTest#one"),
                "B2", Set.of("SomeTest#two")));
  }

  private static void forgetReasonsOf(Set<String> linked) throws IOException {
    Path open = FaultMatrix.LISTS.resolve("open.txt");
    Files.write(
        open,
        Files.readAllLines(open).stream()
            .filter(line -> !linked.contains(line.split(" \\| ", -1)[0]))
            .toList());
  }
}
