/** A typed client for CSI plugins, with every call of the Container Storage Interface 1.13. */
@SuppressWarnings({"requires-automatic", "module"})
module io.csi4j.client {
  requires static transitive org.jspecify;
  requires transitive io.csi4j.client.model;
  requires dev.failsafe.core;
  requires io.grpc;
  requires io.grpc.stub;
  requires io.grpc.protobuf;
  requires io.grpc.netty.shaded;
  requires com.google.common;
  requires com.google.protobuf;
  requires jdk.jfr;
  requires jdk.net;
  requires jdk.unsupported;

  exports io.csi4j.client;
  exports io.csi4j.client.identity;
  exports io.csi4j.client.controller;
  exports io.csi4j.client.node;
  exports io.csi4j.client.group;
  exports io.csi4j.client.metadata;
  exports io.csi4j.client.registration;
  // The testkit implements the server side of the same contract. No other module sees the generated
  // code.
  exports io.csi4j.client.internal.proto to
      io.csi4j.conformance,
      io.csi4j.testkit,
      io.csi4j.testkit.hostpath,
      io.csi4j.testkit.proxy;
  exports io.csi4j.client.internal.message to
      io.csi4j.testkit.proxy;
  exports io.csi4j.client.internal.redaction to
      io.csi4j.conformance,
      io.csi4j.testkit,
      io.csi4j.testkit.proxy;

  // Protobuf uses reflection when it accesses the fields of a message by name.
  opens io.csi4j.client.internal.proto to
      com.google.protobuf;
}
