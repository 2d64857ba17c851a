/** The words of CSI: what every part of a host that speaks of volumes needs, without the wire. */
@SuppressWarnings("module")
module io.csi4j.client.model {
  requires static transitive org.jspecify;

  exports io.csi4j.client.model;
  // Escaping is the same in the client and in the testkit; nobody else sees it.
  exports io.csi4j.client.internal.text to
      io.csi4j.client,
      io.csi4j.conformance,
      io.csi4j.testkit;
}
