package io.csi4j.conformance.internal.orchestrator;

import io.csi4j.conformance.model.OrchestratorSetting;
import io.csi4j.conformance.model.OrchestratorUnderTest;
import java.nio.file.Path;
import java.util.Optional;

/** The orchestrator of one scenario, from its first start to its end. */
final class RunningOrchestrator {

  private final OrchestratorUnderTest.Factory factory;
  private final OrchestratorSetting setting;
  private volatile Optional<OrchestratorUnderTest> now = Optional.empty();

  RunningOrchestrator(OrchestratorUnderTest.Factory factory, OrchestratorSetting setting) {
    this.factory = factory;
    this.setting = setting;
  }

  /** Returns the directory for the orchestrator's paths. */
  Path directory() {
    return setting.directory();
  }

  /** Returns the running orchestrator. A crash replaces it by a new orchestrator. */
  OrchestratorUnderTest now() {
    return now.orElseThrow(() -> new IllegalStateException("The orchestrator does not run."));
  }

  void start() throws Exception {
    now = Optional.of(factory.start(setting));
  }

  /**
   * Crashes the orchestrator, and starts a new one with the files that the crashed orchestrator
   * left.
   */
  void restart() throws Exception {
    close();
    start();
  }

  /** Ends the orchestrator, if it is running. */
  void close() {
    Optional<OrchestratorUnderTest> last = now;
    now = Optional.empty();
    last.ifPresent(OrchestratorUnderTest::close);
  }
}
