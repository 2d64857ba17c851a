package io.csi4j.volume.node;

import io.csi4j.client.model.CsiOperation;
import io.csi4j.volume.model.VolumeIdentity;
import io.csi4j.volume.model.VolumeUse;
import java.util.Objects;
import java.util.Optional;

/**
 * A call that the manager must still send to a plugin before a volume is gone from this node.
 *
 * @param volume the volume
 * @param use the use that the call ends; empty for the staging of the volume
 * @param call the call
 * @param certain true if the call is pending in any case; false if it is pending only when the host
 *     no longer wants the use
 * @param why the reason, as a clause without a full stop
 * @since 1.0
 */
public record PendingCall(
    VolumeIdentity volume,
    Optional<VolumeUse> use,
    CsiOperation call,
    boolean certain,
    String why) {

  /** Checks that all parts are there. */
  public PendingCall {
    Objects.requireNonNull(volume, "volume");
    Objects.requireNonNull(use, "use");
    Objects.requireNonNull(call, "call");
    Objects.requireNonNull(why, "why");
  }

  /** Returns the call for people, without the volume. */
  public String phrase() {
    return call.rpcName()
        + use.map(of -> " for " + of.phrase()).orElse("")
        + ", as "
        + why
        + (certain ? "" : "; not if the host still wants it");
  }
}
