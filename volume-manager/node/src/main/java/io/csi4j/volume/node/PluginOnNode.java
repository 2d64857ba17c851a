package io.csi4j.volume.node;

import io.csi4j.volume.model.StorageFinding;
import io.csi4j.volume.plugin.RegisteredPlugin;
import java.util.List;
import java.util.Objects;
import java.util.OptionalLong;

/**
 * A plugin as a node reports it.
 *
 * @param plugin the instance, its health, and what it said of itself. What a message brought has
 *     the endpoint on the node, and neither the policy nor the secrets, which stay there
 * @param draining whether no volume is mounted with it for one more workload
 * @param availableBytes the room for new volumes on this node, where the plugin says so
 * @param storage the known faults of the storage behind it, as seen from this node
 * @since 1.0
 */
public record PluginOnNode(
    RegisteredPlugin plugin,
    boolean draining,
    OptionalLong availableBytes,
    List<StorageFinding> storage) {

  /** Copies the list, and refuses a room below zero. */
  public PluginOnNode {
    Objects.requireNonNull(plugin, "plugin");
    storage = List.copyOf(storage);
    if (availableBytes.orElse(0) < 0) {
      throw new IllegalArgumentException(
          "A plugin has no room of " + availableBytes.getAsLong() + " bytes.");
    }
  }
}
