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
 * A volume in a list: what people look for, without what only calls need.
 *
 * <pre>{@code
 * VolumeSummary.Page page =
 *     controller.summaries(VolumeFilter.all().ofPlugin(plugin), PageRequest.first(), plugins);
 * for (VolumeSummary each : page.volumes()) {
 *   log.accept(each.key() + " " + each.state() + " " + each.writers());
 * }
 * }</pre>
 *
 * @param key how the host names it
 * @param state how far it is
 * @param written how and when its record was written
 * @param id how the plugin names it; nothing if it is being created, or is being deleted and may
 *     never have been made
 * @param provider the plugin's own name, where it is known
 * @param providerVersion the version of the plugin that made it, where it is known
 * @param capabilities every way in which it may be used, with its mount options
 * @param origin how it came here
 * @param ephemeral whether it ends with its use
 * @param capacityBytes its size, where it is known
 * @param topologies from where it can be reached; empty for anywhere
 * @param pendingOnNode how large the node has to make it, if it has to
 * @param changes the changes that were asked for and are not done, its deletion among them
 * @param unreadableClaim why its claim cannot be read: what follows of its use is not known then
 * @param use how it is used now, if it is
 * @param readers how many workloads read it
 * @param writers how many write it
 * @param leaving how many are on their way of giving it back
 * @param unusedSince since when no workload holds it: the end of its last use, or its creation;
 *     nothing if one does, or if it is not known
 * @param exhaustedUntil until when its storage system takes no further claim
 * @param plugin its plugin as a whole
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

  /** How far a volume is. */
  public enum State {
    /** It is being created, or an attempt to create it has failed and may be repeated. */
    CREATING,
    /** It is there. */
    PRESENT,
    /** It is there, and is being expanded. */
    GROWING,
    /** It is being deleted: no workload gets it any more. */
    DELETING;

    /** Returns the state of the volume of a record. */
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
   * How and when the record of a volume was written.
   *
   * @param version the version of the record in its store, higher with each write
   * @param created when the volume came on record; nothing if a version of csi4j wrote the record
   *     that kept no time
   * @param changed when what the record says of the volume was changed last, likewise
   */
  public record Written(long version, Optional<Instant> created, Optional<Instant> changed) {

    /** Checks that both times are there. */
    public Written {
      Objects.requireNonNull(created, "created");
      Objects.requireNonNull(changed, "changed");
    }
  }

  /**
   * Some of the volumes, in the order of their keys.
   *
   * @param volumes these
   * @param unreadable the records among them that cannot be read, in the order of their keys: all
   *     whose key may match the filter
   * @param next where the next page begins; nothing if this is the last
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
   * A record of a volume that cannot be read: it is damaged, or a newer version wrote it.
   *
   * @param key the key of the record
   * @param message the message for an operator, with {@code CATALOG_UNREADABLE}
   */
  public record Unreadable(RecordKey key, OperatorMessage message) {

    /** Checks that both parts are there. */
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
   * Returns the summary of a volume on record.
   *
   * @param changes what was asked for and is not done
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
   * Returns the summary of a volume on record whose claim cannot be read.
   *
   * @param changes what was asked for and is not done
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
   * Returns since when no workload holds a volume: the end of its last use, or its creation;
   * nothing if one does, or if it is not known.
   *
   * @param created when the volume came on record
   */
  public static Optional<Instant> unusedSince(Claim claim, Optional<Instant> created) {
    Optional<Instant> used = claim.lastUse();
    boolean isOfUnknownUse = used.isEmpty() && claim.epoch() > 0;
    if (!holders(claim).isEmpty() || isOfUnknownUse) {
      return Optional.empty();
    }
    // A use before its creation was one of a former volume of the key.
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

  /** Whether there is an instance of its plugin for everything that its use needs. */
  public boolean isHealthy() {
    return plugin.isHealthy();
  }
}
