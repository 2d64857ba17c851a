package io.csi4j.volume.upkeep;

import io.csi4j.volume.claim.ClaimHolder;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeUse;
import java.util.Objects;

/**
 * An item that exists and does not seem to be needed, with the reason.
 *
 * @since 1.0
 */
public sealed interface Leftover {

  /** Returns the reason: one line for people. */
  OperatorMessage.Part reason();

  /**
   * A claim whose release has begun and not ended: the release is advanced.
   *
   * @param usage the use
   * @param holder the claim as it was seen
   * @param reason the reason
   */
  record PastClaim(VolumeUse usage, ClaimHolder holder, OperatorMessage.Part reason)
      implements Leftover {

    /** Checks that all parts are set. */
    public PastClaim {
      Objects.requireNonNull(usage, "usage");
      Objects.requireNonNull(holder, "holder");
      Objects.requireNonNull(reason, "reason");
    }
  }

  /**
   * A claim of this node that is not wanted and of which nothing is mounted there: it is released
   * with the mount table as proof.
   *
   * @param usage the use
   * @param holder the claim as it was seen
   * @param reason the reason
   */
  record OrphanedClaim(VolumeUse usage, ClaimHolder holder, OperatorMessage.Part reason)
      implements Leftover {

    /** Checks that all parts are set. */
    public OrphanedClaim {
      Objects.requireNonNull(usage, "usage");
      Objects.requireNonNull(holder, "holder");
      Objects.requireNonNull(reason, "reason");
    }
  }

  /**
   * A plugin that no volume needs: it is removed from the registry.
   *
   * @param plugin the plugin
   * @param reason the reason
   */
  record UnusedPlugin(PluginId plugin, OperatorMessage.Part reason) implements Leftover {

    /** Checks that all parts are set. */
    public UnusedPlugin {
      Objects.requireNonNull(plugin, "plugin");
      Objects.requireNonNull(reason, "reason");
    }
  }

  /**
   * An ephemeral volume whose workload is gone: it is deleted.
   *
   * @param volume the volume
   * @param reason the reason
   */
  record EphemeralVolume(VolumeKey volume, OperatorMessage.Part reason) implements Leftover {

    /** Checks that all parts are set. */
    public EphemeralVolume {
      Objects.requireNonNull(volume, "volume");
      Objects.requireNonNull(reason, "reason");
    }
  }
}
