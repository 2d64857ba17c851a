package io.csi4j.volume.catalog;

import io.csi4j.client.model.CapacityRange;
import io.csi4j.client.model.PluginName;
import io.csi4j.client.model.Topology;
import io.csi4j.client.model.VolumeCapability;
import io.csi4j.client.model.VolumeId;
import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.claim.ClaimHolder;
import io.csi4j.volume.model.CatalogVolume;
import io.csi4j.volume.model.ClaimMode;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.store.RecordKey;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/**
 * A volume in a list: the properties that people look for, without those that only calls need.
 *
 * <pre>{@code
 * VolumeSummary.Page page =
 *     controller.summaries(VolumeFilter.all().ofPlugin(plugin), PageRequest.first(), plugins);
 * for (VolumeSummary each : page.volumes()) {
 *   log.accept(each.key() + " " + each.state() + " " + each.writers());
 * }
 * }</pre>
 *
 * @param key the host's key of the volume
 * @param state the state of the volume
 * @param written the version and times of its record
 * @param id the plugin's id of the volume; empty if the volume is being created, or is being
 *     deleted and may never have been created
 * @param provider the plugin's own name, if known
 * @param providerVersion the version of the plugin that created the volume, if known
 * @param capabilities the ways in which the volume may be used, with their mount options
 * @param origin whether the volume was created or registered
 * @param ephemeral whether the volume is deleted when its use ends
 * @param capacityBytes its size, if known
 * @param topologies the topologies from which it can be reached; empty for anywhere
 * @param pendingOnNode the size to which the node must still expand it, if it must
 * @param changes the requested changes that are not done, including its deletion
 * @param unreadableClaim why its claim cannot be read; its use is not known then
 * @param use the current kind of use, if it is in use
 * @param readers the number of workloads that read it
 * @param writers the number of workloads that write it
 * @param leaving the number of workloads that are releasing it
 * @param unusedSince the time since which no workload holds it: the end of its last use, or its
 *     creation; empty if a workload holds it, or if the time is not known
 * @param exhaustedUntil the time until which its storage system accepts no further claim
 * @param plugin the instances of its plugin
 * @since 1.0
 */
public record VolumeSummary(
    VolumeKey key,
    State state,
    Written written,
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
    Optional<OperatorMessage> unreadableClaim,
    Optional<Claim.Use> use,
    int readers,
    int writers,
    int leaving,
    Optional<Instant> unusedSince,
    Optional<Instant> exhaustedUntil,
    PluginView plugin) {

  /** The states of a volume. */
  public enum State {
    /** The volume is being created, or an attempt to create it has failed and may be repeated. */
    CREATING,
    /** The volume exists. */
    PRESENT,
    /** The volume exists and is being expanded. */
    GROWING,
    /** The volume is being deleted; new claims are refused. */
    DELETING;

    /** Returns the state of a recorded volume. */
    public static State of(CatalogEntry record) {
      CatalogEntry.State state = record.state();
      if (state instanceof CatalogEntry.State.Creating) {
        return CREATING;
      } else if (state instanceof CatalogEntry.State.Growing) {
        return GROWING;
      }
      return state instanceof CatalogEntry.State.Deleting ? DELETING : PRESENT;
    }
  }

  /**
   * The version and times of the record of a volume.
   *
   * @param version the version of the record in its store, which grows with each write
   * @param created the time at which the record was created; empty if a version of csi4j without
   *     this field wrote it
   * @param changed the time at which the recorded properties of the volume were last changed; empty
   *     in the same case
   */
  public record Written(long version, Optional<Instant> created, Optional<Instant> changed) {

    /** Checks that both times are set. */
    public Written {
      Objects.requireNonNull(created, "created");
      Objects.requireNonNull(changed, "changed");
    }
  }

  /**
   * A page of volumes, in the order of their keys.
   *
   * @param volumes the volumes
   * @param unreadable the unreadable records of this page whose keys may match the filter, in the
   *     order of their keys
   * @param next the start of the next page; empty if this is the last page
   */
  public record Page(
      List<VolumeSummary> volumes, List<Unreadable> unreadable, Optional<String> next) {

    /** Copies the lists. */
    public Page {
      volumes = List.copyOf(volumes);
      unreadable = List.copyOf(unreadable);
      Objects.requireNonNull(next, "next");
    }
  }

  /**
   * A volume record that cannot be read because it is damaged or a newer version wrote it.
   *
   * @param key the key of the record
   * @param message the message for an operator, with {@code CATALOG_UNREADABLE}
   */
  public record Unreadable(RecordKey key, OperatorMessage message) {

    /** Checks that both parts are set. */
    public Unreadable {
      Objects.requireNonNull(key, "key");
      Objects.requireNonNull(message, "message");
    }
  }

  /** Copies the collections. */
  public VolumeSummary {
    capabilities = Set.copyOf(capabilities);
    changes = List.copyOf(changes);
  }

  /**
   * Returns the summary of a recorded volume.
   *
   * @param changes the requested changes that are not done
   */
  public static VolumeSummary of(
      CatalogEntry record,
      Written written,
      List<VolumeChange> changes,
      Claim claim,
      PluginView plugin) {
    return of(record, written, changes, claim, Optional.empty(), plugin);
  }

  /**
   * Returns the summary of a recorded volume whose claim cannot be read.
   *
   * @param changes the requested changes that are not done
   * @param problem why the claim cannot be read
   */
  public static VolumeSummary of(
      CatalogEntry record,
      Written written,
      List<VolumeChange> changes,
      OperatorMessage problem,
      PluginView plugin) {
    return of(record, written, changes, Claim.none(record.key()), Optional.of(problem), plugin);
  }

  private static VolumeSummary of(
      CatalogEntry record,
      Written written,
      List<VolumeChange> changes,
      Claim claim,
      Optional<OperatorMessage> problem,
      PluginView plugin) {
    Optional<CatalogVolume> volume =
        record.state() instanceof CatalogEntry.State.Deleting going
            ? going.before()
            : record.volume();
    return new VolumeSummary(
        record.key(),
        State.of(record),
        written,
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
        problem,
        holders(claim).isEmpty() ? Optional.empty() : claim.use(),
        count(claim, ClaimMode.READ),
        count(claim, ClaimMode.WRITE),
        (int) holders(claim).stream().filter(VolumeSummary::isLeaving).count(),
        problem.isEmpty() ? unusedSince(claim, written.created()) : Optional.empty(),
        claim.exhaustedUntil(),
        plugin);
  }

  /**
   * Returns the time since which no workload holds a volume: the end of its last use, or its
   * creation; empty if a workload holds it, or if the time is not known.
   *
   * @param created the time at which the record of the volume was created
   */
  public static Optional<Instant> unusedSince(Claim claim, Optional<Instant> created) {
    Optional<Instant> used = claim.lastUse();
    boolean isOfUnknownUse = used.isEmpty() && claim.epoch() > 0;
    if (!holders(claim).isEmpty() || isOfUnknownUse) {
      return Optional.empty();
    }
    // A use before the creation belongs to a former volume with the same key.
    return created.filter(made -> used.filter(made::isBefore).isEmpty()).or(() -> used);
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

  /** Whether the plugin has a healthy instance for every role that the volume needs. */
  public boolean isHealthy() {
    return plugin.isHealthy();
  }
}
