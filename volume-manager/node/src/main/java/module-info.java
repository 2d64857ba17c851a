/**
 * Mounts volumes for the workloads of one machine, tracks them, and recovers them after a crash.
 */
@SuppressWarnings("module")
module io.csi4j.volume.node {
  requires static transitive org.jspecify;
  requires transitive io.csi4j.volume.plugins;
  requires jdk.jfr;

  exports io.csi4j.volume.manager;
  exports io.csi4j.volume.node;
  exports io.csi4j.volume.internal.record to
      io.csi4j.volume.workload;
}
