package io.csi4j.volume.placement;

import io.csi4j.volume.claim.ClaimRequest;
import io.csi4j.volume.model.NodeName;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.plugin.PluginFingerprint.NodeFacts;
import io.csi4j.volume.plugin.RegisteredPlugin;
import java.util.Collection;
import java.util.List;
import java.util.Objects;

/**
 * A node among which a volume is placed, as its host knows it.
 *
 * @param name the node; the same name as in claims
 * @param plugins the plugins there, as the registry of the node lists them, the newest first; of
 *     several instances of a plugin that serve nodes, the first that is ready counts, and the first
 *     if none is
 * @since 1.0
 */
public record PlacementNode(NodeName name, List<RegisteredPlugin> plugins) {

  /** Copies the list. */
  public PlacementNode {
    Objects.requireNonNull(name, "name");
    plugins = List.copyOf(plugins);
  }

  /** The node of this name with these plugins. */
  public static PlacementNode of(NodeName name, Collection<RegisteredPlugin> plugins) {
    return new PlacementNode(name, List.copyOf(plugins));
  }

  /**
   * Returns the request for a claim on this node, with the node id from the fingerprint of the
   * plugin here.
   *
   * @param plugin the plugin of the volume
   * @param volume the volume, which need not exist yet
   * @param wish who claims it, and for what
   */
  public ClaimRequest claim(PluginId plugin, VolumeKey volume, PlannedClaim wish) {
    ClaimRequest.Builder request =
        ClaimRequest.builder(VolumeUse.of(volume, wish.workload()), name, wish.use(), wish.mode());
    NodeCheck.facts(this, plugin).flatMap(NodeFacts::nodeId).ifPresent(request::nodeId);
    return request.build();
  }
}
