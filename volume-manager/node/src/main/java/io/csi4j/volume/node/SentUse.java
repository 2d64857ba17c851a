package io.csi4j.volume.node;

import io.csi4j.client.model.CapacityRange;
import java.util.Objects;
import java.util.Optional;

/**
 * A use that the node should mount, as a control plane sends it.
 *
 * @param use the use
 * @param secrets the secrets of its request
 * @param grown the new size, to which the node must expand its filesystem, if the volume has grown
 * @since 1.0
 */
public record SentUse(WantedUse use, SentSecrets secrets, Optional<CapacityRange> grown) {

  /** Checks that no component is null, and that a use without a request has no secrets. */
  public SentUse {
    Objects.requireNonNull(use, "use");
    Objects.requireNonNull(secrets, "secrets");
    Objects.requireNonNull(grown, "grown");
    if (use instanceof WantedUse.Named && !secrets.equals(SentSecrets.none())) {
      throw new IllegalArgumentException("A use without a request needs no secrets.");
    }
  }
}
