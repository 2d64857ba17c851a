/** Durable state of a host: the contract of a store, and a journal. */
@SuppressWarnings("module")
module io.csi4j.volume.state {
  requires static transitive org.jspecify;

  exports io.csi4j.volume.state;
  exports io.csi4j.volume.state.journal;
  exports io.csi4j.volume.state.seal;
  exports io.csi4j.volume.internal.disk to
      io.csi4j.volume.plugins,
      io.csi4j.volume.node;
  exports io.csi4j.volume.internal.seal to
      io.csi4j.volume.claims;
}
