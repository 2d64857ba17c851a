/** CSI plugins for testing an orchestrator, and a referee that judges the orchestrator. */
@SuppressWarnings({"requires-automatic", "module"})
module io.csi4j.testkit {
  requires static transitive org.jspecify;
  requires transitive io.csi4j.client;
  requires transitive io.csi4j.testkit.mount;
  requires static org.junit.jupiter.api;
  requires io.grpc;
  requires io.grpc.stub;
  requires io.grpc.protobuf;
  requires io.grpc.netty.shaded;
  requires com.google.common;
  requires com.google.protobuf;

  exports io.csi4j.testkit;
  exports io.csi4j.testkit.effects;
  exports io.csi4j.testkit.fault;
  exports io.csi4j.testkit.journal;
  exports io.csi4j.testkit.junit;
  exports io.csi4j.testkit.model;
  exports io.csi4j.testkit.referee;
  // The host path plugin uses the rules, the sockets and the journal of the fake plugin. The proxy
  // uses its sockets, faults, journal and referee. The conformance suites build and read messages
  // by their field names.
  exports io.csi4j.testkit.internal.backend to
      io.csi4j.testkit.hostpath,
      io.csi4j.testkit.proxy;
  exports io.csi4j.testkit.internal.journal to
      io.csi4j.conformance,
      io.csi4j.testkit.hostpath,
      io.csi4j.testkit.proxy;
  exports io.csi4j.testkit.internal.json to
      io.csi4j.testkit.proxy;
  exports io.csi4j.testkit.internal.referee to
      io.csi4j.testkit.proxy;
  exports io.csi4j.testkit.internal.server to
      io.csi4j.conformance,
      io.csi4j.testkit.hostpath,
      io.csi4j.testkit.proxy;
}
