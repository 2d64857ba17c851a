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
 * All that is claimed of one volume. The first holder says how the volume is used, and that holds
 * until the last one is forgotten.
 *
 * @param volume the volume
 * @param use how it is used; nothing exactly when it has no holder
 * @param holders the holders, by workload: also those that are on their way back
 * @param epoch the highest epoch that a claim of this volume had; it only grows
 * @param exhaustedUntil until when its storage system takes no further claim, if it said so
 * @param overrides what operators have answered for, the latest last; the oldest are dropped
 * @param lastUse when a workload was forgotten last that had held it; nothing if none ever was, or
 *     if that was written by a version that kept no time
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
   * The name in the place of a workload under which a volume is held while it is deleted; no
   * workload may have it.
   */
  public static final WorkloadId DELETION = WorkloadId.of("being-deleted");

  /** How many overrides are kept. */
  public static final int OVERRIDES = 8;

  /**
   * How a volume is used by all who hold it.
   *
   * @param mode how many nodes may use it, and which may write
   * @param attachment as what it is given to them
   */
  public record Use(AccessMode mode, AttachmentMode attachment) {

    /** Refuses a mode that the spec does not have. */
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

  /** Copies the holders, and checks that they fit together. */
  public Claim {
    Objects.requireNonNull(volume, "volume");
    Objects.requireNonNull(exhaustedUntil, "exhaustedUntil");
    Objects.requireNonNull(lastUse, "lastUse");
    holders = Collections.unmodifiableSortedMap(new TreeMap<>(holders));
    overrides =
        List.copyOf(overrides.subList(Math.max(0, overrides.size() - OVERRIDES), overrides.size()));
    if (use.isPresent() == holders.isEmpty()) {
      throw new IllegalArgumentException(
          "A claim says how the volume is used exactly when somebody holds it.");
    }
    for (Map.Entry<WorkloadId, ClaimHolder> entry : holders.entrySet()) {
      WorkloadId workload = entry.getKey();
      ClaimHolder holder = entry.getValue();
      if (!holder.workload().equals(workload)) {
        throw new IllegalArgumentException("A holder stands under the name of another.");
      }
      if (holder.epoch() > epoch) {
        throw new IllegalArgumentException("A holder is newer than the claim.");
      }
    }
  }

  /** A claim that was not used before, and for which no operator ever had to answer. */
  public Claim(
      VolumeKey volume,
      Optional<Use> use,
      SortedMap<WorkloadId, ClaimHolder> holders,
      long epoch,
      Optional<Instant> exhaustedUntil) {
    this(volume, use, holders, epoch, exhaustedUntil, List.of(), Optional.empty());
  }

  /** A volume without a holder. */
  public static Claim none(VolumeKey volume) {
    return new Claim(volume, Optional.empty(), Collections.emptySortedMap(), 0, Optional.empty());
  }

  /** The claim of a workload, if it has one. */
  public Optional<ClaimHolder> holder(WorkloadId workload) {
    return Optional.ofNullable(holders.get(workload));
  }

  /** Those who hold it, but this one. */
  public Collection<ClaimHolder> others(WorkloadId workload) {
    return holders.values().stream().filter(each -> !each.workload().equals(workload)).toList();
  }

  /** Returns the claim with this holder, in the place of the one that the workload has. */
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

  /** Returns the claim without this workload. */
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

  /** Returns the claim with the time at which a workload was forgotten last. */
  public Claim lastUsed(Instant at) {
    return new Claim(volume, use, holders, epoch, exhaustedUntil, overrides, Optional.of(at));
  }

  /**
   * Returns the claim with its storage system taking no further claim until then; or taking them
   * again.
   */
  public Claim exhausted(Optional<Instant> until) {
    return new Claim(volume, use, holders, epoch, until, overrides, lastUse);
  }

  /** Returns the claim with an operator answering for something. */
  public Claim answeredFor(ClaimOverride override) {
    List<ClaimOverride> more = new ArrayList<>(overrides);
    more.add(override);
    return new Claim(volume, use, holders, epoch, exhaustedUntil, more, lastUse);
  }
}
