package io.csi4j.volume.controller;

import io.csi4j.client.controller.ControllerCapability;
import io.csi4j.client.identity.PluginCapability;
import io.csi4j.client.model.CapabilitySet;
import io.csi4j.client.model.PluginName;
import java.util.Optional;

/**
 * The abilities that a controller says it has.
 *
 * @param name the plugin's own name, if it gave a valid one
 * @param version the version that it says it has, if it does
 * @param controller the capabilities of its controller service
 * @param plugin the capabilities of the plugin as a whole
 */
record ControllerFacts(
    Optional<PluginName> name,
    Optional<String> version,
    CapabilitySet<ControllerCapability> controller,
    CapabilitySet<PluginCapability> plugin) {

  /** Whether the plugin has a controller at all. */
  boolean hasController() {
    return plugin.offers(PluginCapability.CONTROLLER_SERVICE);
  }

  /** Whether it can do this. */
  public boolean offers(ControllerCapability capability) {
    return controller.offers(capability);
  }

  /** Whether snapshots can be used from some places only, and may be asked for in a place. */
  boolean placesSnapshots() {
    return plugin.offers(PluginCapability.SNAPSHOT_ACCESSIBILITY_CONSTRAINTS);
  }

  /** Whether volumes have to be attached to nodes, and can be detached. */
  public boolean attaches() {
    return offers(ControllerCapability.PUBLISH_UNPUBLISH_VOLUME);
  }

  /** Whether volumes grow on the storage side at all, and only while no node has them. */
  boolean expandsOnlyOffline() {
    return plugin.offers(PluginCapability.VOLUME_EXPANSION_OFFLINE)
        && !plugin.offers(PluginCapability.VOLUME_EXPANSION_ONLINE);
  }
}
