/** The CSI types that all parts of a host share, independent of the wire protocol. */
@SuppressWarnings("module")
module io.csi4j.client.model {
  requires static transitive org.jspecify;

  exports io.csi4j.client.model;
  // These helpers for escaping, tables and stack traces are shared by the modules of csi4j, and
  // hidden from all other modules.
  exports io.csi4j.client.internal.text to
      io.csi4j.client,
      io.csi4j.conformance,
      io.csi4j.testkit,
      io.csi4j.testkit.hostpath,
      io.csi4j.testkit.proxy,
      io.csi4j.volume.model,
      io.csi4j.volume.node;
  exports io.csi4j.client.internal.time to
      io.csi4j.client,
      io.csi4j.volume.claims,
      io.csi4j.volume.claims.etcd,
      io.csi4j.volume.controller,
      io.csi4j.volume.model,
      io.csi4j.volume.node,
      io.csi4j.volume.plugins;
}
