package io.csi4j.client.node;

import io.csi4j.client.internal.redaction.RecordText;
import io.csi4j.client.model.CapacityRange;
import io.csi4j.client.model.PluginPath;
import io.csi4j.client.model.PublishContext;
import io.csi4j.client.model.Secrets;
import io.csi4j.client.model.VolumeCapability;
import io.csi4j.client.model.VolumeContext;
import io.csi4j.client.model.VolumeId;
import java.util.Optional;

/** The hidden values behind the requests of {@code io.csi4j.client.node}. */
final class NodeRequests {

  private NodeRequests() {}

  /** See {@link NodeStageVolumeRequest}. */
  public record NodeStageVolume(
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

  /** See {@link NodeUnstageVolumeRequest}. */
  public record NodeUnstageVolume(VolumeId volumeId, PluginPath stagingTargetPath)
      implements NodeUnstageVolumeRequest {
    @Override
    public String toString() {
      return RecordText.of(this);
    }
  }

  /** See {@link NodePublishVolumeRequest}. */
  public record NodePublishVolume(
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

  /** See {@link NodeUnpublishVolumeRequest}. */
  public record NodeUnpublishVolume(VolumeId volumeId, PluginPath targetPath)
      implements NodeUnpublishVolumeRequest {
    @Override
    public String toString() {
      return RecordText.of(this);
    }
  }

  /** See {@link NodeGetVolumeStatsRequest}. */
  public record NodeGetVolumeStats(
      VolumeId volumeId, PluginPath volumePath, Optional<PluginPath> stagingTargetPath)
      implements NodeGetVolumeStatsRequest {
    @Override
    public String toString() {
      return RecordText.of(this);
    }
  }

  /** See {@link NodeGetVolumeHealthRequest}. */
  public record NodeGetVolumeHealth(
      VolumeId volumeId,
      Optional<PluginPath> volumePublishPath,
      Optional<PluginPath> stagingTargetPath)
      implements NodeGetVolumeHealthRequest {
    @Override
    public String toString() {
      return RecordText.of(this);
    }
  }

  /** See {@link NodeGetStorageHealthRequest}. */
  public record NodeGetStorageHealth(Secrets secrets) implements NodeGetStorageHealthRequest {
    @Override
    public String toString() {
      return RecordText.of(this);
    }
  }

  /** See {@link NodeExpandVolumeRequest}. */
  public record NodeExpandVolume(
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
