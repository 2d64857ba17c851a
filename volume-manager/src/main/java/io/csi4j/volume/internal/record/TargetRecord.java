package io.csi4j.volume.internal.record;

import io.csi4j.volume.UsageKey;

/**
 * One use of a volume: its existence is the usage that is counted.
 *
 * @param usage whose it is
 * @param readOnly whether it may only be read
 * @param path how far it is
 */
public record TargetRecord(UsageKey usage, boolean readOnly, PathRecord path) {

  /** The same use, further or less far. */
  public TargetRecord with(PathRecord next) {
    return new TargetRecord(usage, readOnly, next);
  }
}
