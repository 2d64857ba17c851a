package io.csi4j.volume.internal.record;

import io.csi4j.volume.model.VolumeUse;

/**
 * One use of a volume. The existence of this record is what counts as the use.
 *
 * @param usage the volume and the workload
 * @param readOnly whether the workload may only read
 * @param path the state of its target
 * @param claim the claim of the use
 */
public record TargetRecord(VolumeUse usage, boolean readOnly, PathRecord path, ClaimMark claim) {

  /** Creates a use without a claim. */
  public TargetRecord(VolumeUse usage, boolean readOnly, PathRecord path) {
    this(usage, readOnly, path, ClaimMark.NONE);
  }

  /** Returns the use with another state of its target. */
  public TargetRecord with(PathRecord next) {
    return new TargetRecord(usage, readOnly, next, claim);
  }

  /** Returns the use under this claim. */
  public TargetRecord under(ClaimMark next) {
    return new TargetRecord(usage, readOnly, path, next);
  }
}
