package io.csi4j.examples.generated;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.volume.model.OperatorCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class OperatorCodesDocTest {

  private static final Path PAGE =
      Path.of(System.getProperty("csi4j.root", "."), "docs", "operator-codes.md");

  @Test
  void thePageAgreesWithTheCatalogue() throws IOException {
    String expected = OperatorCodesDoc.render();
    if (Boolean.getBoolean("csi4j.regenerate")) {
      Files.writeString(PAGE, expected);
    }
    assertThat(PAGE)
        .as(
            "docs/operator-codes.md is stale; rewrite it with: mvn test -Dtest=OperatorCodesDocTest"
                + " -Dsurefire.failIfNoSpecifiedTests=false -Dcsi4j.regenerate=true")
        .exists()
        .content()
        .isEqualTo(expected);
  }

  @Test
  void everyCodeIsOnThePageOnceAndNothingBreaksItsRow() {
    String page = OperatorCodesDoc.render();
    assertThat(page.lines().filter(line -> line.startsWith("| CSI-")))
        .hasSameSizeAs(ToldCodes.names())
        .allSatisfy(line -> assertThat(line.split(" \\| ", -1)).hasSize(5));
    assertThat(OperatorCode.values())
        .allSatisfy(
            code ->
                assertThat(page)
                    .containsOnlyOnce("CSI-" + code.number() + " `" + code.name() + "`"));
  }
}
