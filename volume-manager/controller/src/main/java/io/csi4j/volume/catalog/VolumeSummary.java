package io.csi4j.volume.catalog;

import io.csi4j.client.model.CapacityRange;
import io.csi4j.client.model.PluginName;
import io.csi4j.client.model.Topology;
import io.csi4j.client.model.VolumeId;
import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.claim.ClaimHolder;
import io.csi4j.volume.claim.ClaimState;
import io.csi4j.volume.model.ClaimMode;
import io.csi4j.volume.model.VolumeKey;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/**
 * A volume in a list: what people look for, without what only calls need.
 *
 * @param key how the host names it
 * @param id how the plugin names it
 * @param provider the plugin's own name, where it is known
 * @param origin how it came here
 * @param ephemeral whether it ends with its use
 * @param capacityBytes its size, where it is known
 * @param topologies from where it can be reached; empty for anywhere
 * @param owedToNode how large the node has to make it, if it has to
 * @param use how it is used now, if it is
 * @param readers how many workloads read it
 * @param writers how many write it
 * @param leaving how many are on their way of giving it back
 * @param exhaustedUntil until when its storage system takes no further claim
 * @param plugin its plugin as a whole
 * @since 1.0
 */
public record VolumeSummary(
    VolumeKey key,
    VolumeId id,
    Optional<PluginName> provider,
    CatalogVolume.Origin origin,
    boolean ephemeral,
    OptionalLong capacityBytes,
    Set<Topology> topologies,
    Optional<CapacityRange> owedToNode,
    Optional<Claim.Use> use,
    int readers,
    int writers,
    int leaving,
    Optional<Instant> exhaustedUntil,
    PluginView plugin) {

  /** Returns the summary of a volume, its claim and its plugin. */
  public static VolumeSummary of(CatalogVolume volume, Claim claim, PluginView plugin) {
    return new VolumeSummary(
        volume.key(),
        volume.id(),
        volume.provider(),
        volume.origin(),
        volume.spec().ephemeral(),
        volume.capacityBytes(),
        volume.topologies(),
        volume.owedToNode(),
        claim.use(),
        count(claim, ClaimMode.READ),
        count(claim, ClaimMode.WRITE),
        (int) claim.holders().values().stream().filter(VolumeSummary::isLeaving).count(),
        claim.exhaustedUntil(),
        plugin);
  }

  private static int count(Claim claim, ClaimMode mode) {
    return (int)
        claim.holders().values().stream()
            .filter(holder -> holder.mode() == mode && !isLeaving(holder))
            .count();
  }

  private static boolean isLeaving(ClaimHolder holder) {
    return holder.state() != ClaimState.TAKEN;
  }

  /** Whether there is an instance of its plugin for everything that its use needs. */
  public boolean isHealthy() {
    return plugin.isHealthy();
  }
}
