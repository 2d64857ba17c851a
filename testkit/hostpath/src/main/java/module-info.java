/** A CSI plugin to test an orchestrator against that really mounts. */
@SuppressWarnings("requires-automatic")
module io.csi4j.testkit.hostpath {
  requires static transitive org.jspecify;
  requires transitive io.csi4j.mount;
  requires transitive io.csi4j.testkit;
  requires com.google.protobuf;

  exports io.csi4j.testkit.hostpath;
}
