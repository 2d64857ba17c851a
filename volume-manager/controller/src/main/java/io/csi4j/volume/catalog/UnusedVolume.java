package io.csi4j.volume.catalog;

import io.csi4j.volume.internal.text.Messages;
import io.csi4j.volume.internal.text.Subject;
import io.csi4j.volume.model.CatalogVolume;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.VolumeIdentity;
import io.csi4j.volume.model.VolumeKey;
import java.time.Instant;
import java.util.Objects;
import java.util.OptionalLong;

/**
 * A volume that no workload has used for a long time, as advice for people. Nothing is deleted
 * because of this advice.
 *
 * @param key the host's key of the volume
 * @param identity the plugin, and the plugin's id of the volume
 * @param origin whether the volume was created or registered
 * @param capacityBytes its size, if known
 * @param since the end of its last use, or its creation if it was never used
 * @since 1.0
 */
public record UnusedVolume(
    VolumeKey key,
    VolumeIdentity identity,
    CatalogVolume.Origin origin,
    OptionalLong capacityBytes,
    Instant since) {

  /** Checks that all parts are set. */
  public UnusedVolume {
    Objects.requireNonNull(key, "key");
    Objects.requireNonNull(identity, "identity");
    Objects.requireNonNull(origin, "origin");
    Objects.requireNonNull(capacityBytes, "capacityBytes");
    Objects.requireNonNull(since, "since");
  }

  /** Returns the message for an operator, with {@link OperatorCode#VOLUME_UNUSED}. */
  public OperatorMessage message() {
    return Messages.of(
        OperatorCode.VOLUME_UNUSED,
        Subject.of("looking for unused volumes: '" + key + "',", identity),
        "it has been unused since "
            + since
            + (capacityBytes.isPresent()
                ? ", and has " + capacityBytes.getAsLong() + " bytes"
                : ""));
  }
}
