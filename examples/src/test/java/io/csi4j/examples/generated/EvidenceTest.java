package io.csi4j.examples.generated;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whether an assertion that proves a row is told from one that only stands there. */
class EvidenceTest {

  private static final Pattern ROW = Pattern.compile("[A-L]\\d+|I-\\d+");

  @TempDir private Path folder;

  private List<WrittenTest> written(String name, String text) throws IOException {
    Path file = folder.resolve(name + ".java");
    Files.writeString(file, text);
    return WrittenTests.in(List.of(file));
  }

  private Evidence body(String statements) throws IOException {
    return Evidence.of(
        written(
            "SomeTest",
            "class SomeTest { @Tag(\"A1\") @Test void works() throws Exception {\n"
                + statements
                + "\n} }"),
        ROW);
  }

  @Test
  void anAssertionThatNamesARowShowsItWithTheWordsItSpeaksOf() throws IOException {
    Evidence evidence =
        body(
            """
            try (Node node = open()) {
              assertThat(node.told())
                  .as("A1: the operator is told of %s", "db")
                  .extracting(OperatorMessage::code)
                  .contains(OperatorCode.ADOPTED);
            }
            """);

    assertThat(evidence.problems()).isEmpty();
    assertThat(evidence.shown()).containsOnlyKeys("A1");
    assertThat(evidence.classes("A1")).containsExactly("SomeTest");
    assertThat(evidence.names("A1", "ADOPTED")).isTrue();
    assertThat(evidence.names("A1", "db")).as("a description asserts nothing").isFalse();
  }

  @Test
  void aLoopOverWhatIsWrittenThereIsRun() throws IOException {
    assertThat(
            body("for (int i : List.of(1)) { assertThat(i).as(\"A1: one\").isEqualTo(1); }")
                .problems())
        .isEmpty();
    assertThat(
            body("for (P p : P.values()) { assertThat(p).as(\"A1: all\").isIn(all); }").problems())
        .isEmpty();
  }

  @Test
  void whatATestCanPassWithoutIsNoEvidence() throws IOException {
    assertThat(flaw("if (wanted) { assertThat(x).as(\"A1: x\").isTrue(); }"))
        .contains("it stands in a branch");
    assertThat(flaw("switch (x) { case 1: assertThat(x).as(\"A1: x\").isZero(); }"))
        .contains("it stands in a branch");
    assertThat(flaw("switch (x) { case 1 -> assertThat(x).as(\"A1: x\").isZero(); }"))
        .contains("it stands in a branch");
    assertThat(flaw("try { go(); } catch (E e) { assertThat(e).as(\"A1: x\").hasNoCause(); }"))
        .contains("it stands in a catch");
    assertThat(flaw("for (X x : found) { assertThat(x).as(\"A1: x\").isTrue(); }"))
        .contains("it stands in a loop that may be empty");
    assertThat(flaw("for (X x : List.of()) { assertThat(x).as(\"A1: x\").isTrue(); }"))
        .contains("it stands in a loop that may be empty");
    assertThat(flaw("while (go()) { assertThat(x).as(\"A1: x\").isTrue(); }"))
        .contains("it stands in a loop that may be empty");
    assertThat(flaw("for (int i = 0; i < n; i++) { assertThat(x).as(\"A1: x\").isTrue(); }"))
        .contains("it stands in a loop that may be empty");
    assertThat(flaw("later(() -> { assertThat(x).as(\"A1: x\").isTrue(); });"))
        .contains("it stands in a lambda");
    assertThat(flaw("new Object() { void x() { assertThat(x).as(\"A1: x\").isTrue(); } };"))
        .contains("it stands in a class");
    assertThat(flaw("if (old) { return; } assertThat(x).as(\"A1: x\").isTrue();"))
        .contains("the test may have returned before it");
  }

  @Test
  void anAssertionThatAsksNothingIsNoEvidence() throws IOException {
    assertThat(flaw("assertThat(x).isEqualTo(1).as(\"A1: x\");"))
        .contains("it asks nothing after its description");
    assertThat(flaw("assertThat(x).as(\"A1: x\").isNotNull();"))
        .contains("it asks nothing after its description");
    assertThat(flaw("assertThat(true).as(\"A1: x\").isTrue();")).contains("it looks at a constant");
    assertThat(flaw("// assertThat(x).as(\"A1: x\").isTrue();"))
        .contains("SomeTest#works is tagged with [A1] and asserts by name []");
    assertThat(flaw("assertThat(x).as(\"A1 is meant\").isTrue();"))
        .contains("SomeTest#works is tagged with [A1] and asserts by name []");
  }

  private String flaw(String statements) throws IOException {
    Evidence evidence = body(statements);
    assertThat(evidence.shown()).isEmpty();
    assertThat(evidence.problems()).hasSize(1);
    return evidence.problems().get(0);
  }

  @Test
  void aTestThatIsNotRunIsNoEvidence() throws IOException {
    String test = "@Tag(\"A1\") @Test void works() { assertThat(x).as(\"A1: x\").isTrue(); }";

    assertThat(problems("SomeTest", "@Disabled class SomeTest { " + test + " }"))
        .containsExactly("Row A1 is not shown by SomeTest#works: its class is disabled.");
    assertThat(problems("SomeTest", "class SomeTest { @Disabled " + test + " }"))
        .containsExactly("Row A1 is not shown by SomeTest#works: it is disabled.");
    assertThat(problems("SomeTest", "class SomeTest { class Inside { " + test + " } }"))
        .containsExactly(
            "Row A1 is not shown by SomeTest#works: the class Inside around it is not run.");
    assertThat(problems("Contract", "interface Contract { default " + test + " }"))
        .containsExactly("Row A1 is not shown by Contract#works: no class runs it.");
    assertThat(problems("SimulatorTest", "class SimulatorTest { " + test + " }"))
        .containsExactly(
            "Row A1 is not shown by SimulatorTest#works: it plays histories that need not meet the"
                + " row.");
    assertThat(problems("SomeTest", "class SomeTest { " + test.replace("@Test ", "") + " }"))
        .isEmpty();
    assertThat(
            problems(
                "OneTest",
                "abstract class Contract { " + test + " } class OneTest extends Contract {}"))
        .isEmpty();
    assertThat(problems("SomeTest", "class SomeTest { @Nested class Inside { " + test + " } }"))
        .isEmpty();
  }

  private List<String> problems(String name, String text) throws IOException {
    return Evidence.of(written(name, text), ROW).problems();
  }

  @Test
  void oneAssertionMayShowSeveralRowsAndTheirTagsGoWithThem() throws IOException {
    List<WrittenTest> tests =
        written(
            "SomeTest",
            """
            @MountTest
            @Tag("I-7")
            class SomeTest {
              @Tag("A2")
              @Tag("campaign")
              @Tag("P7")
              @ParameterizedTest
              void works(Point point) {
                assertThat(x).as("A2 I-7: at %s", point).isZero();
                assertThat(x).as("P7: none of ours").isZero();
              }
            }
            """);
    Evidence evidence = Evidence.of(tests, ROW);

    assertThat(evidence.problems()).isEmpty();
    assertThat(evidence.shown()).containsOnlyKeys("A2", "I-7");
    assertThat(tests)
        .singleElement()
        .satisfies(
            test -> {
              assertThat(test.isCampaign()).isTrue();
              assertThat(test.tags()).isEqualTo(Set.of("mount", "I-7", "A2", "campaign", "P7"));
              assertThat(test.name()).isEqualTo("SomeTest#works");
            });
  }
}
