package io.csi4j.client.controller;

import io.csi4j.client.internal.redaction.RecordText;
import io.csi4j.client.model.NodeId;
import io.csi4j.client.model.Secrets;
import io.csi4j.client.model.VolumeId;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Asks to detach a volume from one node, or from all nodes.
 *
 * <p>Requests with equal values are equal. The text form of a request contains no secrets.
 *
 * @since 1.0
 */
public sealed interface ControllerUnpublishVolumeRequest {

  /** The volume. */
  VolumeId volumeId();

  /** The node to detach the volume from; empty for all nodes. */
  Optional<NodeId> nodeId();

  /** The secrets with which the volume was attached. */
  Secrets secrets();

  /** Begins a request to detach {@code volumeId} from this one node. */
  static Builder builder(VolumeId volumeId, NodeId nodeId) {
    Builder builder = new Builder(volumeId);
    builder.nodeId = nodeId;
    return builder;
  }

  /** Begins a request to detach {@code volumeId} from all nodes that it is attached to. */
  static Builder builderForAllNodes(VolumeId volumeId) {
    return new Builder(volumeId);
  }

  /** Collects the parts of a {@link ControllerUnpublishVolumeRequest}. */
  final class Builder {
    private final VolumeId volumeId;
    private @Nullable NodeId nodeId;
    private Secrets secrets = Secrets.empty();

    private Builder(VolumeId volumeId) {
      this.volumeId = volumeId;
    }

    /** The secrets with which the volume was attached. */
    public Builder secrets(Secrets value) {
      secrets = value;
      return this;
    }

    /** Builds the request. */
    public ControllerUnpublishVolumeRequest build() {
      return new ControllerUnpublishVolumeValue(volumeId, Optional.ofNullable(nodeId), secrets);
    }

    private record ControllerUnpublishVolumeValue(
        VolumeId volumeId, Optional<NodeId> nodeId, Secrets secrets)
        implements ControllerUnpublishVolumeRequest {
      @Override
      public String toString() {
        return RecordText.of(this);
      }
    }
  }
}
