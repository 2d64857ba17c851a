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
 * The claim of a volume, with all its holders. The first holder determines how the volume is used.
 * This use does not change until the last holder is removed.
 *
 * @param volume the volume
 * @param use the use of the volume; empty exactly when the claim has no holder
 * @param holders the holders by workload, including holders that are being released
 * @param epoch the highest epoch that any holder of this volume has had so far; it never decreases
 * @param exhaustedUntil the time until which no further claim of the volume is accepted, because
 *     the storage system reported that it is exhausted; empty if it did not
 * @param overrides the last overrides by operators, the latest last
 * @param lastUse the time at which a holder was last removed; empty if no holder was ever removed,
 *     or if an older version that did not record the time removed it
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
   * The reserved name of the holder that csi4j adds while it deletes a volume. No workload may have
   * this name.
   */
  public static final WorkloadId DELETION = WorkloadId.of("being-deleted");

  /** The maximum number of overrides that a claim keeps. */
  public static final int OVERRIDES = 8;

  /**
   * The use of a volume, which is the same for all holders.
   *
   * @param mode the access mode, which limits how many nodes may use the volume, and which may
   *     write
   * @param attachment whether nodes access the volume as a filesystem or as a block device
   */
  public record Use(AccessMode mode, AttachmentMode attachment) {

    /** Rejects an access mode that the CSI spec does not define. */
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

  /** Creates a claim without a last use and without overrides. */
  public Claim(
      VolumeKey volume,
      Optional<Use> use,
      SortedMap<WorkloadId, ClaimHolder> holders,
      long epoch,
      Optional<Instant> exhaustedUntil) {
    this(volume, use, holders, epoch, exhaustedUntil, List.of(), Optional.empty());
  }

  /** Returns the claim of a volume that has no holders. */
  public static Claim none(VolumeKey volume) {
    return new Claim(volume, Optional.empty(), Collections.emptySortedMap(), 0, Optional.empty());
  }

  /** Returns the holder for this workload, if the workload holds the volume. */
  public Optional<ClaimHolder> holder(WorkloadId workload) {
    return Optional.ofNullable(holders.get(workload));
  }

  /** Returns all holders except the holder for this workload. */
  public Collection<ClaimHolder> others(WorkloadId workload) {
    return holders.values().stream().filter(each -> !each.workload().equals(workload)).toList();
  }

  /**
   * Returns the claim with this holder and use. The holder replaces a current holder for the same
   * workload.
   */
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

  /** Returns the claim without the holder for this workload. */
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
   * Returns the claim with this time until which no further claim is accepted; empty if claims are
   * accepted again.
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
