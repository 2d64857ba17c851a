/** CSI plugins and mounts to test an orchestrator against. */
module io.csi4j.testkit {
  requires static transitive org.jspecify;
  requires transitive io.csi4j.client;
  requires transitive io.csi4j.mount;

  exports io.csi4j.testkit.mount;
}
