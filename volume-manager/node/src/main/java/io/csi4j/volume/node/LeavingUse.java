package io.csi4j.volume.node;

import io.csi4j.volume.model.ClaimEpoch;
import io.csi4j.volume.model.VolumeIdentity;
import java.util.Objects;
import java.util.Optional;

/**
 * A use that a node must release and then confirm with a receipt.
 *
 * @param claim the claim that is being released
 * @param volume the volume as its plugin names it; empty if the control plane no longer has a
 *     record of the volume
 * @since 1.0
 */
public record LeavingUse(ClaimEpoch claim, Optional<VolumeIdentity> volume) {

  /** Checks that the claim and the volume are present. */
  public LeavingUse {
    Objects.requireNonNull(claim, "claim");
    Objects.requireNonNull(volume, "volume");
  }
}
