package io.csi4j.volume.claim;

import io.csi4j.client.model.AccessMode;
import io.csi4j.volume.model.AttachmentMode;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.WorkloadId;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The claim of a volume, with all its holders. The first holder sets the use of the volume, and
 * that use stays until the last holder is removed.
 *
 * @param volume the volume
 * @param use the use of the volume; empty exactly when it has no holder
 * @param holders the holders by workload, including those that are being released
 * @param epoch the highest epoch that a holder of this volume had; it only grows
 * @param exhaustedUntil the time until which its storage system accepts no further claim, if it
 *     reported that
 * @param overrides the overrides by operators, the latest last; the oldest are dropped
 * @param lastUse the time at which the last workload that had held it was removed; empty if none
 *     ever was, or if a version that recorded no time removed it
 * @since 1.0
 */
public record Claim(
    VolumeKey volume,
    Optional<Use> use,
    SortedMap<WorkloadId, ClaimHolder> holders,
    long epoch,
    Optional<Instant> exhaustedUntil,
    List<ClaimOverride> overrides,
    Optional<Instant> lastUse) {

  /**
   * The reserved workload name that holds a volume while it is deleted; no workload may have this
   * name.
   */
  public static final WorkloadId DELETION = WorkloadId.of("being-deleted");

  /** Maximum number of overrides that are kept. */
  public static final int OVERRIDES = 8;

  /**
   * The use of a volume by all its holders.
   *
   * @param mode the number of nodes that may use it, and which may write
   * @param attachment whether nodes get it as a filesystem or as a block device
   */
  public record Use(AccessMode mode, AttachmentMode attachment) {

    /** Refuses a mode that is not in the spec. */
    public Use {
      Objects.requireNonNull(attachment, "attachment");
      if (!mode.isStated()) {
        throw new IllegalArgumentException(
            "A claim needs an access mode of the spec, not " + mode + ".");
      }
    }

    @Override
    public String toString() {
      return mode + (attachment == AttachmentMode.BLOCK ? " as a block device" : "");
    }
  }

  /** Copies the holders, and checks that they are consistent. */
  public Claim {
    Objects.requireNonNull(volume, "volume");
    Objects.requireNonNull(exhaustedUntil, "exhaustedUntil");
    Objects.requireNonNull(lastUse, "lastUse");
    holders = Collections.unmodifiableSortedMap(new TreeMap<>(holders));
    overrides =
        List.copyOf(overrides.subList(Math.max(0, overrides.size() - OVERRIDES), overrides.size()));
    if (use.isPresent() == holders.isEmpty()) {
      throw new IllegalArgumentException("A claim must have a use exactly when it has holders.");
    }
    for (Map.Entry<WorkloadId, ClaimHolder> entry : holders.entrySet()) {
      WorkloadId workload = entry.getKey();
      ClaimHolder holder = entry.getValue();
      if (!holder.workload().equals(workload)) {
        throw new IllegalArgumentException(
            "A holder is stored under the name of another workload.");
      }
      if (holder.epoch() > epoch) {
        throw new IllegalArgumentException("A holder has a higher epoch than the claim.");
      }
    }
  }

  /** A claim that was not used before, and has no overrides. */
  public Claim(
      VolumeKey volume,
      Optional<Use> use,
      SortedMap<WorkloadId, ClaimHolder> holders,
      long epoch,
      Optional<Instant> exhaustedUntil) {
    this(volume, use, holders, epoch, exhaustedUntil, List.of(), Optional.empty());
  }

  /** Returns the claim of a volume without holders. */
  public static Claim none(VolumeKey volume) {
    return new Claim(volume, Optional.empty(), Collections.emptySortedMap(), 0, Optional.empty());
  }

  /** Returns the holder of this workload, if there is one. */
  public Optional<ClaimHolder> holder(WorkloadId workload) {
    return Optional.ofNullable(holders.get(workload));
  }

  /** Returns the holders except this workload. */
  public Collection<ClaimHolder> others(WorkloadId workload) {
    return holders.values().stream().filter(each -> !each.workload().equals(workload)).toList();
  }

  /** Returns the claim with this holder, which replaces the current holder of the workload. */
  public Claim with(ClaimHolder holder, Use how) {
    SortedMap<WorkloadId, ClaimHolder> next = new TreeMap<>(holders);
    next.put(holder.workload(), holder);
    return new Claim(
        volume,
        Optional.of(how),
        next,
        Math.max(epoch, holder.epoch()),
        exhaustedUntil,
        overrides,
        lastUse);
  }

  /** Returns the claim without the holder of this workload. */
  public Claim without(WorkloadId workload) {
    SortedMap<WorkloadId, ClaimHolder> next = new TreeMap<>(holders);
    next.remove(workload);
    return new Claim(
        volume,
        next.isEmpty() ? Optional.empty() : use,
        next,
        epoch,
        exhaustedUntil,
        overrides,
        lastUse);
  }

  /** Returns the claim with the time at which a holder was last removed. */
  public Claim lastUsed(Instant at) {
    return new Claim(volume, use, holders, epoch, exhaustedUntil, overrides, Optional.of(at));
  }

  /**
   * Returns the claim with the time until which its storage system accepts no further claim; empty
   * if it accepts claims again.
   */
  public Claim exhausted(Optional<Instant> until) {
    return new Claim(volume, use, holders, epoch, until, overrides, lastUse);
  }

  /** Returns the claim with an override added. */
  public Claim answeredFor(ClaimOverride override) {
    List<ClaimOverride> more = new ArrayList<>(overrides);
    more.add(override);
    return new Claim(volume, use, holders, epoch, exhaustedUntil, more, lastUse);
  }
}
