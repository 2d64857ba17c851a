/** Volumes for workloads: staged, published, tracked and recovered on a host. */
@SuppressWarnings("requires-automatic")
module io.csi4j.volume {
  requires static transitive org.jspecify;
  requires transitive io.csi4j.client;
  requires transitive io.csi4j.mount;
  requires static io.grpc;
  requires jdk.jfr;

  exports io.csi4j.volume;
  exports io.csi4j.volume.catalog;
  exports io.csi4j.volume.claim;
  exports io.csi4j.volume.claim.etcd;
  exports io.csi4j.volume.claim.kit;
  exports io.csi4j.volume.controller;
  exports io.csi4j.volume.plugin;
  exports io.csi4j.volume.state;
  exports io.csi4j.volume.upkeep;
  exports io.csi4j.volume.workload;
}
