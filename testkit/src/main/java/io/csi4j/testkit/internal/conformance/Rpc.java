package io.csi4j.testkit.internal.conformance;

import com.google.protobuf.Message;
import io.csi4j.client.CsiOperation;
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

/**
 * A call of the spec, with the types of its messages.
 *
 * @param <Q> what is asked
 * @param <A> what is answered
 */
@SuppressWarnings("UnusedTypeParameter") // it ties requests to calls
record Rpc<Q extends Message, A extends Message>(CsiOperation operation, A empty) {

  static final Rpc<GetPluginInfoRequest, GetPluginInfoResponse> GET_PLUGIN_INFO =
      new Rpc<>(CsiOperation.GET_PLUGIN_INFO, GetPluginInfoResponse.getDefaultInstance());
  static final Rpc<GetPluginCapabilitiesRequest, GetPluginCapabilitiesResponse>
      GET_PLUGIN_CAPABILITIES =
          new Rpc<>(
              CsiOperation.GET_PLUGIN_CAPABILITIES,
              GetPluginCapabilitiesResponse.getDefaultInstance());
  static final Rpc<ProbeRequest, ProbeResponse> PROBE =
      new Rpc<>(CsiOperation.PROBE, ProbeResponse.getDefaultInstance());
  static final Rpc<CreateVolumeRequest, CreateVolumeResponse> CREATE_VOLUME =
      new Rpc<>(CsiOperation.CREATE_VOLUME, CreateVolumeResponse.getDefaultInstance());
  static final Rpc<DeleteVolumeRequest, DeleteVolumeResponse> DELETE_VOLUME =
      new Rpc<>(CsiOperation.DELETE_VOLUME, DeleteVolumeResponse.getDefaultInstance());
  static final Rpc<ControllerPublishVolumeRequest, ControllerPublishVolumeResponse>
      CONTROLLER_PUBLISH_VOLUME =
          new Rpc<>(
              CsiOperation.CONTROLLER_PUBLISH_VOLUME,
              ControllerPublishVolumeResponse.getDefaultInstance());
  static final Rpc<ControllerUnpublishVolumeRequest, ControllerUnpublishVolumeResponse>
      CONTROLLER_UNPUBLISH_VOLUME =
          new Rpc<>(
              CsiOperation.CONTROLLER_UNPUBLISH_VOLUME,
              ControllerUnpublishVolumeResponse.getDefaultInstance());
  static final Rpc<ValidateVolumeCapabilitiesRequest, ValidateVolumeCapabilitiesResponse>
      VALIDATE_VOLUME_CAPABILITIES =
          new Rpc<>(
              CsiOperation.VALIDATE_VOLUME_CAPABILITIES,
              ValidateVolumeCapabilitiesResponse.getDefaultInstance());
  static final Rpc<ListVolumesRequest, ListVolumesResponse> LIST_VOLUMES =
      new Rpc<>(CsiOperation.LIST_VOLUMES, ListVolumesResponse.getDefaultInstance());
  static final Rpc<GetCapacityRequest, GetCapacityResponse> GET_CAPACITY =
      new Rpc<>(CsiOperation.GET_CAPACITY, GetCapacityResponse.getDefaultInstance());
  static final Rpc<ControllerGetCapabilitiesRequest, ControllerGetCapabilitiesResponse>
      CONTROLLER_GET_CAPABILITIES =
          new Rpc<>(
              CsiOperation.CONTROLLER_GET_CAPABILITIES,
              ControllerGetCapabilitiesResponse.getDefaultInstance());
  static final Rpc<CreateSnapshotRequest, CreateSnapshotResponse> CREATE_SNAPSHOT =
      new Rpc<>(CsiOperation.CREATE_SNAPSHOT, CreateSnapshotResponse.getDefaultInstance());
  static final Rpc<DeleteSnapshotRequest, DeleteSnapshotResponse> DELETE_SNAPSHOT =
      new Rpc<>(CsiOperation.DELETE_SNAPSHOT, DeleteSnapshotResponse.getDefaultInstance());
  static final Rpc<ListSnapshotsRequest, ListSnapshotsResponse> LIST_SNAPSHOTS =
      new Rpc<>(CsiOperation.LIST_SNAPSHOTS, ListSnapshotsResponse.getDefaultInstance());
  static final Rpc<GetSnapshotRequest, GetSnapshotResponse> GET_SNAPSHOT =
      new Rpc<>(CsiOperation.GET_SNAPSHOT, GetSnapshotResponse.getDefaultInstance());
  static final Rpc<ControllerExpandVolumeRequest, ControllerExpandVolumeResponse>
      CONTROLLER_EXPAND_VOLUME =
          new Rpc<>(
              CsiOperation.CONTROLLER_EXPAND_VOLUME,
              ControllerExpandVolumeResponse.getDefaultInstance());
  static final Rpc<ControllerGetVolumeRequest, ControllerGetVolumeResponse> CONTROLLER_GET_VOLUME =
      new Rpc<>(
          CsiOperation.CONTROLLER_GET_VOLUME, ControllerGetVolumeResponse.getDefaultInstance());
  static final Rpc<ControllerModifyVolumeRequest, ControllerModifyVolumeResponse>
      CONTROLLER_MODIFY_VOLUME =
          new Rpc<>(
              CsiOperation.CONTROLLER_MODIFY_VOLUME,
              ControllerModifyVolumeResponse.getDefaultInstance());
  static final Rpc<GroupControllerGetCapabilitiesRequest, GroupControllerGetCapabilitiesResponse>
      GROUP_CONTROLLER_GET_CAPABILITIES =
          new Rpc<>(
              CsiOperation.GROUP_CONTROLLER_GET_CAPABILITIES,
              GroupControllerGetCapabilitiesResponse.getDefaultInstance());
  static final Rpc<CreateVolumeGroupSnapshotRequest, CreateVolumeGroupSnapshotResponse>
      CREATE_VOLUME_GROUP_SNAPSHOT =
          new Rpc<>(
              CsiOperation.CREATE_VOLUME_GROUP_SNAPSHOT,
              CreateVolumeGroupSnapshotResponse.getDefaultInstance());
  static final Rpc<DeleteVolumeGroupSnapshotRequest, DeleteVolumeGroupSnapshotResponse>
      DELETE_VOLUME_GROUP_SNAPSHOT =
          new Rpc<>(
              CsiOperation.DELETE_VOLUME_GROUP_SNAPSHOT,
              DeleteVolumeGroupSnapshotResponse.getDefaultInstance());
  static final Rpc<GetVolumeGroupSnapshotRequest, GetVolumeGroupSnapshotResponse>
      GET_VOLUME_GROUP_SNAPSHOT =
          new Rpc<>(
              CsiOperation.GET_VOLUME_GROUP_SNAPSHOT,
              GetVolumeGroupSnapshotResponse.getDefaultInstance());
  static final Rpc<GetMetadataAllocatedRequest, GetMetadataAllocatedResponse>
      GET_METADATA_ALLOCATED =
          new Rpc<>(
              CsiOperation.GET_METADATA_ALLOCATED,
              GetMetadataAllocatedResponse.getDefaultInstance());
  static final Rpc<GetMetadataDeltaRequest, GetMetadataDeltaResponse> GET_METADATA_DELTA =
      new Rpc<>(CsiOperation.GET_METADATA_DELTA, GetMetadataDeltaResponse.getDefaultInstance());
  static final Rpc<NodeStageVolumeRequest, NodeStageVolumeResponse> NODE_STAGE_VOLUME =
      new Rpc<>(CsiOperation.NODE_STAGE_VOLUME, NodeStageVolumeResponse.getDefaultInstance());
  static final Rpc<NodeUnstageVolumeRequest, NodeUnstageVolumeResponse> NODE_UNSTAGE_VOLUME =
      new Rpc<>(CsiOperation.NODE_UNSTAGE_VOLUME, NodeUnstageVolumeResponse.getDefaultInstance());
  static final Rpc<NodePublishVolumeRequest, NodePublishVolumeResponse> NODE_PUBLISH_VOLUME =
      new Rpc<>(CsiOperation.NODE_PUBLISH_VOLUME, NodePublishVolumeResponse.getDefaultInstance());
  static final Rpc<NodeUnpublishVolumeRequest, NodeUnpublishVolumeResponse> NODE_UNPUBLISH_VOLUME =
      new Rpc<>(
          CsiOperation.NODE_UNPUBLISH_VOLUME, NodeUnpublishVolumeResponse.getDefaultInstance());
  static final Rpc<NodeGetVolumeStatsRequest, NodeGetVolumeStatsResponse> NODE_GET_VOLUME_STATS =
      new Rpc<>(
          CsiOperation.NODE_GET_VOLUME_STATS, NodeGetVolumeStatsResponse.getDefaultInstance());
  static final Rpc<NodeExpandVolumeRequest, NodeExpandVolumeResponse> NODE_EXPAND_VOLUME =
      new Rpc<>(CsiOperation.NODE_EXPAND_VOLUME, NodeExpandVolumeResponse.getDefaultInstance());
  static final Rpc<NodeGetCapabilitiesRequest, NodeGetCapabilitiesResponse> NODE_GET_CAPABILITIES =
      new Rpc<>(
          CsiOperation.NODE_GET_CAPABILITIES, NodeGetCapabilitiesResponse.getDefaultInstance());
  static final Rpc<NodeGetInfoRequest, NodeGetInfoResponse> NODE_GET_INFO =
      new Rpc<>(CsiOperation.NODE_GET_INFO, NodeGetInfoResponse.getDefaultInstance());

  /** An answer of this call as what it is. */
  @SuppressWarnings("unchecked")
  A answer(Message message) {
    if (!empty.getClass().isInstance(message)) {
      throw new IllegalStateException("No answer to " + operation + ".");
    }
    return (A) message;
  }
}
