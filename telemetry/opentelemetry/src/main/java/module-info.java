/** Traces of operations, calls and claims, for OpenTelemetry. */
@SuppressWarnings({"requires-automatic", "requires-transitive-automatic"})
module io.csi4j.opentelemetry {
  requires static transitive org.jspecify;
  requires transitive io.csi4j.client.model;
  requires transitive io.opentelemetry.api;
  requires io.opentelemetry.context;
  // The volume modules are optional: a host that needs their traces already has them.
  requires static transitive io.csi4j.volume.node;
  requires static transitive io.csi4j.volume.claims;
  requires static transitive io.csi4j.volume.controller;

  exports io.csi4j.opentelemetry;
}
