/** A control plane of a cluster, put together of its catalog, its claims and its nodes. */
module io.csi4j.volume.cluster {
  requires static transitive org.jspecify;
  requires transitive io.csi4j.volume.agent;
  requires transitive io.csi4j.volume.controller;
  requires transitive io.csi4j.volume.workload;

  exports io.csi4j.volume.cluster;
}
