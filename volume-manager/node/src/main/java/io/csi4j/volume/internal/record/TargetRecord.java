package io.csi4j.volume.internal.record;

import io.csi4j.volume.model.VolumeUse;

/**
 * The record of one use of a volume. A use exists as long as it has this record.
 *
 * @param usage the volume and the workload
 * @param readOnly whether the workload may only read the volume
 * @param path the state of the use's target
 * @param claim the claim of the use
 */
public record TargetRecord(VolumeUse usage, boolean readOnly, PathRecord path, ClaimMark claim) {

  /** Creates a use without a claim. */
  public TargetRecord(VolumeUse usage, boolean readOnly, PathRecord path) {
    this(usage, readOnly, path, ClaimMark.NONE);
  }

  /** Returns this use with another state of its target. */
  public TargetRecord with(PathRecord next) {
    return new TargetRecord(usage, readOnly, next, claim);
  }

  /** Returns this use with another claim. */
  public TargetRecord under(ClaimMark next) {
    return new TargetRecord(usage, readOnly, path, next);
  }
}
