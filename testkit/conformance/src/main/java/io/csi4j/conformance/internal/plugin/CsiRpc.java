package io.csi4j.conformance.internal.plugin;

import com.google.protobuf.Message;
import io.csi4j.client.internal.proto.ControllerExpandVolumeRequest;
import io.csi4j.client.internal.proto.ControllerExpandVolumeResponse;
import io.csi4j.client.internal.proto.ControllerGetCapabilitiesRequest;
import io.csi4j.client.internal.proto.ControllerGetCapabilitiesResponse;
import io.csi4j.client.internal.proto.ControllerGetVolumeRequest;
import io.csi4j.client.internal.proto.ControllerGetVolumeResponse;
import io.csi4j.client.internal.proto.ControllerModifyVolumeRequest;
import io.csi4j.client.internal.proto.ControllerModifyVolumeResponse;
import io.csi4j.client.internal.proto.ControllerPublishVolumeRequest;
import io.csi4j.client.internal.proto.ControllerPublishVolumeResponse;
import io.csi4j.client.internal.proto.ControllerUnpublishVolumeRequest;
import io.csi4j.client.internal.proto.ControllerUnpublishVolumeResponse;
import io.csi4j.client.internal.proto.CreateSnapshotRequest;
import io.csi4j.client.internal.proto.CreateSnapshotResponse;
import io.csi4j.client.internal.proto.CreateVolumeGroupSnapshotRequest;
import io.csi4j.client.internal.proto.CreateVolumeGroupSnapshotResponse;
import io.csi4j.client.internal.proto.CreateVolumeRequest;
import io.csi4j.client.internal.proto.CreateVolumeResponse;
import io.csi4j.client.internal.proto.DeleteSnapshotRequest;
import io.csi4j.client.internal.proto.DeleteSnapshotResponse;
import io.csi4j.client.internal.proto.DeleteVolumeGroupSnapshotRequest;
import io.csi4j.client.internal.proto.DeleteVolumeGroupSnapshotResponse;
import io.csi4j.client.internal.proto.DeleteVolumeRequest;
import io.csi4j.client.internal.proto.DeleteVolumeResponse;
import io.csi4j.client.internal.proto.GetCapacityRequest;
import io.csi4j.client.internal.proto.GetCapacityResponse;
import io.csi4j.client.internal.proto.GetMetadataAllocatedRequest;
import io.csi4j.client.internal.proto.GetMetadataAllocatedResponse;
import io.csi4j.client.internal.proto.GetMetadataDeltaRequest;
import io.csi4j.client.internal.proto.GetMetadataDeltaResponse;
import io.csi4j.client.internal.proto.GetPluginCapabilitiesRequest;
import io.csi4j.client.internal.proto.GetPluginCapabilitiesResponse;
import io.csi4j.client.internal.proto.GetPluginInfoRequest;
import io.csi4j.client.internal.proto.GetPluginInfoResponse;
import io.csi4j.client.internal.proto.GetSnapshotRequest;
import io.csi4j.client.internal.proto.GetSnapshotResponse;
import io.csi4j.client.internal.proto.GetVolumeGroupSnapshotRequest;
import io.csi4j.client.internal.proto.GetVolumeGroupSnapshotResponse;
import io.csi4j.client.internal.proto.GroupControllerGetCapabilitiesRequest;
import io.csi4j.client.internal.proto.GroupControllerGetCapabilitiesResponse;
import io.csi4j.client.internal.proto.ListSnapshotsRequest;
import io.csi4j.client.internal.proto.ListSnapshotsResponse;
import io.csi4j.client.internal.proto.ListVolumesRequest;
import io.csi4j.client.internal.proto.ListVolumesResponse;
import io.csi4j.client.internal.proto.NodeExpandVolumeRequest;
import io.csi4j.client.internal.proto.NodeExpandVolumeResponse;
import io.csi4j.client.internal.proto.NodeGetCapabilitiesRequest;
import io.csi4j.client.internal.proto.NodeGetCapabilitiesResponse;
import io.csi4j.client.internal.proto.NodeGetInfoRequest;
import io.csi4j.client.internal.proto.NodeGetInfoResponse;
import io.csi4j.client.internal.proto.NodeGetVolumeStatsRequest;
import io.csi4j.client.internal.proto.NodeGetVolumeStatsResponse;
import io.csi4j.client.internal.proto.NodePublishVolumeRequest;
import io.csi4j.client.internal.proto.NodePublishVolumeResponse;
import io.csi4j.client.internal.proto.NodeStageVolumeRequest;
import io.csi4j.client.internal.proto.NodeStageVolumeResponse;
import io.csi4j.client.internal.proto.NodeUnpublishVolumeRequest;
import io.csi4j.client.internal.proto.NodeUnpublishVolumeResponse;
import io.csi4j.client.internal.proto.NodeUnstageVolumeRequest;
import io.csi4j.client.internal.proto.NodeUnstageVolumeResponse;
import io.csi4j.client.internal.proto.ProbeRequest;
import io.csi4j.client.internal.proto.ProbeResponse;
import io.csi4j.client.internal.proto.ValidateVolumeCapabilitiesRequest;
import io.csi4j.client.internal.proto.ValidateVolumeCapabilitiesResponse;
import io.csi4j.client.model.CsiOperation;

/**
 * A call of the spec, with the types of its messages.
 *
 * @param <Q> what is asked
 * @param <A> what is answered
 */
@SuppressWarnings("UnusedTypeParameter") // it ties requests to calls
record CsiRpc<Q extends Message, A extends Message>(CsiOperation operation, A empty) {

  static final CsiRpc<GetPluginInfoRequest, GetPluginInfoResponse> GET_PLUGIN_INFO =
      new CsiRpc<>(CsiOperation.GET_PLUGIN_INFO, GetPluginInfoResponse.getDefaultInstance());
  static final CsiRpc<GetPluginCapabilitiesRequest, GetPluginCapabilitiesResponse>
      GET_PLUGIN_CAPABILITIES =
          new CsiRpc<>(
              CsiOperation.GET_PLUGIN_CAPABILITIES,
              GetPluginCapabilitiesResponse.getDefaultInstance());
  static final CsiRpc<ProbeRequest, ProbeResponse> PROBE =
      new CsiRpc<>(CsiOperation.PROBE, ProbeResponse.getDefaultInstance());
  static final CsiRpc<CreateVolumeRequest, CreateVolumeResponse> CREATE_VOLUME =
      new CsiRpc<>(CsiOperation.CREATE_VOLUME, CreateVolumeResponse.getDefaultInstance());
  static final CsiRpc<DeleteVolumeRequest, DeleteVolumeResponse> DELETE_VOLUME =
      new CsiRpc<>(CsiOperation.DELETE_VOLUME, DeleteVolumeResponse.getDefaultInstance());
  static final CsiRpc<ControllerPublishVolumeRequest, ControllerPublishVolumeResponse>
      CONTROLLER_PUBLISH_VOLUME =
          new CsiRpc<>(
              CsiOperation.CONTROLLER_PUBLISH_VOLUME,
              ControllerPublishVolumeResponse.getDefaultInstance());
  static final CsiRpc<ControllerUnpublishVolumeRequest, ControllerUnpublishVolumeResponse>
      CONTROLLER_UNPUBLISH_VOLUME =
          new CsiRpc<>(
              CsiOperation.CONTROLLER_UNPUBLISH_VOLUME,
              ControllerUnpublishVolumeResponse.getDefaultInstance());
  static final CsiRpc<ValidateVolumeCapabilitiesRequest, ValidateVolumeCapabilitiesResponse>
      VALIDATE_VOLUME_CAPABILITIES =
          new CsiRpc<>(
              CsiOperation.VALIDATE_VOLUME_CAPABILITIES,
              ValidateVolumeCapabilitiesResponse.getDefaultInstance());
  static final CsiRpc<ListVolumesRequest, ListVolumesResponse> LIST_VOLUMES =
      new CsiRpc<>(CsiOperation.LIST_VOLUMES, ListVolumesResponse.getDefaultInstance());
  static final CsiRpc<GetCapacityRequest, GetCapacityResponse> GET_CAPACITY =
      new CsiRpc<>(CsiOperation.GET_CAPACITY, GetCapacityResponse.getDefaultInstance());
  static final CsiRpc<ControllerGetCapabilitiesRequest, ControllerGetCapabilitiesResponse>
      CONTROLLER_GET_CAPABILITIES =
          new CsiRpc<>(
              CsiOperation.CONTROLLER_GET_CAPABILITIES,
              ControllerGetCapabilitiesResponse.getDefaultInstance());
  static final CsiRpc<CreateSnapshotRequest, CreateSnapshotResponse> CREATE_SNAPSHOT =
      new CsiRpc<>(CsiOperation.CREATE_SNAPSHOT, CreateSnapshotResponse.getDefaultInstance());
  static final CsiRpc<DeleteSnapshotRequest, DeleteSnapshotResponse> DELETE_SNAPSHOT =
      new CsiRpc<>(CsiOperation.DELETE_SNAPSHOT, DeleteSnapshotResponse.getDefaultInstance());
  static final CsiRpc<ListSnapshotsRequest, ListSnapshotsResponse> LIST_SNAPSHOTS =
      new CsiRpc<>(CsiOperation.LIST_SNAPSHOTS, ListSnapshotsResponse.getDefaultInstance());
  static final CsiRpc<GetSnapshotRequest, GetSnapshotResponse> GET_SNAPSHOT =
      new CsiRpc<>(CsiOperation.GET_SNAPSHOT, GetSnapshotResponse.getDefaultInstance());
  static final CsiRpc<ControllerExpandVolumeRequest, ControllerExpandVolumeResponse>
      CONTROLLER_EXPAND_VOLUME =
          new CsiRpc<>(
              CsiOperation.CONTROLLER_EXPAND_VOLUME,
              ControllerExpandVolumeResponse.getDefaultInstance());
  static final CsiRpc<ControllerGetVolumeRequest, ControllerGetVolumeResponse>
      CONTROLLER_GET_VOLUME =
          new CsiRpc<>(
              CsiOperation.CONTROLLER_GET_VOLUME, ControllerGetVolumeResponse.getDefaultInstance());
  static final CsiRpc<ControllerModifyVolumeRequest, ControllerModifyVolumeResponse>
      CONTROLLER_MODIFY_VOLUME =
          new CsiRpc<>(
              CsiOperation.CONTROLLER_MODIFY_VOLUME,
              ControllerModifyVolumeResponse.getDefaultInstance());
  static final CsiRpc<GroupControllerGetCapabilitiesRequest, GroupControllerGetCapabilitiesResponse>
      GROUP_CONTROLLER_GET_CAPABILITIES =
          new CsiRpc<>(
              CsiOperation.GROUP_CONTROLLER_GET_CAPABILITIES,
              GroupControllerGetCapabilitiesResponse.getDefaultInstance());
  static final CsiRpc<CreateVolumeGroupSnapshotRequest, CreateVolumeGroupSnapshotResponse>
      CREATE_VOLUME_GROUP_SNAPSHOT =
          new CsiRpc<>(
              CsiOperation.CREATE_VOLUME_GROUP_SNAPSHOT,
              CreateVolumeGroupSnapshotResponse.getDefaultInstance());
  static final CsiRpc<DeleteVolumeGroupSnapshotRequest, DeleteVolumeGroupSnapshotResponse>
      DELETE_VOLUME_GROUP_SNAPSHOT =
          new CsiRpc<>(
              CsiOperation.DELETE_VOLUME_GROUP_SNAPSHOT,
              DeleteVolumeGroupSnapshotResponse.getDefaultInstance());
  static final CsiRpc<GetVolumeGroupSnapshotRequest, GetVolumeGroupSnapshotResponse>
      GET_VOLUME_GROUP_SNAPSHOT =
          new CsiRpc<>(
              CsiOperation.GET_VOLUME_GROUP_SNAPSHOT,
              GetVolumeGroupSnapshotResponse.getDefaultInstance());
  static final CsiRpc<GetMetadataAllocatedRequest, GetMetadataAllocatedResponse>
      GET_METADATA_ALLOCATED =
          new CsiRpc<>(
              CsiOperation.GET_METADATA_ALLOCATED,
              GetMetadataAllocatedResponse.getDefaultInstance());
  static final CsiRpc<GetMetadataDeltaRequest, GetMetadataDeltaResponse> GET_METADATA_DELTA =
      new CsiRpc<>(CsiOperation.GET_METADATA_DELTA, GetMetadataDeltaResponse.getDefaultInstance());
  static final CsiRpc<NodeStageVolumeRequest, NodeStageVolumeResponse> NODE_STAGE_VOLUME =
      new CsiRpc<>(CsiOperation.NODE_STAGE_VOLUME, NodeStageVolumeResponse.getDefaultInstance());
  static final CsiRpc<NodeUnstageVolumeRequest, NodeUnstageVolumeResponse> NODE_UNSTAGE_VOLUME =
      new CsiRpc<>(
          CsiOperation.NODE_UNSTAGE_VOLUME, NodeUnstageVolumeResponse.getDefaultInstance());
  static final CsiRpc<NodePublishVolumeRequest, NodePublishVolumeResponse> NODE_PUBLISH_VOLUME =
      new CsiRpc<>(
          CsiOperation.NODE_PUBLISH_VOLUME, NodePublishVolumeResponse.getDefaultInstance());
  static final CsiRpc<NodeUnpublishVolumeRequest, NodeUnpublishVolumeResponse>
      NODE_UNPUBLISH_VOLUME =
          new CsiRpc<>(
              CsiOperation.NODE_UNPUBLISH_VOLUME, NodeUnpublishVolumeResponse.getDefaultInstance());
  static final CsiRpc<NodeGetVolumeStatsRequest, NodeGetVolumeStatsResponse> NODE_GET_VOLUME_STATS =
      new CsiRpc<>(
          CsiOperation.NODE_GET_VOLUME_STATS, NodeGetVolumeStatsResponse.getDefaultInstance());
  static final CsiRpc<NodeExpandVolumeRequest, NodeExpandVolumeResponse> NODE_EXPAND_VOLUME =
      new CsiRpc<>(CsiOperation.NODE_EXPAND_VOLUME, NodeExpandVolumeResponse.getDefaultInstance());
  static final CsiRpc<NodeGetCapabilitiesRequest, NodeGetCapabilitiesResponse>
      NODE_GET_CAPABILITIES =
          new CsiRpc<>(
              CsiOperation.NODE_GET_CAPABILITIES, NodeGetCapabilitiesResponse.getDefaultInstance());
  static final CsiRpc<NodeGetInfoRequest, NodeGetInfoResponse> NODE_GET_INFO =
      new CsiRpc<>(CsiOperation.NODE_GET_INFO, NodeGetInfoResponse.getDefaultInstance());

  /** An answer of this call as what it is. */
  @SuppressWarnings("unchecked")
  A answer(Message message) {
    if (!empty.getClass().isInstance(message)) {
      throw new IllegalStateException("No answer to " + operation + ".");
    }
    return (A) message;
  }
}
