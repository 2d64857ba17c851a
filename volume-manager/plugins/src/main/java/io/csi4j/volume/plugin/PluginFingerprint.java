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
 * An instance of a plugin as it described itself.
 *
 * @param name the name that it gives itself
 * @param version its vendor's version, shortened and escaped where need be
 * @param plugin what the plugin as a whole can do
 * @param controller what its controller service can do, where it has that role
 * @param node what its node service can do, where it has that role
 * @param taken when it was asked
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
   * @param value for people; may be empty
   */
  public record Version(String value) {
    @Override
    public String toString() {
      return value;
    }
  }

  /**
   * The node as the plugin described it.
   *
   * @param nodeId how the storage system knows it; nothing if the plugin does not say, which one
   *     that attaches no volumes need not
   * @param maxVolumes how many volumes it takes; nothing if no limit was stated
   * @param topology where it is; nothing if the plugin knows no topology
   * @param capabilities what the node service can do
   */
  public record NodeFacts(
      Optional<NodeId> nodeId,
      OptionalLong maxVolumes,
      Optional<Topology> topology,
      CapabilitySet<NodeCapability> capabilities) {

    /** Checks that all parts are there. */
    public NodeFacts {
      Objects.requireNonNull(nodeId, "nodeId");
      Objects.requireNonNull(maxVolumes, "maxVolumes");
      Objects.requireNonNull(topology, "topology");
      Objects.requireNonNull(capabilities, "capabilities");
    }

    /** Whether volumes are staged before they are published. */
    public boolean requiresStaging() {
      return capabilities.offers(NodeCapability.STAGE_UNSTAGE_VOLUME);
    }
  }

  /** Checks that all parts are there. */
  public PluginFingerprint {
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(version, "version");
    Objects.requireNonNull(plugin, "plugin");
    Objects.requireNonNull(controller, "controller");
    Objects.requireNonNull(node, "node");
    Objects.requireNonNull(taken, "taken");
  }

  /** Whether the plugin has a controller, perhaps in other instances than this one. */
  public boolean hasController() {
    return plugin.offers(PluginCapability.CONTROLLER_SERVICE);
  }

  /**
   * Whether volumes have to be attached by a controller before a node can use them. Only an
   * instance with that role knows.
   */
  public boolean requiresController() {
    return controller
        .filter(can -> can.offers(ControllerCapability.PUBLISH_UNPUBLISH_VOLUME))
        .isPresent();
  }

  /** Whether a volume need not be reachable from every node. */
  public boolean constrainsTopology() {
    return plugin.offers(PluginCapability.VOLUME_ACCESSIBILITY_CONSTRAINTS);
  }

  /**
   * One thing that a plugin says of itself now, and did not before.
   *
   * @since 1.0
   */
  public sealed interface Change {

    /** Which part of the fingerprint. */
    enum Part {
      /** The vendor's version. */
      VERSION,
      /** The id of the node: what is attached under the old one has to be looked after. */
      NODE_ID,
      /** How many volumes the node takes. */
      MAX_VOLUMES,
      /** Where the node is. */
      TOPOLOGY
    }

    /**
     * A value is another one.
     *
     * @param part which
     * @param values both, for people, as in {@code 'a' -> 'b'}
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
