package io.csi4j.client.internal.mapping;

import io.csi4j.client.controller.ControllerExpandVolumeRequest;
import io.csi4j.client.controller.ControllerGetVolumeHealthRequest;
import io.csi4j.client.controller.ControllerGetVolumeRequest;
import io.csi4j.client.controller.ControllerListVolumeHealthRequest;
import io.csi4j.client.controller.ControllerModifyVolumeRequest;
import io.csi4j.client.controller.ControllerPublishVolumeRequest;
import io.csi4j.client.controller.ControllerUnpublishVolumeRequest;
import io.csi4j.client.controller.CreateSnapshotRequest;
import io.csi4j.client.controller.CreateVolumeRequest;
import io.csi4j.client.controller.DeleteSnapshotRequest;
import io.csi4j.client.controller.DeleteVolumeRequest;
import io.csi4j.client.controller.GetCapacityRequest;
import io.csi4j.client.controller.GetSnapshotRequest;
import io.csi4j.client.controller.ListSnapshotsRequest;
import io.csi4j.client.controller.ListVolumesRequest;
import io.csi4j.client.controller.ValidateVolumeCapabilitiesRequest;
import io.csi4j.client.model.NodeId;
import io.csi4j.client.model.SnapshotId;
import io.csi4j.client.model.VolumeId;

/** Converts the requests of the controller service into messages, with secrets in clear text. */
public final class ControllerRequestMapping {

  private ControllerRequestMapping() {}

  public static io.csi4j.client.internal.proto.CreateVolumeRequest toProto(
      CreateVolumeRequest request) {
    var out =
        io.csi4j.client.internal.proto.CreateVolumeRequest.newBuilder()
            .setName(request.name())
            .addAllVolumeCapabilities(ValueMapping.toProto(request.capabilities()))
            .putAllParameters(request.parameters())
            .putAllSecrets(request.secrets().reveal())
            .putAllMutableParams(request.mutableParameters());
    request.capacityRange().map(ValueMapping::toProto).ifPresent(out::setCapacityRange);
    request.contentSource().map(ValueMapping::toProto).ifPresent(out::setVolumeContentSource);
    request
        .accessibilityRequirements()
        .map(ValueMapping::toProto)
        .ifPresent(out::setAccessibilityRequirements);
    return out.build();
  }

  public static io.csi4j.client.internal.proto.DeleteVolumeRequest toProto(
      DeleteVolumeRequest request) {
    return io.csi4j.client.internal.proto.DeleteVolumeRequest.newBuilder()
        .setVolumeId(request.volumeId().value())
        .putAllSecrets(request.secrets().reveal())
        .build();
  }

  public static io.csi4j.client.internal.proto.ControllerPublishVolumeRequest toProto(
      ControllerPublishVolumeRequest request) {
    return io.csi4j.client.internal.proto.ControllerPublishVolumeRequest.newBuilder()
        .setVolumeId(request.volumeId().value())
        .setNodeId(request.nodeId().value())
        .setVolumeCapability(ValueMapping.toProto(request.capability()))
        .setReadonly(request.readonly())
        .putAllSecrets(request.secrets().reveal())
        .putAllVolumeContext(request.volumeContext().reveal())
        .build();
  }

  public static io.csi4j.client.internal.proto.ControllerUnpublishVolumeRequest toProto(
      ControllerUnpublishVolumeRequest request) {
    return io.csi4j.client.internal.proto.ControllerUnpublishVolumeRequest.newBuilder()
        .setVolumeId(request.volumeId().value())
        .setNodeId(request.nodeId().map(NodeId::value).orElse(""))
        .putAllSecrets(request.secrets().reveal())
        .build();
  }

  public static io.csi4j.client.internal.proto.ValidateVolumeCapabilitiesRequest toProto(
      ValidateVolumeCapabilitiesRequest request) {
    return io.csi4j.client.internal.proto.ValidateVolumeCapabilitiesRequest.newBuilder()
        .setVolumeId(request.volumeId().value())
        .putAllVolumeContext(request.volumeContext().reveal())
        .addAllVolumeCapabilities(ValueMapping.toProto(request.capabilities()))
        .putAllParameters(request.parameters())
        .putAllSecrets(request.secrets().reveal())
        .putAllMutableParams(request.mutableParameters())
        .build();
  }

  public static io.csi4j.client.internal.proto.ListVolumesRequest toProto(
      ListVolumesRequest request) {
    return io.csi4j.client.internal.proto.ListVolumesRequest.newBuilder()
        .setMaxEntries(request.maxEntries())
        .setStartingToken(request.startingToken().orElse(""))
        .build();
  }

  public static io.csi4j.client.internal.proto.ControllerListVolumeHealthRequest toProto(
      ControllerListVolumeHealthRequest request) {
    return io.csi4j.client.internal.proto.ControllerListVolumeHealthRequest.newBuilder()
        .setMaxEntries(request.maxEntries())
        .setStartingToken(request.startingToken().orElse(""))
        .putAllSecrets(request.secrets().reveal())
        .build();
  }

  public static io.csi4j.client.internal.proto.ControllerGetVolumeHealthRequest toProto(
      ControllerGetVolumeHealthRequest request) {
    return io.csi4j.client.internal.proto.ControllerGetVolumeHealthRequest.newBuilder()
        .setVolumeId(request.volumeId().value())
        .putAllSecrets(request.secrets().reveal())
        .build();
  }

  public static io.csi4j.client.internal.proto.GetCapacityRequest toProto(
      GetCapacityRequest request) {
    var out =
        io.csi4j.client.internal.proto.GetCapacityRequest.newBuilder()
            .addAllVolumeCapabilities(ValueMapping.toProto(request.capabilities()))
            .putAllParameters(request.parameters());
    request.accessibleTopology().map(ValueMapping::toProto).ifPresent(out::setAccessibleTopology);
    return out.build();
  }

  public static io.csi4j.client.internal.proto.CreateSnapshotRequest toProto(
      CreateSnapshotRequest request) {
    var out =
        io.csi4j.client.internal.proto.CreateSnapshotRequest.newBuilder()
            .setSourceVolumeId(request.sourceVolumeId().value())
            .setName(request.name())
            .putAllSecrets(request.secrets().reveal())
            .putAllParameters(request.parameters());
    request
        .accessibilityRequirements()
        .map(ValueMapping::toProto)
        .ifPresent(out::setAccessibilityRequirements);
    return out.build();
  }

  public static io.csi4j.client.internal.proto.DeleteSnapshotRequest toProto(
      DeleteSnapshotRequest request) {
    return io.csi4j.client.internal.proto.DeleteSnapshotRequest.newBuilder()
        .setSnapshotId(request.snapshotId().value())
        .putAllSecrets(request.secrets().reveal())
        .build();
  }

  public static io.csi4j.client.internal.proto.ListSnapshotsRequest toProto(
      ListSnapshotsRequest request) {
    return io.csi4j.client.internal.proto.ListSnapshotsRequest.newBuilder()
        .setMaxEntries(request.maxEntries())
        .setStartingToken(request.startingToken().orElse(""))
        .setSourceVolumeId(request.sourceVolumeId().map(VolumeId::value).orElse(""))
        .setSnapshotId(request.snapshotId().map(SnapshotId::value).orElse(""))
        .putAllSecrets(request.secrets().reveal())
        .build();
  }

  public static io.csi4j.client.internal.proto.GetSnapshotRequest toProto(
      GetSnapshotRequest request) {
    return io.csi4j.client.internal.proto.GetSnapshotRequest.newBuilder()
        .setSnapshotId(request.snapshotId().value())
        .putAllSecrets(request.secrets().reveal())
        .build();
  }

  public static io.csi4j.client.internal.proto.ControllerExpandVolumeRequest toProto(
      ControllerExpandVolumeRequest request) {
    var out =
        io.csi4j.client.internal.proto.ControllerExpandVolumeRequest.newBuilder()
            .setVolumeId(request.volumeId().value())
            .setCapacityRange(ValueMapping.toProto(request.capacityRange()))
            .putAllSecrets(request.secrets().reveal());
    request.capability().map(ValueMapping::toProto).ifPresent(out::setVolumeCapability);
    return out.build();
  }

  public static io.csi4j.client.internal.proto.ControllerGetVolumeRequest toProto(
      ControllerGetVolumeRequest request) {
    return io.csi4j.client.internal.proto.ControllerGetVolumeRequest.newBuilder()
        .setVolumeId(request.volumeId().value())
        .build();
  }

  public static io.csi4j.client.internal.proto.ControllerModifyVolumeRequest toProto(
      ControllerModifyVolumeRequest request) {
    return io.csi4j.client.internal.proto.ControllerModifyVolumeRequest.newBuilder()
        .setVolumeId(request.volumeId().value())
        .putAllMutableParameters(request.mutableParameters())
        .putAllSecrets(request.secrets().reveal())
        .build();
  }
}
