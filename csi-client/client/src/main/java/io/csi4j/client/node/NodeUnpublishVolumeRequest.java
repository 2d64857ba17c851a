package io.csi4j.client.node;

import io.csi4j.client.internal.redaction.RecordText;
import io.csi4j.client.model.PluginPath;
import io.csi4j.client.model.VolumeId;

/**
 * Asks to remove a volume from a path.
 *
 * <p>Requests with equal values are equal. The text form of a request contains no secrets.
 *
 * @since 1.0
 */
public sealed interface NodeUnpublishVolumeRequest {

  /** The volume. */
  VolumeId volumeId();

  /** The path at which the volume was published, as the plugin sees it. */
  PluginPath targetPath();

  /** Returns a builder with the required fields set. */
  static Builder builder(VolumeId volumeId, PluginPath targetPath) {
    return new Builder(volumeId, targetPath);
  }

  /** Collects the parts of a {@link NodeUnpublishVolumeRequest}. */
  final class Builder {
    private final VolumeId volumeId;
    private final PluginPath targetPath;

    private Builder(VolumeId volumeId, PluginPath targetPath) {
      this.volumeId = volumeId;
      this.targetPath = targetPath;
    }

    /** Builds the request. */
    public NodeUnpublishVolumeRequest build() {
      return new NodeUnpublishVolumeValue(volumeId, targetPath);
    }

    private record NodeUnpublishVolumeValue(VolumeId volumeId, PluginPath targetPath)
        implements NodeUnpublishVolumeRequest {
      @Override
      public String toString() {
        return RecordText.of(this);
      }
    }
  }
}
