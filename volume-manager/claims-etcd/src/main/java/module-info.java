/** Claims in etcd, for more than one machine. */
@SuppressWarnings("requires-automatic")
module io.csi4j.volume.claims.etcd {
  requires static transitive org.jspecify;
  requires transitive io.csi4j.volume.claims;
  requires jetcd.core;
  requires jetcd.common;
  requires io.grpc;
  requires io.netty.handler;

  exports io.csi4j.volume.claim.etcd;
}
