package io.csi4j.conformance.internal.plugin;

/** The need of a case, from the plugin or from its description. */
record Need(String words, String otherwise, Check check) {

  /** Whether it is there. */
  @FunctionalInterface
  interface Check {
    boolean holds(Trial trial) throws CaseEndedException;
  }

  boolean met(Trial trial) throws CaseEndedException {
    return check.holds(trial);
  }
}
