package io.csi4j.volume.node;

import io.csi4j.volume.model.StorageFinding;
import io.csi4j.volume.plugin.RegisteredPlugin;
import java.util.List;
import java.util.Objects;
import java.util.OptionalLong;

/**
 * A node's report about one plugin.
 *
 * @param plugin the instance, its health, and what the plugin reported about itself. A received
 *     value contains the endpoint on the node. The policy and the secrets stay on the node
 * @param draining whether no more workloads may mount volumes with the plugin
 * @param availableBytes the capacity for new volumes on this node, if the plugin reports it
 * @param storage the known faults of the storage behind the plugin, as seen from this node
 * @since 1.0
 */
public record PluginOnNode(
    RegisteredPlugin plugin,
    boolean draining,
    OptionalLong availableBytes,
    List<StorageFinding> storage) {

  /** Copies the list, and refuses a negative capacity. */
  public PluginOnNode {
    Objects.requireNonNull(plugin, "plugin");
    storage = List.copyOf(storage);
    if (availableBytes.orElse(0) < 0) {
      throw new IllegalArgumentException(
          "The available capacity of a plugin cannot be " + availableBytes.getAsLong() + " bytes.");
    }
  }
}
