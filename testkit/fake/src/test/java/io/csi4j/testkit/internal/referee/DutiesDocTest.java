package io.csi4j.testkit.internal.referee;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.testkit.referee.Duty;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class DutiesDocTest {

  private static final Path PAGE =
      Path.of(System.getProperty("csi4j.root", "."), "docs", "duties.md");

  @Test
  void thePageAgreesWithTheCatalogueAndTheRules() throws IOException {
    String expected = DutiesDoc.render();
    if (Boolean.getBoolean("csi4j.regenerate")) {
      Files.createDirectories(PAGE.getParent());
      Files.writeString(PAGE, expected);
    }
    assertThat(PAGE)
        .as(
            "docs/duties.md is stale; rewrite it with: mvn test -Dtest=DutiesDocTest"
                + " -Dsurefire.failIfNoSpecifiedTests=false -Dcsi4j.regenerate=true")
        .exists()
        .content()
        .isEqualTo(expected);
  }

  @Test
  void everyDutyIsListedOnce() {
    assertThat(
            Pattern.compile("(D-\\d{3})")
                .matcher(DutiesDoc.render())
                .results()
                .map(id -> id.group(1)))
        .containsExactlyInAnyOrderElementsOf(
            Duty.all().stream().map(duty -> duty.id().toString()).toList());
  }
}
