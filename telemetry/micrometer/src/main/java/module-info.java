/** Metrics of calls, operations, plugins, volumes and claims, for Micrometer. */
@SuppressWarnings({"requires-automatic", "requires-transitive-automatic"})
module io.csi4j.micrometer {
  requires static transitive org.jspecify;
  requires transitive io.csi4j.client.model;
  requires transitive micrometer.core;
  // The volume modules are optional: a host that needs their metrics already has them.
  requires static transitive io.csi4j.volume.node;
  requires static transitive io.csi4j.volume.claims;
  requires static transitive io.csi4j.volume.controller;

  exports io.csi4j.micrometer;
}
