/** The values that all modules of the volume manager share. */
@SuppressWarnings({"requires-automatic", "module"})
module io.csi4j.volume.model {
  requires static transitive org.jspecify;
  requires com.google.protobuf;
  requires transitive io.csi4j.client.model;
  requires transitive io.csi4j.mount;

  exports io.csi4j.volume.model;
  exports io.csi4j.volume.wire;
  exports io.csi4j.volume.internal.names to
      io.csi4j.volume.plugins,
      io.csi4j.volume.node,
      io.csi4j.volume.workload,
      io.csi4j.volume.claims,
      io.csi4j.volume.controller,
      io.csi4j.volume.claims.etcd,
      io.csi4j.volume.claims.jdbc;
  exports io.csi4j.volume.internal.text to
      io.csi4j.volume.plugins,
      io.csi4j.volume.node,
      io.csi4j.volume.workload,
      io.csi4j.volume.claims,
      io.csi4j.volume.controller,
      io.csi4j.volume.claims.etcd,
      io.csi4j.volume.claims.jdbc,
      io.csi4j.volume.agent,
      io.csi4j.volume.cluster,
      io.csi4j.volume.cluster.grpc;
  exports io.csi4j.volume.internal.time to
      io.csi4j.volume.plugins,
      io.csi4j.volume.node,
      io.csi4j.volume.workload,
      io.csi4j.volume.claims,
      io.csi4j.volume.controller,
      io.csi4j.volume.claims.etcd,
      io.csi4j.volume.claims.jdbc,
      io.csi4j.volume.agent,
      io.csi4j.volume.cluster.grpc;
  exports io.csi4j.volume.internal.health to
      io.csi4j.volume.node,
      io.csi4j.volume.controller;
  exports io.csi4j.volume.internal.fields to
      io.csi4j.volume.plugins,
      io.csi4j.volume.node,
      io.csi4j.volume.claims,
      io.csi4j.volume.controller,
      io.csi4j.volume.claims.etcd;
  exports io.csi4j.volume.internal.fields.proto to
      io.csi4j.volume.plugins,
      io.csi4j.volume.claims,
      io.csi4j.volume.controller;
  exports io.csi4j.volume.internal.wire to
      io.csi4j.volume.node;
}
