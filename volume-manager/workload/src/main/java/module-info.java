/** The wishes of a job, whether a node can meet them, and what its runtime is handed. */
module io.csi4j.volume.workload {
  requires static transitive org.jspecify;
  requires transitive io.csi4j.volume.node;

  exports io.csi4j.volume.workload;
}
