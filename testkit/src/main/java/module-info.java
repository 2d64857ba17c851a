/** CSI plugins to test an orchestrator against. */
module io.csi4j.testkit {
  requires static transitive org.jspecify;
  requires transitive io.csi4j.client;
  requires io.csi4j.mount;
}
