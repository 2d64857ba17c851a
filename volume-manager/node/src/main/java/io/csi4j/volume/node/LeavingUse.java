package io.csi4j.volume.node;

import io.csi4j.client.model.VolumeId;
import io.csi4j.volume.model.ClaimEpoch;
import io.csi4j.volume.model.PluginId;
import java.util.Objects;

/**
 * A use that a node has to unmount, and to give its receipt for.
 *
 * @param claim the claim, which is on its way back
 * @param plugin the plugin of the volume
 * @param handle the volume as the plugin names it
 * @since 1.0
 */
public record LeavingUse(ClaimEpoch claim, PluginId plugin, VolumeId handle) {

  /** Checks that all parts are there. */
  public LeavingUse {
    Objects.requireNonNull(claim, "claim");
    Objects.requireNonNull(plugin, "plugin");
    Objects.requireNonNull(handle, "handle");
  }
}
