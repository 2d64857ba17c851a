/** The words of CSI: what every part of a host that speaks of volumes needs, without the wire. */
@SuppressWarnings("module")
module io.csi4j.client.model {
  requires static transitive org.jspecify;

  exports io.csi4j.client.model;
  // Escaping, reading tables and stack traces are the same in all of our own modules; no other
  // module sees
  // them.
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
