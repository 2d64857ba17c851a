/** What a job asks for, whether a node can have it, and what its runtime is handed. */
module io.csi4j.volume.workload {
  requires static transitive org.jspecify;
  requires transitive io.csi4j.volume.node;

  exports io.csi4j.volume.workload;
}
