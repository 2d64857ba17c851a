package io.csi4j.client.node;

import io.csi4j.client.internal.redaction.RecordText;
import io.csi4j.client.model.PluginPath;
import io.csi4j.client.model.VolumeId;

/**
 * Asks to revert the staging of a volume on this node.
 *
 * <p>Requests with equal values are equal. The text form of a request contains no secrets.
 *
 * @since 1.0
 */
public sealed interface NodeUnstageVolumeRequest {

  /** The volume. */
  VolumeId volumeId();

  /** The staging directory of the volume on this node, as the plugin sees it. */
  PluginPath stagingTargetPath();

  /** Returns a builder with the required fields set. */
  static Builder builder(VolumeId volumeId, PluginPath stagingTargetPath) {
    return new Builder(volumeId, stagingTargetPath);
  }

  /** Collects the parts of a {@link NodeUnstageVolumeRequest}. */
  final class Builder {
    private final VolumeId volumeId;
    private final PluginPath stagingTargetPath;

    private Builder(VolumeId volumeId, PluginPath stagingTargetPath) {
      this.volumeId = volumeId;
      this.stagingTargetPath = stagingTargetPath;
    }

    /** Builds the request. */
    public NodeUnstageVolumeRequest build() {
      return new NodeUnstageVolumeValue(volumeId, stagingTargetPath);
    }

    private record NodeUnstageVolumeValue(VolumeId volumeId, PluginPath stagingTargetPath)
        implements NodeUnstageVolumeRequest {
      @Override
      public String toString() {
        return RecordText.of(this);
      }
    }
  }
}
