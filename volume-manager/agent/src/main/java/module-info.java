/** The agent of a node, between its volume manager and the control planes of its cluster. */
module io.csi4j.volume.agent {
  requires static transitive org.jspecify;
  requires transitive io.csi4j.volume.node;

  exports io.csi4j.volume.agent;
}
