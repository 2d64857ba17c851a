/** Claims and a catalog in etcd, for more than one machine. */
@SuppressWarnings("requires-automatic")
module io.csi4j.volume.claims.etcd {
  requires static transitive org.jspecify;
  requires transitive io.csi4j.volume.claims;
  requires jetcd.core;
  requires jetcd.common;
  requires io.grpc;
  requires io.netty.handler;
  // What jetcd and its gRPC run on, and cannot ask for: they are no modules.
  requires dev.failsafe.core;
  requires io.netty.codec.http2;
  requires io.netty.handler.proxy;
  requires io.vertx.core;
  requires org.slf4j;

  exports io.csi4j.volume.claim.etcd;
}
