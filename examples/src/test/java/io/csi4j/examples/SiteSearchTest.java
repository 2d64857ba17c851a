package io.csi4j.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** The search of the site is asked what newcomers look for. */
class SiteSearchTest {

  @Test
  void thePageThatAnswersIsAmongTheFirst() throws Exception {
    Process process;
    try {
      process =
          new ProcessBuilder("node", Page.ROOT.resolve("docs/site/search-check").toString())
              .redirectErrorStream(true)
              .start();
    } catch (IOException e) {
      assertThat(System.getenv("NODE_TEST_REQUIRED")).as("%s", e).isNotEqualTo("1");
      assumeThat(e).as("there is no node").isNull();
      return;
    }
    String places = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(places).isZero();
    assertThat(places).contains("0 not among the first three");
  }
}
