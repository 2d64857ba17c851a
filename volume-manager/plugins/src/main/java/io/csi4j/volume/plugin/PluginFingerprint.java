package io.csi4j.volume.plugin;

import io.csi4j.client.controller.ControllerCapability;
import io.csi4j.client.identity.PluginCapability;
import io.csi4j.client.model.CapabilitySet;
import io.csi4j.client.model.NodeId;
import io.csi4j.client.model.PluginName;
import io.csi4j.client.model.Topology;
import io.csi4j.client.node.NodeCapability;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The description that an instance of a plugin returned about itself.
 *
 * @param name the name that the plugin reports
 * @param version the vendor's version of the plugin, shortened and escaped if necessary
 * @param plugin the capabilities of the plugin itself
 * @param controller the capabilities of its controller service, if the instance has that role
 * @param node the capabilities of its node service, if the instance has that role
 * @param taken the time of the answers
 * @since 1.0
 */
public record PluginFingerprint(
    PluginName name,
    Version version,
    CapabilitySet<PluginCapability> plugin,
    Optional<CapabilitySet<ControllerCapability>> controller,
    Optional<NodeFacts> node,
    Instant taken) {

  /**
   * The vendor's version.
   *
   * @param value the text, for people; may be empty
   */
  public record Version(String value) {
    @Override
    public String toString() {
      return value;
    }
  }

  /**
   * The plugin's description of the node.
   *
   * @param nodeId the id of the node in the storage system; may be empty for a plugin that does not
   *     attach volumes
   * @param maxVolumes the maximum number of volumes on the node; empty if the plugin states no
   *     limit
   * @param topology the topology of the node; empty if the plugin has none
   * @param capabilities the capabilities of the node service
   */
  public record NodeFacts(
      Optional<NodeId> nodeId,
      OptionalLong maxVolumes,
      Optional<Topology> topology,
      CapabilitySet<NodeCapability> capabilities) {

    /** Checks that all parts are present. */
    public NodeFacts {
      Objects.requireNonNull(nodeId, "nodeId");
      Objects.requireNonNull(maxVolumes, "maxVolumes");
      Objects.requireNonNull(topology, "topology");
      Objects.requireNonNull(capabilities, "capabilities");
    }

    /** Returns whether volumes are staged before they are published. */
    public boolean requiresStaging() {
      return capabilities.offers(NodeCapability.STAGE_UNSTAGE_VOLUME);
    }
  }

  /** Checks that all parts are present. */
  public PluginFingerprint {
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(version, "version");
    Objects.requireNonNull(plugin, "plugin");
    Objects.requireNonNull(controller, "controller");
    Objects.requireNonNull(node, "node");
    Objects.requireNonNull(taken, "taken");
  }

  /** Returns whether the plugin has a controller, in this instance or in another one. */
  public boolean hasController() {
    return plugin.offers(PluginCapability.CONTROLLER_SERVICE);
  }

  /**
   * Returns whether a controller must attach volumes before a node can use them. Only a fingerprint
   * with the controller role contains this information.
   */
  public boolean requiresController() {
    return controller
        .filter(can -> can.offers(ControllerCapability.PUBLISH_UNPUBLISH_VOLUME))
        .isPresent();
  }

  /** Returns whether a volume may be unreachable from some nodes. */
  public boolean constrainsTopology() {
    return plugin.offers(PluginCapability.VOLUME_ACCESSIBILITY_CONSTRAINTS);
  }

  /**
   * A change in the description of a plugin.
   *
   * @since 1.0
   */
  public sealed interface Change {

    /** The changed part of the fingerprint. */
    enum Part {
      /** The vendor's version. */
      VERSION,
      /**
       * The id of the node. After a change, volumes that are attached to the old id need attention.
       */
      NODE_ID,
      /** The maximum number of volumes on the node. */
      MAX_VOLUMES,
      /** The topology of the node. */
      TOPOLOGY
    }

    /**
     * A value has changed.
     *
     * @param part the part
     * @param values both values, for people, such as {@code 'a' -> 'b'}
     */
    record Value(Part part, PluginHealth.Text values) implements Change {}

    /**
     * The plugin has gained a capability.
     *
     * @param capability the name of the capability
     */
    record Gained(Enum<?> capability) implements Change {}

    /**
     * The plugin has lost a capability.
     *
     * @param capability the name of the capability
     */
    record Lost(Enum<?> capability) implements Change {}
  }
}
