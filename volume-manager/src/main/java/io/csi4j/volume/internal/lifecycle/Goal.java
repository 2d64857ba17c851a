package io.csi4j.volume.internal.lifecycle;

import io.csi4j.volume.UsageKey;
import io.csi4j.volume.internal.record.Plan;
import io.csi4j.volume.internal.record.VolumeIdentity;

/** What an operation wants of a volume. */
public sealed interface Goal {

  /**
   * That it appears for a workload.
   *
   * @param identity which volume
   * @param usage for whom
   * @param plan how it is used
   * @param readOnly whether the workload may only read
   * @param writable whether the workload has to be able to write
   */
  record Publish(
      VolumeIdentity identity, UsageKey usage, Plan plan, boolean readOnly, boolean writable)
      implements Goal {}

  /**
   * That a use is given up, and the volume with the last.
   *
   * @param usage which use
   */
  record Release(UsageKey usage) implements Goal {}

  /** That a volume which nobody uses goes. */
  record Settle() implements Goal {}
}
