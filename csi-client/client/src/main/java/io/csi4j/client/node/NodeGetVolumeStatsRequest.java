package io.csi4j.client.node;

import io.csi4j.client.internal.redaction.RecordText;
import io.csi4j.client.model.PluginPath;
import io.csi4j.client.model.VolumeId;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Asks for the space in use and the condition of a volume.
 *
 * <p>Requests with equal values are equal. The text form of a request contains no secrets.
 *
 * @since 1.0
 */
public sealed interface NodeGetVolumeStatsRequest {

  /** The volume. */
  VolumeId volumeId();

  /** A path at which the volume is staged or published now, as the plugin sees it. */
  PluginPath volumePath();

  /** The staging directory of the volume on this node, as the plugin sees it, if set. */
  Optional<PluginPath> stagingTargetPath();

  /** Returns a builder with the required fields set. */
  static Builder builder(VolumeId volumeId, PluginPath volumePath) {
    return new Builder(volumeId, volumePath);
  }

  /** Collects the parts of a {@link NodeGetVolumeStatsRequest}. */
  final class Builder {
    private final VolumeId volumeId;
    private final PluginPath volumePath;
    private @Nullable PluginPath stagingTargetPath;

    private Builder(VolumeId volumeId, PluginPath volumePath) {
      this.volumeId = volumeId;
      this.volumePath = volumePath;
    }

    /** The staging directory of the volume on this node, as the plugin sees it. */
    public Builder stagingTargetPath(PluginPath value) {
      stagingTargetPath = value;
      return this;
    }

    /** Builds the request. */
    public NodeGetVolumeStatsRequest build() {
      return new NodeGetVolumeStatsValue(
          volumeId, volumePath, Optional.ofNullable(stagingTargetPath));
    }

    private record NodeGetVolumeStatsValue(
        VolumeId volumeId, PluginPath volumePath, Optional<PluginPath> stagingTargetPath)
        implements NodeGetVolumeStatsRequest {
      @Override
      public String toString() {
        return RecordText.of(this);
      }
    }
  }
}
