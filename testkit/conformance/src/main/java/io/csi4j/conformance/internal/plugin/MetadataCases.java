package io.csi4j.conformance.internal.plugin;

import static io.csi4j.client.model.StatusCode.*;
import static io.csi4j.conformance.internal.plugin.LawfulRequests.*;
import static io.csi4j.conformance.internal.plugin.TestThings.*;

import com.google.protobuf.Message;
import com.google.protobuf.MessageOrBuilder;
import io.csi4j.client.internal.proto.BlockMetadata;
import io.csi4j.client.internal.proto.GetMetadataAllocatedRequest;
import io.csi4j.client.internal.proto.GetMetadataDeltaRequest;
import io.csi4j.client.internal.proto.Snapshot;
import io.csi4j.client.internal.proto.Volume;
import io.csi4j.client.internal.proto.VolumeCapability.AccessTypeCase;
import io.csi4j.testkit.internal.journal.ProtoMessage;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Cases for the calls that list the blocks of snapshots. */
final class MetadataCases {

  private MetadataCases() {}

  static void addTo(CaseSteps all) {
    allocatedCases(all);
    deltaCases(all);
  }

  private static Volume blockVolume(Trial t) {
    return volume(t, capability(t, AccessTypeCase.BLOCK));
  }

  static Snapshot blockSnapshot(Trial t) {
    return snapshot(t, blockVolume(t));
  }

  private static GetMetadataAllocatedRequest.Builder toReadAllocated(Trial t) {
    return to(t, GetMetadataAllocatedRequest.newBuilder(), blockSnapshot(t));
  }

  static Message toReadDeltaOfTwo(Trial t) {
    Volume volume = blockVolume(t);
    return toReadDelta(t, snapshot(t, volume), snapshot(t, volume));
  }

  static Message toReadDelta(Trial t, Snapshot base, Snapshot target) {
    return to(t, GetMetadataDeltaRequest.newBuilder(), NOTHING)
        .setBaseSnapshotId(base.getSnapshotId())
        .setTargetSnapshotId(target.getSnapshotId())
        .build();
  }

  /**
   * Returns a snapshot of a volume whose snapshots the plugin can compare. Otherwise, ends the
   * case.
   */
  private static Snapshot compared(Trial t) {
    Volume volume = blockVolume(t);
    Snapshot known = snapshot(t, volume);
    Snapshot later = snapshot(t, volume);
    t.prepared(() -> ranges(t, toReadDelta(t, known, later), 0, 0));
    return known;
  }

  private static void allocatedCases(CaseSteps all) {
    all.add("metadata/allocated/ranges-are-in-order", t -> ranges(t, toReadAllocated(t), 0, 0));
    all.add(
        "metadata/allocated/a-message-holds-no-more-than-asked-for",
        t -> {
          var request = toReadAllocated(t);
          long whole = bytes(ranges(t, request, 0, 0));
          long single = bytes(ranges(t, request.setMaxResults(1), 0, 1));
          t.check(whole == single, whole + " bytes in all messages", single + " bytes");
        });
    all.add(
        "metadata/allocated/goes-on-where-it-was-left",
        t -> {
          var request = toReadAllocated(t);
          List<BlockMetadata> whole = ranges(t, request, 0, 0);
          if (whole.size() < 2) {
            throw CaseEndedException.skipped("the snapshot has fewer than two ranges");
          }
          long from = whole.get(0).getByteOffset() + whole.get(0).getSizeBytes();
          List<BlockMetadata> rest = ranges(t, request.setStartingOffset(from), from, 0);
          t.check(!rest.isEmpty(), "the rest of the ranges", "none");
        });
  }

  private static void deltaCases(CaseSteps all) {
    all.add(
        "metadata/delta/an-unknown-base-is-not-found",
        t -> {
          Snapshot known = compared(t);
          Message unknown = toReadDelta(t, NO_SUCH_SNAPSHOT, known);
          CaseCall.isUnknown(
              t, NOT_FOUND, unknown, () -> toReadDelta(t, deletedSnapshot(t), known));
        });
    all.add(
        "metadata/delta/an-unknown-target-is-not-found",
        t -> {
          Snapshot known = compared(t);
          Message unknown = toReadDelta(t, known, NO_SUCH_SNAPSHOT);
          CaseCall.isUnknown(
              t, NOT_FOUND, unknown, () -> toReadDelta(t, known, deletedSnapshot(t)));
        });
    all.add("metadata/delta/ranges-are-in-order", t -> ranges(t, toReadDeltaOfTwo(t), 0, 0));
  }

  private static long bytes(List<BlockMetadata> ranges) {
    return ranges.stream().mapToLong(BlockMetadata::getSizeBytes).sum();
  }

  /** Checks the ranges of a complete stream, and returns them. */
  private static List<BlockMetadata> ranges(Trial t, MessageOrBuilder request, long from, int max) {
    Reply reply = t.call(request);
    if (reply.code() == FAILED_PRECONDITION) {
      throw CaseEndedException.notRun(
          "the storage does not track which blocks change: " + t.shown(reply));
    }
    t.check(reply.code() == OK, "the stream ends well", t.shown(reply));
    List<BlockMetadata> all = new ArrayList<>();
    Set<String> types = new HashSet<>();
    Set<Long> capacities = new HashSet<>();
    for (Message message : reply.messages()) {
      ProtoMessage part = new ProtoMessage(message);
      types.add(part.choice("block_metadata_type"));
      capacities.add(part.number("volume_capacity_bytes"));
      int before = all.size();
      part.messages("block_metadata")
          .forEach(each -> all.add((BlockMetadata) ((ProtoMessage) each).message()));
      int ranges = all.size() - before;
      t.check(
          max == 0 || ranges <= max, "at most " + max + " ranges in a message", ranges + " ranges");
    }
    t.check(types.size() <= 1 && capacities.size() <= 1, "one style and one size", "several");
    t.check(!types.contains("UNKNOWN"), "the style FIXED_LENGTH or VARIABLE_LENGTH", "UNKNOWN");
    long capacity = capacities.stream().findFirst().orElse(0L);
    long end = 0;
    for (BlockMetadata each : all) {
      t.check(
          each.getSizeBytes() > 0 && each.getByteOffset() >= end,
          "ranges that ascend and do not overlap",
          "a range of %s bytes at %s after one that ends at %s"
              .formatted(each.getSizeBytes(), each.getByteOffset(), end));
      end = each.getByteOffset() + each.getSizeBytes();
      t.check(end > from, "ranges that end after the offset " + from, "one that ends at " + end);
      t.check(
          types.contains("VARIABLE_LENGTH") || each.getSizeBytes() == all.get(0).getSizeBytes(),
          "one size for all ranges of style FIXED_LENGTH",
          each.getSizeBytes() + " and " + all.get(0).getSizeBytes() + " bytes");
    }
    t.check(
        all.isEmpty() || all.get(all.size() - 1).getByteOffset() < capacity,
        "ranges that begin within the " + capacity + " bytes of the volume",
        "one that begins beyond");
    return all;
  }
}
