package io.csi4j.testkit.internal.backend;

import com.google.protobuf.Message;
import com.google.protobuf.Timestamp;
import io.csi4j.client.internal.proto.BlockMetadata;
import io.csi4j.client.internal.proto.BlockMetadataType;
import io.csi4j.client.internal.proto.GetMetadataAllocatedRequest;
import io.csi4j.client.internal.proto.GetMetadataAllocatedResponse;
import io.csi4j.client.internal.proto.GetMetadataDeltaRequest;
import io.csi4j.client.internal.proto.GetMetadataDeltaResponse;
import io.csi4j.client.internal.proto.Snapshot;
import io.csi4j.client.internal.text.SafeText;
import io.csi4j.client.model.StatusCode;
import io.csi4j.testkit.internal.backend.State.StoredVolume;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Which blocks of snapshots hold data, or changed. */
final class Metadata {

  /** The parameter of a volume that, with the value {@code off}, keeps its changes untracked. */
  static final String TRACKING = "csi4j.testkit/changed-block-tracking";

  private static final int USUAL_PAGE = 256;

  private final BackendParts ground;

  Metadata(BackendParts ground) {
    this.ground = ground;
  }

  List<Message> allocated(GetMetadataAllocatedRequest request) throws Refusal {
    Snapshot snapshot = ground.snapshot("snapshot_id", request.getSnapshotId());
    List<Message> messages = new ArrayList<>();
    for (List<BlockMetadata> page :
        pages(snapshot, null, request.getStartingOffset(), request.getMaxResults())) {
      messages.add(
          GetMetadataAllocatedResponse.newBuilder()
              .setBlockMetadataType(BlockMetadataType.VARIABLE_LENGTH)
              .setVolumeCapacityBytes(snapshot.getSizeBytes())
              .addAllBlockMetadata(page)
              .build());
    }
    return messages;
  }

  List<Message> delta(GetMetadataDeltaRequest request) throws Refusal {
    Snapshot base = ground.snapshot("base_snapshot_id", request.getBaseSnapshotId());
    Snapshot target = ground.snapshot("target_snapshot_id", request.getTargetSnapshotId());
    ordered(base, target);
    StoredVolume volume = ground.now().volumes().get(target.getSourceVolumeId());
    if (volume != null && "off".equals(volume.asked().getParametersMap().get(TRACKING))) {
      throw Refusal.precondition(
          "The changes of volume %s are not tracked. Back it up in full instead.",
          target.getSourceVolumeId());
    }
    List<Message> messages = new ArrayList<>();
    for (List<BlockMetadata> page :
        pages(target, base.getSnapshotId(), request.getStartingOffset(), request.getMaxResults())) {
      messages.add(
          GetMetadataDeltaResponse.newBuilder()
              .setBlockMetadataType(BlockMetadataType.VARIABLE_LENGTH)
              .setVolumeCapacityBytes(target.getSizeBytes())
              .addAllBlockMetadata(page)
              .build());
    }
    return messages;
  }

  private static void ordered(Snapshot base, Snapshot target) throws Refusal {
    if (!base.getSourceVolumeId().equals(target.getSourceVolumeId())) {
      throw Refusal.invalid(
          "target_snapshot_id", "is of another volume than base_snapshot_id. Name two of one.");
    }
    if (base.getSnapshotId().equals(target.getSnapshotId())
        || instant(base.getCreationTime()).isAfter(instant(target.getCreationTime()))) {
      throw Refusal.invalid(
          "target_snapshot_id", "was not taken later than base_snapshot_id. Swap the two.");
    }
  }

  private static Instant instant(Timestamp time) {
    return Instant.ofEpochSecond(time.getSeconds(), time.getNanos());
  }

  /**
   * Returns what lies at or beyond the offset, page by page; one empty page if there is nothing.
   */
  private List<List<BlockMetadata>> pages(Snapshot of, @Nullable String base, long start, int most)
      throws Refusal {
    if (start < 0 || start > of.getSizeBytes()) {
      throw Refusal.of(
          StatusCode.OUT_OF_RANGE,
          "starting_offset %s is not within the volume. Send 0 to %s.",
          start,
          of.getSizeBytes());
    }
    List<BlockMetadata> found = new ArrayList<>();
    ground.effect(
        "Reading the blocks of snapshot " + SafeText.quote(of.getSnapshotId()),
        () ->
            ground.storage().blocks(of.getSnapshotId(), base).stream()
                .filter(block -> block.getByteOffset() + block.getSizeBytes() > start)
                .forEach(found::add));
    int size = most == 0 ? USUAL_PAGE : most;
    List<List<BlockMetadata>> pages = new ArrayList<>();
    for (int from = 0; from == 0 || from < found.size(); from += size) {
      pages.add(found.subList(from, (int) Math.min(found.size(), (long) from + size)));
      if (size > found.size() - from) {
        break;
      }
    }
    return pages;
  }
}
