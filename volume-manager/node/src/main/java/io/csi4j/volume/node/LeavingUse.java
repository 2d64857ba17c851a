package io.csi4j.volume.node;

import io.csi4j.volume.model.ClaimEpoch;
import io.csi4j.volume.model.VolumeIdentity;
import java.util.Objects;
import java.util.Optional;

/**
 * A use that a node has to unmount, and to give its receipt for.
 *
 * @param claim the claim, which is on its way back
 * @param volume the volume as its plugin names it; nothing if the control plane has no record of it
 *     any more
 * @since 1.0
 */
public record LeavingUse(ClaimEpoch claim, Optional<VolumeIdentity> volume) {

  /** Checks that both are there. */
  public LeavingUse {
    Objects.requireNonNull(claim, "claim");
    Objects.requireNonNull(volume, "volume");
  }
}
