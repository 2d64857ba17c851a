package io.csi4j.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Calls from virtual threads that wait for a plugin leave their carrier to others: with one carrier
 * and no second, another virtual thread gets an answer from csi4j meanwhile.
 */
class VirtualThreadsTest {

  @TempDir Path directory;

  @ParameterizedTest
  @ValueSource(strings = {"connect", "client", "mount", "create", "acquire"})
  void whileACallWaitsForAPluginOthersRun(String scenario) throws Exception {
    try (OneCarrierProcess program = OneCarrierProcess.start(scenario, directory)) {
      assertThat(program.verdict()).isEqualTo("others ran");
    }
  }
}
