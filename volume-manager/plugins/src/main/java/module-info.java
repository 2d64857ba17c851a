/** The registry, the supervision and the start of plugins. */
@SuppressWarnings({"requires-automatic", "module"})
module io.csi4j.volume.plugins {
  requires static transitive org.jspecify;
  requires com.google.protobuf;
  requires transitive io.csi4j.client;
  requires transitive io.csi4j.volume.model;
  requires transitive io.csi4j.volume.state;

  exports io.csi4j.volume.plugin;
  exports io.csi4j.volume.plugin.supervision;
  exports io.csi4j.volume.plugin.launch;
  exports io.csi4j.volume.plugin.registration;
  exports io.csi4j.volume.internal.plugin to
      io.csi4j.volume.node,
      io.csi4j.volume.controller;
  exports io.csi4j.volume.internal.link to
      io.csi4j.volume.node,
      io.csi4j.volume.controller;
  exports io.csi4j.volume.internal.path to
      io.csi4j.volume.node,
      io.csi4j.volume.controller;
  exports io.csi4j.volume.internal.probe to
      io.csi4j.volume.node;
}
