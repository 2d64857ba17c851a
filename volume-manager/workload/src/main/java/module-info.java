/**
 * The volume requests of a job, checks whether a node can fulfil them, and the mounts for the
 * runtimes of its tasks.
 */
module io.csi4j.volume.workload {
  requires static transitive org.jspecify;
  requires transitive io.csi4j.volume.node;

  exports io.csi4j.volume.workload;
}
