/** Conformance suites for CSI plugins, orchestrators and record stores. */
@SuppressWarnings("requires-automatic")
module io.csi4j.conformance {
  requires static transitive org.jspecify;
  requires transitive io.csi4j.client;
  requires transitive io.csi4j.testkit;
  requires transitive io.csi4j.volume.claims;
  requires static org.junit.jupiter.api;
  requires com.google.protobuf;

  exports io.csi4j.conformance;
  exports io.csi4j.conformance.model;
  exports io.csi4j.conformance.store;

  // JUnit calls the test methods of the abstract test classes in this package by reflection.
  opens io.csi4j.conformance to
      org.junit.platform.commons;
}
