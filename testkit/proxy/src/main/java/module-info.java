/**
 * A proxy in front of any CSI plugin, the replay of recorded calls against a plugin, and a report
 * of calls.
 */
@SuppressWarnings("requires-automatic")
module io.csi4j.testkit.proxy {
  requires static transitive org.jspecify;
  requires transitive io.csi4j.testkit;
  requires io.grpc.netty.shaded;
  requires com.google.protobuf;

  exports io.csi4j.testkit.proxy;
  exports io.csi4j.testkit.recording;
}
