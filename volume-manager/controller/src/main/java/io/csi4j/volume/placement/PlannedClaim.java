package io.csi4j.volume.placement;

import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.model.ClaimMode;
import io.csi4j.volume.model.WorkloadId;
import java.util.Objects;

/**
 * The claim that a workload will ask for once its node is chosen.
 *
 * @param workload the workload
 * @param use how the volume is to be used
 * @param mode what the workload does with it
 * @since 1.0
 */
public record PlannedClaim(WorkloadId workload, Claim.Use use, ClaimMode mode) {

  /** Checks that all parts are there. */
  public PlannedClaim {
    Objects.requireNonNull(workload, "workload");
    Objects.requireNonNull(use, "use");
    Objects.requireNonNull(mode, "mode");
  }
}
