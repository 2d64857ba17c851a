package io.csi4j.client.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class ErrorsDocTest {

  private static final Path PAGE =
      Path.of(System.getProperty("csi4j.root", "."), "docs", "errors.md");

  @Test
  void thePageAgreesWithTheTables() throws IOException {
    String expected = ErrorsDoc.render();
    if (Boolean.getBoolean("csi4j.regenerate")) {
      Files.createDirectories(PAGE.getParent());
      Files.writeString(PAGE, expected);
    }
    assertThat(PAGE)
        .as(
            "docs/errors.md is stale; rewrite it with: mvn test -Dtest=ErrorsDocTest"
                + " -Dsurefire.failIfNoSpecifiedTests=false -Dcsi4j.regenerate=true")
        .exists()
        .content()
        .isEqualTo(expected);
  }

  @Test
  void thePageHasASectionForEveryOperation() {
    String page = ErrorsDoc.render();
    for (CsiOperation operation : CsiOperation.values()) {
      assertThat(page).contains("<a id=\"" + operation.rpcName() + "\"></a>");
    }
  }

  @Test
  void noCellBreaksItsTable() {
    assertThat(ErrorsDoc.render().lines().filter(line -> line.startsWith("| ")))
        .allSatisfy(
            line -> assertThat(line.chars().filter(c -> c == '|').count()).isIn(3L, 5L, 6L));
  }
}
