/**
 * Requests of a job for volumes, checks whether a node can serve them, and the mounts for its
 * runtime.
 */
module io.csi4j.volume.workload {
  requires static transitive org.jspecify;
  requires transitive io.csi4j.volume.node;

  exports io.csi4j.volume.workload;
}
