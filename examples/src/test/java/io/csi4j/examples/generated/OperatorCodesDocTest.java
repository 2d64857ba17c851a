package io.csi4j.examples.generated;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.volume.internal.lifecycle.CallMeaning;
import io.csi4j.volume.internal.record.Verb;
import io.csi4j.volume.model.OperatorCode;
import java.io.IOException;
import org.junit.jupiter.api.Test;

class OperatorCodesDocTest {

  @Test
  void thePageAgreesWithTheCatalogue() throws IOException {
    GeneratedPage.isFresh("operator-codes.md", OperatorCodesDoc.render());
  }

  @Test
  void thePluginMayStillWorkAfterTheResultsThatThePageNames() {
    assertThat(CallMeaning.table().values())
        .allSatisfy(
            meaning ->
                assertThat(meaning.goesOn())
                    .isEqualTo(meaning.codes().get(Verb.STAGE) == OperatorCode.STAGE_IN_DOUBT));
  }

  @Test
  void everyCodeIsOnThePageOnceAndNothingBreaksItsRow() {
    String page = OperatorCodesDoc.render();
    assertThat(page.lines().filter(line -> line.startsWith("| CSI-")))
        .hasSameSizeAs(ToldCodes.names())
        .allSatisfy(line -> assertThat(line.split(" \\| ", -1)).hasSize(4));
    assertThat(OperatorCode.values())
        .allSatisfy(
            code ->
                assertThat(page)
                    .containsOnlyOnce("CSI-" + code.number() + " `" + code.name() + "`"));
  }
}
