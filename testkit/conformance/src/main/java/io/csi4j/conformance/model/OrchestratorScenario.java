package io.csi4j.conformance.model;

/**
 * One story that an orchestrator is put through. The suite alone implements it.
 *
 * @since 1.0
 */
public interface OrchestratorScenario {

  /** Its name, such as {@code restart/while-mounted}; unique, and lasting. */
  String name();

  /** Returns the expectation, as a sentence. */
  String expectation();

  /** The first part of its name: {@code restart}. */
  default String group() {
    return name().substring(0, name().indexOf('/'));
  }
}
