package io.csi4j.volume.catalog;

import io.csi4j.client.model.CapacityRange;
import io.csi4j.client.model.PluginName;
import io.csi4j.client.model.Topology;
import io.csi4j.client.model.VolumeCapability;
import io.csi4j.client.model.VolumeId;
import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.claim.ClaimHolder;
import io.csi4j.volume.model.ClaimMode;
import io.csi4j.volume.model.VolumeKey;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/**
 * A volume in a list: what people look for, without what only calls need.
 *
 * <pre>{@code
 * VolumeSummary.Page page =
 *     controller.summaries(Optional.of(plugin), Optional.empty(), PageRequest.first(), plugins);
 * for (VolumeSummary each : page.volumes()) {
 *   log.accept(each.key() + " " + each.capabilities() + " " + each.writers());
 * }
 * }</pre>
 *
 * @param key how the host names it
 * @param id how the plugin names it; nothing if it is being deleted and may never have been made
 * @param provider the plugin's own name, where it is known
 * @param providerVersion the version of the plugin that made it, where it is known
 * @param capabilities every way in which it may be used, with its mount options
 * @param origin how it came here
 * @param ephemeral whether it ends with its use
 * @param capacityBytes its size, where it is known
 * @param topologies from where it can be reached; empty for anywhere
 * @param pendingOnNode how large the node has to make it, if it has to
 * @param changes the changes that were asked for and are not done, its deletion among them
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
    Optional<VolumeId> id,
    Optional<PluginName> provider,
    Optional<String> providerVersion,
    Set<VolumeCapability> capabilities,
    CatalogVolume.Origin origin,
    boolean ephemeral,
    OptionalLong capacityBytes,
    Set<Topology> topologies,
    Optional<CapacityRange> pendingOnNode,
    List<VolumeChange> changes,
    Optional<Claim.Use> use,
    int readers,
    int writers,
    int leaving,
    Optional<Instant> exhaustedUntil,
    PluginView plugin) {

  /**
   * Some of the volumes, in the order of their keys.
   *
   * @param volumes these
   * @param next where the next page begins; nothing if this is the last
   */
  public record Page(List<VolumeSummary> volumes, Optional<String> next) {

    /** Copies the list. */
    public Page {
      volumes = List.copyOf(volumes);
      Objects.requireNonNull(next, "next");
    }
  }

  /** Copies the collections. */
  public VolumeSummary {
    capabilities = Set.copyOf(capabilities);
    changes = List.copyOf(changes);
  }

  /**
   * Returns the summary of a volume that is there, or is being deleted.
   *
   * @param changes what was asked for and is not done
   * @throws IllegalArgumentException if it is only being created
   */
  public static VolumeSummary of(
      CatalogEntry record, List<VolumeChange> changes, Claim claim, PluginView plugin) {
    Optional<CatalogVolume> volume =
        record.state() instanceof CatalogEntry.State.Deleting going
            ? going.before()
            : record.volume();
    if (!isShown(record)) {
      throw new IllegalArgumentException("Volume '" + record.key() + "' is not there.");
    }
    return new VolumeSummary(
        record.key(),
        record.id(),
        volume.flatMap(CatalogVolume::provider),
        volume.flatMap(CatalogVolume::providerVersion),
        record.spec().capabilitiesInFull(),
        volume.map(CatalogVolume::origin).orElse(CatalogVolume.Origin.CREATED),
        record.spec().ephemeral(),
        volume.map(CatalogVolume::capacityBytes).orElseGet(OptionalLong::empty),
        volume.map(CatalogVolume::topologies).orElseGet(Set::of),
        volume.flatMap(CatalogVolume::pendingOnNode),
        changes,
        holders(claim).isEmpty() ? Optional.empty() : claim.use(),
        count(claim, ClaimMode.READ),
        count(claim, ClaimMode.WRITE),
        (int) holders(claim).stream().filter(VolumeSummary::isLeaving).count(),
        claim.exhaustedUntil(),
        plugin);
  }

  /** Whether a list has a summary of this record: not if the volume is only being created. */
  public static boolean isShown(CatalogEntry record) {
    return !(record.state() instanceof CatalogEntry.State.Creating);
  }

  /** Whether the volume is being deleted: no workload gets it any more. */
  public boolean isBeingDeleted() {
    return changes.stream()
        .anyMatch(each -> each.request() instanceof VolumeChange.Request.Deletion);
  }

  private static Collection<ClaimHolder> holders(Claim claim) {
    return claim.others(Claim.DELETION);
  }

  private static int count(Claim claim, ClaimMode mode) {
    return (int)
        holders(claim).stream()
            .filter(holder -> holder.mode() == mode && !isLeaving(holder))
            .count();
  }

  private static boolean isLeaving(ClaimHolder holder) {
    return holder.state() != ClaimHolder.State.TAKEN;
  }

  /** Whether there is an instance of its plugin for everything that its use needs. */
  public boolean isHealthy() {
    return plugin.isHealthy();
  }
}
