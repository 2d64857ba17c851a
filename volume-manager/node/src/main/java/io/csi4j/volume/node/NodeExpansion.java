package io.csi4j.volume.node;

import io.csi4j.client.model.CapacityRange;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.VolumeKey;
import java.util.Objects;
import java.util.Optional;

/**
 * The result of an expansion on a node.
 *
 * @param volume the volume
 * @param to the requested size
 * @param refused why the node did not expand the volume; empty if the node expanded it
 * @since 1.0
 */
public record NodeExpansion(VolumeKey volume, CapacityRange to, Optional<OperatorMessage> refused) {

  /** Checks that no component is null. */
  public NodeExpansion {
    Objects.requireNonNull(volume, "volume");
    Objects.requireNonNull(to, "to");
    Objects.requireNonNull(refused, "refused");
  }
}
