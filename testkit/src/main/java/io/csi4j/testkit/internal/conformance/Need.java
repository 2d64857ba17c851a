package io.csi4j.testkit.internal.conformance;

/** What a case needs, of the plugin or of its description. */
record Need(String words, String otherwise, Check check) {

  /** Whether it is there. */
  @FunctionalInterface
  interface Check {
    boolean holds(Trial trial) throws Ending;
  }

  boolean met(Trial trial) throws Ending {
    return check.holds(trial);
  }
}
