package io.csi4j.client.internal.mapping;

import io.csi4j.client.group.CreateVolumeGroupSnapshotRequest;
import io.csi4j.client.group.DeleteVolumeGroupSnapshotRequest;
import io.csi4j.client.group.GetVolumeGroupSnapshotRequest;
import io.csi4j.client.model.SnapshotId;
import io.csi4j.client.model.VolumeId;

/**
 * Converts the requests of the group controller service into messages, with secrets in clear text.
 */
public final class GroupRequestMapping {

  private GroupRequestMapping() {}

  public static io.csi4j.client.internal.proto.CreateVolumeGroupSnapshotRequest toProto(
      CreateVolumeGroupSnapshotRequest request) {
    return io.csi4j.client.internal.proto.CreateVolumeGroupSnapshotRequest.newBuilder()
        .setName(request.name())
        .addAllSourceVolumeIds(request.sourceVolumeIds().stream().map(VolumeId::value).toList())
        .putAllSecrets(request.secrets().reveal())
        .putAllParameters(request.parameters())
        .build();
  }

  public static io.csi4j.client.internal.proto.DeleteVolumeGroupSnapshotRequest toProto(
      DeleteVolumeGroupSnapshotRequest request) {
    return io.csi4j.client.internal.proto.DeleteVolumeGroupSnapshotRequest.newBuilder()
        .setGroupSnapshotId(request.groupSnapshotId().value())
        .addAllSnapshotIds(request.snapshotIds().stream().map(SnapshotId::value).toList())
        .putAllSecrets(request.secrets().reveal())
        .build();
  }

  public static io.csi4j.client.internal.proto.GetVolumeGroupSnapshotRequest toProto(
      GetVolumeGroupSnapshotRequest request) {
    return io.csi4j.client.internal.proto.GetVolumeGroupSnapshotRequest.newBuilder()
        .setGroupSnapshotId(request.groupSnapshotId().value())
        .addAllSnapshotIds(request.snapshotIds().stream().map(SnapshotId::value).toList())
        .putAllSecrets(request.secrets().reveal())
        .build();
  }
}
