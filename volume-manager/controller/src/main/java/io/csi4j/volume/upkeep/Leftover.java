package io.csi4j.volume.upkeep;

import io.csi4j.volume.claim.ClaimHolder;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeUse;
import java.util.Objects;

/**
 * A leftover: something that is there and does not seem to be needed, with the reason.
 *
 * @since 1.0
 */
public sealed interface Leftover {

  /** Why: one line for people. */
  OperatorMessage.Part reason();

  /**
   * A claim that is on its way back and has not arrived: it is brought on.
   *
   * @param usage the use
   * @param holder the claim as it was seen
   * @param reason why
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
   * A claim of this node that is not wanted, and of which it has nothing: it is given back with the
   * proof of the mount table.
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
   * A plugin that no volume needs: it is forgotten.
   *
   * @param plugin which
   * @param reason why
   */
  record UnusedPlugin(PluginId plugin, OperatorMessage.Part reason) implements Leftover {

    /** Checks that all parts are set. */
    public UnusedPlugin {
      Objects.requireNonNull(plugin, "plugin");
      Objects.requireNonNull(reason, "reason");
    }
  }

  /**
   * A volume that was to live no longer than its workload: it is deleted.
   *
   * @param volume which
   * @param reason why
   */
  record EphemeralVolume(VolumeKey volume, OperatorMessage.Part reason) implements Leftover {

    /** Checks that all parts are set. */
    public EphemeralVolume {
      Objects.requireNonNull(volume, "volume");
      Objects.requireNonNull(reason, "reason");
    }
  }
}
