package io.csi4j.testkit.internal.backend;

import com.google.protobuf.Message;
import com.google.protobuf.Timestamp;
import io.csi4j.client.internal.proto.GetMetadataAllocatedRequest;
import io.csi4j.client.internal.proto.GetMetadataDeltaRequest;
import io.csi4j.client.internal.proto.Snapshot;
import io.csi4j.client.internal.text.SafeText;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.StatusCode;
import io.csi4j.testkit.internal.backend.State.StoredVolume;
import io.csi4j.testkit.internal.journal.MessageFields;
import io.csi4j.testkit.internal.journal.ProtoMessage;
import io.csi4j.testkit.internal.journal.WireOperation;
import io.csi4j.testkit.journal.WireMessage;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reports which blocks of a snapshot hold data, or have changed since an earlier snapshot. */
final class Metadata {

  /** Name of a volume parameter. Its value {@code off} disables the tracking of changed blocks. */
  static final String TRACKING = "csi4j.testkit/changed-block-tracking";

  private static final int USUAL_PAGE = 256;

  private final BackendParts ground;

  Metadata(BackendParts ground) {
    this.ground = ground;
  }

  List<Message> allocated(Call call, GetMetadataAllocatedRequest request) throws Refusal {
    Snapshot snapshot = ground.snapshot("snapshot_id", request.getSnapshotId());
    CsiOperation asked = CsiOperation.GET_METADATA_ALLOCATED;
    return answers(asked, snapshot, null, request.getStartingOffset(), request.getMaxResults());
  }

  List<Message> delta(Call call, GetMetadataDeltaRequest request) throws Refusal {
    Snapshot base = ground.snapshot("base_snapshot_id", request.getBaseSnapshotId());
    Snapshot target = ground.snapshot("target_snapshot_id", request.getTargetSnapshotId());
    ordered(base, target);
    StoredVolume volume = ground.now().volumes().get(target.getSourceVolumeId());
    if (volume != null && "off".equals(volume.asked().getParametersMap().get(TRACKING))) {
      throw Refusal.precondition(
          "The changes of volume %s are not tracked. Back it up in full instead.",
          target.getSourceVolumeId());
    }
    CsiOperation asked = CsiOperation.GET_METADATA_DELTA;
    return answers(
        asked, target, base.getSnapshotId(), request.getStartingOffset(), request.getMaxResults());
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
   * Answers with the blocks at or beyond the offset, page by page. If no block remains, answers
   * with one empty page.
   */
  private List<Message> answers(
      CsiOperation asked, Snapshot of, @Nullable String base, long start, int most) throws Refusal {
    if (start < 0 || start > of.getSizeBytes()) {
      throw Refusal.of(
          StatusCode.OUT_OF_RANGE,
          "starting_offset %s is not within the volume. Send 0 to %s.",
          start,
          of.getSizeBytes());
    }
    List<WireMessage> found = new ArrayList<>();
    ground.effect(
        "Reading the blocks of snapshot " + SafeText.quote(of.getSnapshotId()),
        () ->
            ground.storage().blocks(of.getSnapshotId(), base).stream()
                .filter(block -> block.getByteOffset() + block.getSizeBytes() > start)
                .map(ProtoMessage::new)
                .forEach(found::add));
    int size = most == 0 ? USUAL_PAGE : most;
    List<Message> pages = new ArrayList<>();
    for (int from = 0; from == 0 || from < found.size(); from += size) {
      Map<String, Object> page =
          Map.of(
              "block_metadata_type", "VARIABLE_LENGTH",
              "volume_capacity_bytes", of.getSizeBytes(),
              "block_metadata",
                  found.subList(from, (int) Math.min(found.size(), (long) from + size)));
      pages.add(MessageFields.with(WireOperation.of(asked).answer(), page));
      if (size > found.size() - from) {
        break;
      }
    }
    return pages;
  }
}
