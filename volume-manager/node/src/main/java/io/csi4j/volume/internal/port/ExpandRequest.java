package io.csi4j.volume.internal.port;

import io.csi4j.client.model.CapacityRange;
import io.csi4j.volume.model.SecretsProvider;
import io.csi4j.volume.model.VolumeUse;
import java.util.Objects;

/**
 * A request to expand a volume on the node after the volume has grown.
 *
 * @param usage one use of the volume; the plugin receives its path
 * @param capacity the current capacity of the volume
 * @param secrets the provider of the secrets
 */
public record ExpandRequest(VolumeUse usage, CapacityRange capacity, SecretsProvider secrets) {

  /** Checks that no component is null. */
  public ExpandRequest {
    Objects.requireNonNull(usage, "usage");
    Objects.requireNonNull(capacity, "capacity");
    Objects.requireNonNull(secrets, "secrets");
  }

  /** Returns a request without secrets. */
  public static ExpandRequest of(VolumeUse usage, CapacityRange capacity) {
    return new ExpandRequest(usage, capacity, SecretsProvider.none());
  }
}
