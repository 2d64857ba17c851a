package io.csi4j.volume.internal.lifecycle;

import io.csi4j.volume.UsageKey;
import io.csi4j.volume.internal.record.Plan;
import io.csi4j.volume.internal.record.VolumeIdentity;
import java.util.Optional;

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
   * @param keeps whether the use stays whatever comes of it, as its workload is running
   */
  record Publish(
      VolumeIdentity identity,
      UsageKey usage,
      Plan plan,
      boolean readOnly,
      boolean writable,
      boolean keeps)
      implements Goal {

    /** That it appears for a workload that is not running yet. */
    public Publish(
        VolumeIdentity identity, UsageKey usage, Plan plan, boolean readOnly, boolean writable) {
      this(identity, usage, plan, readOnly, writable, false);
    }
  }

  /**
   * That what is mounted goes, and who uses it stays on record: a target, or the staging of a
   * volume none of whose targets is there.
   *
   * @param usage whose target, or else the staging
   */
  record Withdraw(Optional<UsageKey> usage) implements Goal {}

  /**
   * That a use is given up, and the volume with the last.
   *
   * @param usage which use
   */
  record Release(UsageKey usage) implements Goal {}

  /** That a volume which nobody uses goes. */
  record Settle() implements Goal {}
}
