package io.csi4j.volume.controller;

import io.csi4j.client.controller.ControllerCapability;
import io.csi4j.client.identity.PluginCapability;
import io.csi4j.client.model.CapabilitySet;
import io.csi4j.client.model.PluginName;
import java.util.Optional;

/**
 * The capabilities that a controller reports.
 *
 * @param name the plugin's own name, if valid
 * @param version the version that the plugin reports, if any
 * @param controller the capabilities of its controller service
 * @param plugin the capabilities of the plugin as a whole
 */
record ControllerFacts(
    Optional<PluginName> name,
    Optional<String> version,
    CapabilitySet<ControllerCapability> controller,
    CapabilitySet<PluginCapability> plugin) {

  /** Whether the plugin has a controller service. */
  boolean hasController() {
    return plugin.offers(PluginCapability.CONTROLLER_SERVICE);
  }

  /** Whether the controller offers this capability. */
  public boolean offers(ControllerCapability capability) {
    return controller.offers(capability);
  }

  /**
   * Whether snapshots are usable only from some topologies, and may be requested for a topology.
   */
  boolean placesSnapshots() {
    return plugin.offers(PluginCapability.SNAPSHOT_ACCESSIBILITY_CONSTRAINTS);
  }

  /** Whether volumes must be attached to nodes, and can be detached. */
  public boolean attaches() {
    return offers(ControllerCapability.PUBLISH_UNPUBLISH_VOLUME);
  }

  /** Whether the controller expands volumes only while they are not in use on a node. */
  boolean expandsOnlyOffline() {
    return plugin.offers(PluginCapability.VOLUME_EXPANSION_OFFLINE)
        && !plugin.offers(PluginCapability.VOLUME_EXPANSION_ONLINE);
  }
}
