package io.csi4j.client.node;

import io.csi4j.client.internal.redaction.RecordText;
import io.csi4j.client.model.CapacityRange;
import io.csi4j.client.model.Experimental;
import io.csi4j.client.model.PluginPath;
import io.csi4j.client.model.Secrets;
import io.csi4j.client.model.VolumeCapability;
import io.csi4j.client.model.VolumeId;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Asks to grow the filesystem or device on this node to the size of the volume.
 *
 * <p>Requests with equal values are equal. The text form of a request contains no secrets.
 *
 * @since 1.0
 */
public sealed interface NodeExpandVolumeRequest {

  /** The volume. */
  VolumeId volumeId();

  /** A path at which the volume is staged or published now, as the plugin sees it. */
  PluginPath volumePath();

  /** The required size of the volume, if set. */
  Optional<CapacityRange> capacityRange();

  /** The staging directory of the volume on this node, as the plugin sees it, if set. */
  Optional<PluginPath> stagingTargetPath();

  /** The use of the volume, if set. */
  Optional<VolumeCapability> capability();

  /** The secrets that the plugin needs for this call. */
  @Experimental
  Secrets secrets();

  /** Returns a builder with the required fields set. */
  static Builder builder(VolumeId volumeId, PluginPath volumePath) {
    return new Builder(volumeId, volumePath);
  }

  /** Collects the parts of a {@link NodeExpandVolumeRequest}. */
  final class Builder {
    private final VolumeId volumeId;
    private final PluginPath volumePath;
    private @Nullable CapacityRange capacityRange;
    private @Nullable PluginPath stagingTargetPath;
    private @Nullable VolumeCapability capability;
    private Secrets secrets = Secrets.empty();

    private Builder(VolumeId volumeId, PluginPath volumePath) {
      this.volumeId = volumeId;
      this.volumePath = volumePath;
    }

    /** The required size of the volume. */
    public Builder capacityRange(CapacityRange value) {
      capacityRange = value;
      return this;
    }

    /** The staging directory of the volume on this node, as the plugin sees it. */
    public Builder stagingTargetPath(PluginPath value) {
      stagingTargetPath = value;
      return this;
    }

    /** The use of the volume. */
    public Builder capability(VolumeCapability value) {
      capability = value;
      return this;
    }

    /** The secrets that the plugin needs for this call. */
    @Experimental
    public Builder secrets(Secrets value) {
      secrets = value;
      return this;
    }

    /** Builds the request. */
    public NodeExpandVolumeRequest build() {
      return new NodeExpandVolumeValue(
          volumeId,
          volumePath,
          Optional.ofNullable(capacityRange),
          Optional.ofNullable(stagingTargetPath),
          Optional.ofNullable(capability),
          secrets);
    }

    private record NodeExpandVolumeValue(
        VolumeId volumeId,
        PluginPath volumePath,
        Optional<CapacityRange> capacityRange,
        Optional<PluginPath> stagingTargetPath,
        Optional<VolumeCapability> capability,
        Secrets secrets)
        implements NodeExpandVolumeRequest {
      @Override
      public String toString() {
        return RecordText.of(this);
      }
    }
  }
}
