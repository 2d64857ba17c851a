package io.csi4j.testkit.internal.referee;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
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
  void noCellBreaksItsTable() {
    assertThat(DutiesDoc.render().lines().filter(line -> line.startsWith("| D-")))
        .hasSize(564)
        .allSatisfy(line -> assertThat(line.split(" \\| ", -1)).hasSize(6));
  }
}
