/**
 * Calls to storage systems (create, attach, expand, snapshot), the catalog of volumes, and its
 * upkeep.
 */
@SuppressWarnings("requires-automatic")
module io.csi4j.volume.controller {
  requires static transitive org.jspecify;
  requires com.google.protobuf;
  requires transitive io.csi4j.volume.claims;
  requires transitive io.csi4j.volume.plugins;

  exports io.csi4j.volume.backup;
  exports io.csi4j.volume.catalog;
  exports io.csi4j.volume.catalog.view;
  exports io.csi4j.volume.controller;
  exports io.csi4j.volume.placement;
  exports io.csi4j.volume.upkeep;
}
