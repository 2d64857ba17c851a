package io.csi4j.volume.node;

import io.csi4j.client.model.CapacityRange;
import io.csi4j.volume.model.SecretsProvider;
import io.csi4j.volume.model.VolumeUse;
import java.util.Objects;

/**
 * That the node shall take notice that a volume has grown.
 *
 * @param usage one use of the volume; its path is named to the plugin
 * @param capacity what the volume has now
 * @param secrets where the secrets come from
 * @since 1.0
 */
public record ExpandRequest(VolumeUse usage, CapacityRange capacity, SecretsProvider secrets) {

  /** Checks that all parts are there. */
  public ExpandRequest {
    Objects.requireNonNull(usage, "usage");
    Objects.requireNonNull(capacity, "capacity");
    Objects.requireNonNull(secrets, "secrets");
  }

  /** A request without secrets. */
  public static ExpandRequest of(VolumeUse usage, CapacityRange capacity) {
    return new ExpandRequest(usage, capacity, SecretsProvider.none());
  }
}
