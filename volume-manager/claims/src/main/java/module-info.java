/** Claims of volumes across the machines of a cluster. */
@SuppressWarnings({"requires-automatic", "module"})
module io.csi4j.volume.claims {
  requires static transitive org.jspecify;
  requires com.google.protobuf;
  requires dev.failsafe.core;
  requires transitive io.csi4j.volume.model;
  requires transitive io.csi4j.volume.state;

  exports io.csi4j.volume.claim;
  exports io.csi4j.volume.claim.coordination;
  exports io.csi4j.volume.claim.spi;
  exports io.csi4j.volume.claim.view;
  exports io.csi4j.volume.store;
  exports io.csi4j.volume.store.local;
  exports io.csi4j.volume.store.shared;
  exports io.csi4j.volume.internal.claims to
      io.csi4j.volume.claims.etcd,
      io.csi4j.volume.claims.jdbc,
      io.csi4j.volume.controller;
  exports io.csi4j.volume.internal.store to
      io.csi4j.volume.claims.etcd,
      io.csi4j.volume.claims.jdbc,
      io.csi4j.volume.controller;
}
