package io.csi4j.examples.generated;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Every hostile input has a test that asserts its outcome, or a written decision. */
class HostileInputsTest {

  private static final Path PAGE =
      Path.of(System.getProperty("csi4j.root", "."), "docs", "hostile-inputs.md");

  private static final String SOURCE =
      """
      class SomeTest {

        @Test
        void works() {
          // assertThat(told).isEqualTo(COMMENTED);
          String text = "assertThat(it).isEqualTo(QUOTED)";
          run(PREPARED);
          assertThat(told()).isEqualTo(Code.ADOPTED);
          assertThat(told().text())
              .contains("it; that");
          isTold(RESUMED);
        }

        private static void isTold(Code code) {
          assertThat(told()).isEqualTo(code);
        }

        private static void run(Code code) {
          told().add(code);
        }
      }
      """;

  @Test
  void everyRowHasATestThatAssertsItsOutcomeOrADecision() throws IOException {
    assertThat(HostileInputs.load().problems(WrittenTests.ofTheHouse())).isEmpty();
  }

  @Test
  void allRowsAreThereAndNoneIsOpen() throws IOException {
    HostileInputs inputs = HostileInputs.load();
    assertThat(inputs.rows()).hasSize(106);
    assertThat(inputs.open()).isEmpty();
  }

  @Test
  void thePageAgreesWithTheLists() throws IOException {
    String expected = HostileInputsDoc.render(HostileInputs.load());
    if (Boolean.getBoolean("csi4j.regenerate")) {
      Files.writeString(PAGE, expected);
    }
    assertThat(PAGE)
        .as("docs/hostile-inputs.md is stale; run this test with -Dcsi4j.regenerate=true")
        .content()
        .isEqualTo(expected);
  }

  @Test
  void wordsInAnAssertionAreEvidenceAlsoThroughAMethodThatAsserts() {
    AssertedWords test = new AssertedWords(SOURCE, "works");
    assertThat(test.problem("Code.ADOPTED")).isEmpty();
    assertThat(test.problem("\"it; that\"")).isEmpty();
    assertThat(test.problem("RESUMED")).isEmpty();
  }

  @Test
  void wordsThatNothingAssertsAreNoEvidence() {
    AssertedWords test = new AssertedWords(SOURCE, "works");
    assertThat(test.problem("COMMENTED")).contains("it does not say COMMENTED");
    assertThat(test.problem("QUOTED")).contains("nothing is asserted with QUOTED");
    assertThat(test.problem("PREPARED")).contains("nothing is asserted with PREPARED");
    assertThat(new AssertedWords(SOURCE, "nowhere").problem("code"))
        .contains("there is no such test");
  }

  @Test
  void aRowWithoutAnAnswerAndAnswersWithoutARowAreProblems() {
    HostileInputs.Evidence gone = new HostileInputs.Evidence(3, "nowhere/SomeTest.java#a", "b");
    HostileInputs inputs =
        new HostileInputs(
            List.of(
                new HostileInputs.Row(1, "This", "that"), new HostileInputs.Row(3, "This", "that")),
            List.of(gone),
            Map.of(7, "No."),
            Map.of(3, "Later"));
    assertThat(inputs.problems(List.of()))
        .containsExactly(
            "Row 1 has neither a test in hostile-tests.txt nor a decision in hostile-decided.txt.",
            "Row 3 does not follow row 1.",
            "Row 3 has an answer. Take it off hostile-open.txt.",
            "Row 3, test nowhere/SomeTest.java#a: there is no such file.",
            "There is no row 7, but a reason for it.");
  }
}
