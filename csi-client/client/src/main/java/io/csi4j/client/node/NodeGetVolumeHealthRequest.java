package io.csi4j.client.node;

import io.csi4j.client.internal.redaction.RecordText;
import io.csi4j.client.model.Experimental;
import io.csi4j.client.model.PluginPath;
import io.csi4j.client.model.VolumeId;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Asks for all health problems of a volume, as seen from this node. The request may also name a
 * volume that the plugin failed to stage or publish.
 *
 * <p>Requests with equal values are equal. The text form of a request contains no secrets.
 *
 * @since 1.0
 */
@Experimental
public sealed interface NodeGetVolumeHealthRequest {

  /** The volume. */
  VolumeId volumeId();

  /** The publish path of the volume, as the plugin sees it, if set; publishing may have failed. */
  Optional<PluginPath> volumePublishPath();

  /** The staging directory of the volume on this node, as the plugin sees it, if set. */
  Optional<PluginPath> stagingTargetPath();

  /** Returns a builder with the required fields set. */
  static Builder builder(VolumeId volumeId) {
    return new Builder(volumeId);
  }

  /** Collects the parts of a {@link NodeGetVolumeHealthRequest}. */
  final class Builder {
    private final VolumeId volumeId;
    private @Nullable PluginPath volumePublishPath;
    private @Nullable PluginPath stagingTargetPath;

    private Builder(VolumeId volumeId) {
      this.volumeId = volumeId;
    }

    /** The publish path of the volume, as the plugin sees it; publishing may have failed. */
    public Builder volumePublishPath(PluginPath value) {
      volumePublishPath = value;
      return this;
    }

    /**
     * The staging directory of the volume on this node, as the plugin sees it. Only for plugins
     * that offer STAGE_UNSTAGE_VOLUME.
     */
    public Builder stagingTargetPath(PluginPath value) {
      stagingTargetPath = value;
      return this;
    }

    /** Builds the request. */
    public NodeGetVolumeHealthRequest build() {
      return new NodeGetVolumeHealthValue(
          volumeId, Optional.ofNullable(volumePublishPath), Optional.ofNullable(stagingTargetPath));
    }

    private record NodeGetVolumeHealthValue(
        VolumeId volumeId,
        Optional<PluginPath> volumePublishPath,
        Optional<PluginPath> stagingTargetPath)
        implements NodeGetVolumeHealthRequest {
      @Override
      public String toString() {
        return RecordText.of(this);
      }
    }
  }
}
