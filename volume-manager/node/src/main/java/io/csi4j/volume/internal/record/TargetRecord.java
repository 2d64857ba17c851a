package io.csi4j.volume.internal.record;

import io.csi4j.volume.model.VolumeUse;

/**
 * One use of a volume: its existence is the usage that is counted.
 *
 * @param usage whose it is
 * @param readOnly whether it may only be read
 * @param path how far it is
 * @param claim under which claim it is
 */
public record TargetRecord(VolumeUse usage, boolean readOnly, PathRecord path, ClaimMark claim) {

  /** A use without a claim. */
  public TargetRecord(VolumeUse usage, boolean readOnly, PathRecord path) {
    this(usage, readOnly, path, ClaimMark.NONE);
  }

  /** Returns the use, further or less far. */
  public TargetRecord with(PathRecord next) {
    return new TargetRecord(usage, readOnly, next, claim);
  }

  /** Returns the use under this claim. */
  public TargetRecord under(ClaimMark next) {
    return new TargetRecord(usage, readOnly, path, next);
  }
}
