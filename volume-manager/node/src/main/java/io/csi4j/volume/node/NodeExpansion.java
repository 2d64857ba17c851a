package io.csi4j.volume.node;

import io.csi4j.client.model.CapacityRange;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.VolumeKey;
import java.util.Objects;
import java.util.Optional;

/**
 * The end of an expansion on a node.
 *
 * @param volume the volume
 * @param to the size that the node was asked to follow
 * @param refused why the node does not follow; nothing if it did
 * @since 1.0
 */
public record NodeExpansion(VolumeKey volume, CapacityRange to, Optional<OperatorMessage> refused) {

  /** Checks that all parts are there. */
  public NodeExpansion {
    Objects.requireNonNull(volume, "volume");
    Objects.requireNonNull(to, "to");
    Objects.requireNonNull(refused, "refused");
  }
}
