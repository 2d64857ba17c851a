package io.csi4j.client.internal.mapping;

import io.csi4j.client.metadata.GetMetadataAllocatedRequest;
import io.csi4j.client.metadata.GetMetadataDeltaRequest;

/**
 * Converts the requests of the snapshot metadata service into messages, with secrets in clear text.
 */
public final class MetadataRequestMapping {

  private MetadataRequestMapping() {}

  public static io.csi4j.client.internal.proto.GetMetadataAllocatedRequest toProto(
      GetMetadataAllocatedRequest request) {
    return io.csi4j.client.internal.proto.GetMetadataAllocatedRequest.newBuilder()
        .setSnapshotId(request.snapshotId().value())
        .setStartingOffset(request.startingOffset())
        .setMaxResults(request.maxResults())
        .putAllSecrets(request.secrets().reveal())
        .build();
  }

  public static io.csi4j.client.internal.proto.GetMetadataDeltaRequest toProto(
      GetMetadataDeltaRequest request) {
    return io.csi4j.client.internal.proto.GetMetadataDeltaRequest.newBuilder()
        .setBaseSnapshotId(request.baseSnapshotId().value())
        .setTargetSnapshotId(request.targetSnapshotId().value())
        .setStartingOffset(request.startingOffset())
        .setMaxResults(request.maxResults())
        .putAllSecrets(request.secrets().reveal())
        .build();
  }
}
