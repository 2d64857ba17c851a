package io.csi4j.client.controller;

import io.csi4j.client.internal.redaction.RecordText;
import io.csi4j.client.model.NodeId;
import io.csi4j.client.model.Secrets;
import io.csi4j.client.model.VolumeCapability;
import io.csi4j.client.model.VolumeContext;
import io.csi4j.client.model.VolumeId;

/**
 * Asks to attach a volume to a node.
 *
 * <p>Requests with equal values are equal. The text form of a request contains no secrets.
 *
 * @since 1.0
 */
public sealed interface ControllerPublishVolumeRequest {

  /** The volume. */
  VolumeId volumeId();

  /** The node id that NodeGetInfo of this plugin returned on the node. */
  NodeId nodeId();

  /** The use of the volume. */
  VolumeCapability capability();

  /** Whether the volume may only be read. */
  boolean readonly();

  /** The secrets that the plugin needs for this call. */
  Secrets secrets();

  /** The context of the volume, as returned by the plugin. */
  VolumeContext volumeContext();

  /** Returns a builder with the required fields set. */
  static Builder builder(VolumeId volumeId, NodeId nodeId, VolumeCapability capability) {
    return new Builder(volumeId, nodeId, capability);
  }

  /** Collects the parts of a {@link ControllerPublishVolumeRequest}. */
  final class Builder {
    private final VolumeId volumeId;
    private final NodeId nodeId;
    private final VolumeCapability capability;
    private boolean readonly;
    private Secrets secrets = Secrets.empty();
    private VolumeContext volumeContext = VolumeContext.empty();

    private Builder(VolumeId volumeId, NodeId nodeId, VolumeCapability capability) {
      this.volumeId = volumeId;
      this.nodeId = nodeId;
      this.capability = capability;
    }

    /** Whether the volume may only be read; needs the capability PUBLISH_READONLY. */
    public Builder readonly(boolean value) {
      readonly = value;
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
    public ControllerPublishVolumeRequest build() {
      return new ControllerPublishVolumeValue(
          volumeId, nodeId, capability, readonly, secrets, volumeContext);
    }

    private record ControllerPublishVolumeValue(
        VolumeId volumeId,
        NodeId nodeId,
        VolumeCapability capability,
        boolean readonly,
        Secrets secrets,
        VolumeContext volumeContext)
        implements ControllerPublishVolumeRequest {
      @Override
      public String toString() {
        return RecordText.of(this);
      }
    }
  }
}
