package io.csi4j.client.controller;

import io.csi4j.client.internal.redaction.RecordText;
import io.csi4j.client.model.CapacityRange;
import io.csi4j.client.model.NodeId;
import io.csi4j.client.model.Secrets;
import io.csi4j.client.model.SnapshotId;
import io.csi4j.client.model.Topology;
import io.csi4j.client.model.TopologyRequirement;
import io.csi4j.client.model.VolumeCapability;
import io.csi4j.client.model.VolumeContext;
import io.csi4j.client.model.VolumeId;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The hidden values behind the requests of {@code io.csi4j.client.controller}. */
final class ControllerRequests {

  private ControllerRequests() {}

  /** See {@link CreateVolumeRequest}. */
  public record CreateVolume(
      String name,
      List<VolumeCapability> capabilities,
      Optional<CapacityRange> capacityRange,
      Map<String, String> parameters,
      Secrets secrets,
      Optional<VolumeContentSource> contentSource,
      Optional<TopologyRequirement> accessibilityRequirements,
      Map<String, String> mutableParameters)
      implements CreateVolumeRequest {
    @Override
    public String toString() {
      return RecordText.of(this);
    }
  }

  /** See {@link DeleteVolumeRequest}. */
  public record DeleteVolume(VolumeId volumeId, Secrets secrets) implements DeleteVolumeRequest {
    @Override
    public String toString() {
      return RecordText.of(this);
    }
  }

  /** See {@link ControllerPublishVolumeRequest}. */
  public record ControllerPublishVolume(
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

  /** See {@link ControllerUnpublishVolumeRequest}. */
  public record ControllerUnpublishVolume(
      VolumeId volumeId, Optional<NodeId> nodeId, Secrets secrets)
      implements ControllerUnpublishVolumeRequest {
    @Override
    public String toString() {
      return RecordText.of(this);
    }
  }

  /** See {@link ValidateVolumeCapabilitiesRequest}. */
  public record ValidateVolumeCapabilities(
      VolumeId volumeId,
      List<VolumeCapability> capabilities,
      VolumeContext volumeContext,
      Map<String, String> parameters,
      Secrets secrets,
      Map<String, String> mutableParameters)
      implements ValidateVolumeCapabilitiesRequest {
    @Override
    public String toString() {
      return RecordText.of(this);
    }
  }

  /** See {@link ListVolumesRequest}. */
  public record ListVolumes(int maxEntries, Optional<String> startingToken)
      implements ListVolumesRequest {
    @Override
    public String toString() {
      return RecordText.of(this);
    }
  }

  /** See {@link ControllerListVolumeHealthRequest}. */
  public record ControllerListVolumeHealth(
      int maxEntries, Optional<String> startingToken, Secrets secrets)
      implements ControllerListVolumeHealthRequest {
    @Override
    public String toString() {
      return RecordText.of(this);
    }
  }

  /** See {@link ControllerGetVolumeHealthRequest}. */
  public record ControllerGetVolumeHealth(VolumeId volumeId, Secrets secrets)
      implements ControllerGetVolumeHealthRequest {
    @Override
    public String toString() {
      return RecordText.of(this);
    }
  }

  /** See {@link GetCapacityRequest}. */
  public record GetCapacity(
      List<VolumeCapability> capabilities,
      Map<String, String> parameters,
      Optional<Topology> accessibleTopology)
      implements GetCapacityRequest {
    @Override
    public String toString() {
      return RecordText.of(this);
    }
  }

  /** See {@link CreateSnapshotRequest}. */
  public record CreateSnapshot(
      VolumeId sourceVolumeId,
      String name,
      Secrets secrets,
      Map<String, String> parameters,
      Optional<TopologyRequirement> accessibilityRequirements)
      implements CreateSnapshotRequest {
    @Override
    public String toString() {
      return RecordText.of(this);
    }
  }

  /** See {@link DeleteSnapshotRequest}. */
  public record DeleteSnapshot(SnapshotId snapshotId, Secrets secrets)
      implements DeleteSnapshotRequest {
    @Override
    public String toString() {
      return RecordText.of(this);
    }
  }

  /** See {@link ListSnapshotsRequest}. */
  public record ListSnapshots(
      int maxEntries,
      Optional<String> startingToken,
      Optional<VolumeId> sourceVolumeId,
      Optional<SnapshotId> snapshotId,
      Secrets secrets)
      implements ListSnapshotsRequest {
    @Override
    public String toString() {
      return RecordText.of(this);
    }
  }

  /** See {@link GetSnapshotRequest}. */
  public record GetSnapshot(SnapshotId snapshotId, Secrets secrets) implements GetSnapshotRequest {
    @Override
    public String toString() {
      return RecordText.of(this);
    }
  }

  /** See {@link ControllerExpandVolumeRequest}. */
  public record ControllerExpandVolume(
      VolumeId volumeId,
      CapacityRange capacityRange,
      Secrets secrets,
      Optional<VolumeCapability> capability)
      implements ControllerExpandVolumeRequest {
    @Override
    public String toString() {
      return RecordText.of(this);
    }
  }

  /** See {@link ControllerGetVolumeRequest}. */
  public record ControllerGetVolume(VolumeId volumeId) implements ControllerGetVolumeRequest {
    @Override
    public String toString() {
      return RecordText.of(this);
    }
  }

  /** See {@link ControllerModifyVolumeRequest}. */
  public record ControllerModifyVolume(
      VolumeId volumeId, Map<String, String> mutableParameters, Secrets secrets)
      implements ControllerModifyVolumeRequest {
    @Override
    public String toString() {
      return RecordText.of(this);
    }
  }
}
