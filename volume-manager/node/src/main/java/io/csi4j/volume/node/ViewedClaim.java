package io.csi4j.volume.node;

import io.csi4j.volume.model.VolumeIdentity;
import io.csi4j.volume.model.VolumeUse;
import java.util.Objects;

/**
 * The claim under which a volume is used, as it is on record on this node.
 *
 * @param volume the volume
 * @param use the use
 * @param epoch the epoch of the claim, at least 1
 * @param confirmed whether the keeper of the claims has once said to this node that it is current
 * @since 1.0
 */
public record ViewedClaim(VolumeIdentity volume, VolumeUse use, long epoch, boolean confirmed) {

  /** Checks that all parts are there. */
  public ViewedClaim {
    Objects.requireNonNull(volume, "volume");
    Objects.requireNonNull(use, "use");
  }

  /** Returns the claim for people. */
  public String phrase() {
    return volume
        + ", "
        + use.phrase()
        + ": epoch "
        + epoch
        + (confirmed ? ", confirmed here once" : ", not confirmed here yet");
  }
}
