package io.csi4j.examples.generated;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.examples.generated.HostileInputs.Evidence;
import io.csi4j.examples.generated.HostileInputs.Row;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Every hostile input has a test with its outcome, or a written decision. */
class HostileInputsTest {

  @Test
  void eachOfThe106RowsHasATestWithItsOutcomeOrADecision() throws IOException {
    HostileInputs inputs = HostileInputs.load();
    assertThat(inputs.rows()).hasSize(106);
    assertThat(inputs.problems(WrittenTest.all())).isEmpty();
  }

  @Test
  void thePageAgreesWithTheLists() throws IOException {
    GeneratedPage.isFresh("hostile-inputs.md", HostileInputs.load().page());
  }

  @Test
  void aRowWithoutAnAnswerAndAnswersWithoutARowAreFound() {
    WrittenTest test =
        new WrittenTest("m", "SomeTest", "works", Set.of(), "assertThat(it).isEqualTo(\n  CODE);");
    String path = "m/src/test/java/SomeTest.java#works";

    assertThat(
            new HostileInputs(
                    List.of(new Row(1, "This", "that"), new Row(3, "This", "that")),
                    List.of(
                        new Evidence(3, path, "isEqualTo( CODE)"),
                        new Evidence(3, path, "OTHER"),
                        new Evidence(3, path + "Not", "CODE"),
                        new Evidence(3, "other/" + path, "CODE")),
                    Map.of(7, "No."))
                .problems(List.of(test)))
        .containsExactly(
            "Row 3: m/src/test/java/SomeTest.java#works does not say OTHER",
            "Row 3: m/src/test/java/SomeTest.java#worksNot does not say CODE",
            "Row 3: other/m/src/test/java/SomeTest.java#works does not say CODE",
            "Row 1 has neither a test nor a decision.",
            "Row 3 stands where row 2 should.",
            "There is no row 7.");
  }
}
