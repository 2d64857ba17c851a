package io.csi4j.testkit.internal.backend;

import static io.csi4j.testkit.internal.backend.Requests.GIB;
import static io.csi4j.testkit.internal.backend.Requests.WRITER;
import static io.csi4j.testkit.internal.backend.Requests.exactly;

import com.google.protobuf.Message;
import io.csi4j.client.internal.proto.ControllerExpandVolumeRequest;
import io.csi4j.client.internal.proto.ControllerGetCapabilitiesRequest;
import io.csi4j.client.internal.proto.ControllerGetVolumeHealthRequest;
import io.csi4j.client.internal.proto.ControllerGetVolumeRequest;
import io.csi4j.client.internal.proto.ControllerListVolumeHealthRequest;
import io.csi4j.client.internal.proto.ControllerModifyVolumeRequest;
import io.csi4j.client.internal.proto.ControllerPublishVolumeRequest;
import io.csi4j.client.internal.proto.ControllerUnpublishVolumeRequest;
import io.csi4j.client.internal.proto.CreateSnapshotRequest;
import io.csi4j.client.internal.proto.CreateVolumeGroupSnapshotRequest;
import io.csi4j.client.internal.proto.CreateVolumeRequest;
import io.csi4j.client.internal.proto.DeleteSnapshotRequest;
import io.csi4j.client.internal.proto.DeleteVolumeGroupSnapshotRequest;
import io.csi4j.client.internal.proto.DeleteVolumeRequest;
import io.csi4j.client.internal.proto.GetCapacityRequest;
import io.csi4j.client.internal.proto.GetMetadataAllocatedRequest;
import io.csi4j.client.internal.proto.GetMetadataDeltaRequest;
import io.csi4j.client.internal.proto.GetPluginCapabilitiesRequest;
import io.csi4j.client.internal.proto.GetPluginInfoRequest;
import io.csi4j.client.internal.proto.GetSnapshotRequest;
import io.csi4j.client.internal.proto.GetVolumeGroupSnapshotRequest;
import io.csi4j.client.internal.proto.GroupControllerGetCapabilitiesRequest;
import io.csi4j.client.internal.proto.ListSnapshotsRequest;
import io.csi4j.client.internal.proto.ListVolumesRequest;
import io.csi4j.client.internal.proto.NodeExpandVolumeRequest;
import io.csi4j.client.internal.proto.NodeGetCapabilitiesRequest;
import io.csi4j.client.internal.proto.NodeGetInfoRequest;
import io.csi4j.client.internal.proto.NodeGetStorageHealthRequest;
import io.csi4j.client.internal.proto.NodeGetVolumeHealthRequest;
import io.csi4j.client.internal.proto.NodeGetVolumeStatsRequest;
import io.csi4j.client.internal.proto.NodePublishVolumeRequest;
import io.csi4j.client.internal.proto.NodeStageVolumeRequest;
import io.csi4j.client.internal.proto.NodeUnpublishVolumeRequest;
import io.csi4j.client.internal.proto.NodeUnstageVolumeRequest;
import io.csi4j.client.internal.proto.ProbeRequest;
import io.csi4j.client.internal.proto.ValidateVolumeCapabilitiesRequest;
import java.util.List;

/** One well-formed request of each of the 36 calls; what they name need not exist. */
final class Lawful {

  private Lawful() {}

  static List<Message> requests() {
    return List.of(
        GetPluginInfoRequest.getDefaultInstance(),
        GetPluginCapabilitiesRequest.getDefaultInstance(),
        ProbeRequest.getDefaultInstance(),
        CreateVolumeRequest.newBuilder()
            .setName("a")
            .setCapacityRange(exactly(GIB))
            .addVolumeCapabilities(WRITER)
            .build(),
        DeleteVolumeRequest.newBuilder().setVolumeId("v").build(),
        ControllerPublishVolumeRequest.newBuilder()
            .setVolumeId("v")
            .setNodeId("node-1")
            .setVolumeCapability(WRITER)
            .build(),
        ControllerUnpublishVolumeRequest.newBuilder().setVolumeId("v").build(),
        ValidateVolumeCapabilitiesRequest.newBuilder()
            .setVolumeId("v")
            .addVolumeCapabilities(WRITER)
            .build(),
        ListVolumesRequest.getDefaultInstance(),
        ControllerListVolumeHealthRequest.getDefaultInstance(),
        ControllerGetVolumeHealthRequest.newBuilder().setVolumeId("v").build(),
        GetCapacityRequest.getDefaultInstance(),
        ControllerGetCapabilitiesRequest.getDefaultInstance(),
        CreateSnapshotRequest.newBuilder().setName("s").setSourceVolumeId("v").build(),
        DeleteSnapshotRequest.newBuilder().setSnapshotId("s").build(),
        ListSnapshotsRequest.getDefaultInstance(),
        GetSnapshotRequest.newBuilder().setSnapshotId("s").build(),
        ControllerExpandVolumeRequest.newBuilder()
            .setVolumeId("v")
            .setCapacityRange(exactly(GIB))
            .build(),
        ControllerGetVolumeRequest.newBuilder().setVolumeId("v").build(),
        ControllerModifyVolumeRequest.newBuilder()
            .setVolumeId("v")
            .putMutableParameters("iops", "1")
            .build(),
        GroupControllerGetCapabilitiesRequest.getDefaultInstance(),
        CreateVolumeGroupSnapshotRequest.newBuilder().setName("g").addSourceVolumeIds("v").build(),
        DeleteVolumeGroupSnapshotRequest.newBuilder()
            .setGroupSnapshotId("g")
            .addSnapshotIds("s")
            .build(),
        GetVolumeGroupSnapshotRequest.newBuilder()
            .setGroupSnapshotId("g")
            .addSnapshotIds("s")
            .build(),
        GetMetadataAllocatedRequest.newBuilder().setSnapshotId("s").build(),
        GetMetadataDeltaRequest.newBuilder()
            .setBaseSnapshotId("s")
            .setTargetSnapshotId("t")
            .build(),
        NodeStageVolumeRequest.newBuilder()
            .setVolumeId("v")
            .setStagingTargetPath("/staging")
            .setVolumeCapability(WRITER)
            .build(),
        NodeUnstageVolumeRequest.newBuilder()
            .setVolumeId("v")
            .setStagingTargetPath("/staging")
            .build(),
        NodePublishVolumeRequest.newBuilder()
            .setVolumeId("v")
            .setStagingTargetPath("/staging")
            .setTargetPath("/target")
            .setVolumeCapability(WRITER)
            .build(),
        NodeUnpublishVolumeRequest.newBuilder().setVolumeId("v").setTargetPath("/target").build(),
        NodeGetVolumeStatsRequest.newBuilder().setVolumeId("v").setVolumePath("/target").build(),
        NodeGetVolumeHealthRequest.newBuilder().setVolumeId("v").build(),
        NodeGetStorageHealthRequest.getDefaultInstance(),
        NodeExpandVolumeRequest.newBuilder().setVolumeId("v").setVolumePath("/target").build(),
        NodeGetCapabilitiesRequest.getDefaultInstance(),
        NodeGetInfoRequest.getDefaultInstance());
  }
}
