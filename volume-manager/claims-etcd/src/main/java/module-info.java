/** A store of claims and a catalog in etcd, for several machines. */
@SuppressWarnings("requires-automatic")
module io.csi4j.volume.claims.etcd {
  requires static transitive org.jspecify;
  requires transitive io.csi4j.volume.claims;
  requires jetcd.core;
  requires jetcd.common;
  requires io.grpc;
  requires io.netty.handler;
  // Runtime dependencies of jetcd and its gRPC, which are not modules and cannot require them.
  requires dev.failsafe.core;
  requires io.netty.codec.http2;
  requires io.netty.handler.proxy;
  requires io.vertx.core;
  requires org.slf4j;

  exports io.csi4j.volume.claim.etcd;
}
