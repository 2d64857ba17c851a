/** The way from a node to a control plane over gRPC. */
@SuppressWarnings("requires-automatic")
module io.csi4j.volume.cluster.grpc {
  requires static transitive org.jspecify;
  requires transitive io.csi4j.volume.agent;
  requires com.google.common;
  requires io.grpc;
  requires io.grpc.stub;
  requires io.grpc.netty.shaded;
  requires java.naming;

  exports io.csi4j.volume.cluster.grpc;
}
