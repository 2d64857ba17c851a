package io.csi4j.client.node;

import io.csi4j.client.internal.redaction.RecordText;
import io.csi4j.client.model.PluginPath;
import io.csi4j.client.model.PublishContext;
import io.csi4j.client.model.Secrets;
import io.csi4j.client.model.VolumeCapability;
import io.csi4j.client.model.VolumeContext;
import io.csi4j.client.model.VolumeId;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Asks to make a volume accessible at a path, for one workload.
 *
 * <p>Requests with equal values are equal. The text form of a request contains no secrets.
 *
 * @since 1.0
 */
public sealed interface NodePublishVolumeRequest {

  /** The volume. */
  VolumeId volumeId();

  /**
   * The path at which the plugin will publish the volume, as the plugin sees it. The plugin creates
   * the path; the parent directory must exist.
   */
  PluginPath targetPath();

  /** The use of the volume. */
  VolumeCapability capability();

  /** The staging directory of the volume on this node, as the plugin sees it, if set. */
  Optional<PluginPath> stagingTargetPath();

  /** Whether the volume may only be read. */
  boolean readonly();

  /** Returns the context that the plugin returned when it attached the volume to this node. */
  PublishContext publishContext();

  /** The secrets that the plugin needs for this call. */
  Secrets secrets();

  /** The context of the volume, as returned by the plugin. */
  VolumeContext volumeContext();

  /** Returns a builder with the required fields set. */
  static Builder builder(VolumeId volumeId, PluginPath targetPath, VolumeCapability capability) {
    return new Builder(volumeId, targetPath, capability);
  }

  /** Collects the parts of a {@link NodePublishVolumeRequest}. */
  final class Builder {
    private final VolumeId volumeId;
    private final PluginPath targetPath;
    private final VolumeCapability capability;
    private @Nullable PluginPath stagingTargetPath;
    private boolean readonly;
    private PublishContext publishContext = PublishContext.empty();
    private Secrets secrets = Secrets.empty();
    private VolumeContext volumeContext = VolumeContext.empty();

    private Builder(VolumeId volumeId, PluginPath targetPath, VolumeCapability capability) {
      this.volumeId = volumeId;
      this.targetPath = targetPath;
      this.capability = capability;
    }

    /**
     * The staging directory of the volume on this node, as the plugin sees it. A plugin that stages
     * volumes needs this directory, except for an inline volume. A volume is inline if its context
     * contains {@code csi.storage.k8s.io/ephemeral} with the value {@code true}, as kubelet sets
     * it.
     */
    public Builder stagingTargetPath(PluginPath value) {
      stagingTargetPath = value;
      return this;
    }

    /** Whether the volume may only be read. */
    public Builder readonly(boolean value) {
      readonly = value;
      return this;
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
    public NodePublishVolumeRequest build() {
      return new NodePublishVolumeValue(
          volumeId,
          targetPath,
          capability,
          Optional.ofNullable(stagingTargetPath),
          readonly,
          publishContext,
          secrets,
          volumeContext);
    }

    private record NodePublishVolumeValue(
        VolumeId volumeId,
        PluginPath targetPath,
        VolumeCapability capability,
        Optional<PluginPath> stagingTargetPath,
        boolean readonly,
        PublishContext publishContext,
        Secrets secrets,
        VolumeContext volumeContext)
        implements NodePublishVolumeRequest {
      @Override
      public String toString() {
        return RecordText.of(this);
      }
    }
  }
}
