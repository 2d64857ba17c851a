package io.csi4j.volume.node;

import io.csi4j.client.model.CsiOperation;
import io.csi4j.volume.model.VolumeIdentity;
import io.csi4j.volume.model.VolumeUse;
import java.util.Objects;
import java.util.Optional;

/**
 * A call that a plugin has still to be sent, for a volume to be gone from this node.
 *
 * @param volume the volume
 * @param use the use that it takes away; nothing for the staging of the volume
 * @param call the call
 * @param certain true if it is owed whatever the host wants; else it is owed unless the host still
 *     wants the use
 * @param why why, as a clause without a full stop
 * @since 1.0
 */
public record OwedCall(
    VolumeIdentity volume,
    Optional<VolumeUse> use,
    CsiOperation call,
    boolean certain,
    String why) {

  /** Checks that all parts are there. */
  public OwedCall {
    Objects.requireNonNull(volume, "volume");
    Objects.requireNonNull(use, "use");
    Objects.requireNonNull(call, "call");
    Objects.requireNonNull(why, "why");
  }
}
