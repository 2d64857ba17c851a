package io.csi4j.testkit.conformance;

import io.csi4j.testkit.internal.scenario.Scenario;

/** One story that an orchestrator is put through. */
public sealed interface OrchestratorScenario permits Scenario {

  /** Its name, such as {@code restart/while-mounted}; unique, and lasting. */
  String name();

  /** What is expected, as a sentence. */
  String expectation();

  /** The first part of its name: {@code restart}. */
  default String group() {
    return name().substring(0, name().indexOf('/'));
  }
}
