package io.csi4j.client.node;

import io.csi4j.client.internal.redaction.RecordText;
import io.csi4j.client.model.PluginPath;
import io.csi4j.client.model.PublishContext;
import io.csi4j.client.model.Secrets;
import io.csi4j.client.model.VolumeCapability;
import io.csi4j.client.model.VolumeContext;
import io.csi4j.client.model.VolumeId;

/**
 * Asks to make a volume available on this node, once for all later publish calls.
 *
 * <p>Requests with equal values are equal. The text form of a request contains no secrets.
 *
 * @since 1.0
 */
public sealed interface NodeStageVolumeRequest {

  /** The volume. */
  VolumeId volumeId();

  /** The staging directory of the volume on this node, as the plugin sees it. */
  PluginPath stagingTargetPath();

  /** The use of the volume. */
  VolumeCapability capability();

  /** Returns the context that the plugin returned when it attached the volume to this node. */
  PublishContext publishContext();

  /** The secrets that the plugin needs for this call. */
  Secrets secrets();

  /** The context of the volume, as returned by the plugin. */
  VolumeContext volumeContext();

  /** Returns a builder with the required fields set. */
  static Builder builder(
      VolumeId volumeId, PluginPath stagingTargetPath, VolumeCapability capability) {
    return new Builder(volumeId, stagingTargetPath, capability);
  }

  /** Collects the parts of a {@link NodeStageVolumeRequest}. */
  final class Builder {
    private final VolumeId volumeId;
    private final PluginPath stagingTargetPath;
    private final VolumeCapability capability;
    private PublishContext publishContext = PublishContext.empty();
    private Secrets secrets = Secrets.empty();
    private VolumeContext volumeContext = VolumeContext.empty();

    private Builder(VolumeId volumeId, PluginPath stagingTargetPath, VolumeCapability capability) {
      this.volumeId = volumeId;
      this.stagingTargetPath = stagingTargetPath;
      this.capability = capability;
    }

    /** Sets the context that the plugin returned when it attached the volume to this node. */
    public Builder publishContext(PublishContext value) {
      publishContext = value;
      return this;
    }

    /** The secrets that the plugin needs for this call. */
    public Builder secrets(Secrets value) {
      secrets = value;
      return this;
    }

    /** The context of the volume, as returned by the plugin. */
    public Builder volumeContext(VolumeContext value) {
      volumeContext = value;
      return this;
    }

    /** Builds the request. */
    public NodeStageVolumeRequest build() {
      return new NodeStageVolumeValue(
          volumeId, stagingTargetPath, capability, publishContext, secrets, volumeContext);
    }

    private record NodeStageVolumeValue(
        VolumeId volumeId,
        PluginPath stagingTargetPath,
        VolumeCapability capability,
        PublishContext publishContext,
        Secrets secrets,
        VolumeContext volumeContext)
        implements NodeStageVolumeRequest {
      @Override
      public String toString() {
        return RecordText.of(this);
      }
    }
  }
}
