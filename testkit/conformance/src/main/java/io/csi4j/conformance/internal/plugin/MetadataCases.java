package io.csi4j.conformance.internal.plugin;

import static io.csi4j.client.model.StatusCode.FAILED_PRECONDITION;
import static io.csi4j.client.model.StatusCode.NOT_FOUND;
import static io.csi4j.client.model.StatusCode.OK;
import static io.csi4j.conformance.internal.plugin.LawfulRequests.FAR_TOO_MUCH;
import static io.csi4j.conformance.internal.plugin.LawfulRequests.toReadAllocated;
import static io.csi4j.conformance.internal.plugin.LawfulRequests.toReadDelta;

import com.google.protobuf.Message;
import com.google.protobuf.MessageOrBuilder;
import io.csi4j.client.internal.proto.BlockMetadata;
import io.csi4j.client.internal.proto.BlockMetadataType;
import io.csi4j.client.internal.proto.GetMetadataAllocatedResponse;
import io.csi4j.client.internal.proto.GetMetadataDeltaRequest;
import io.csi4j.client.internal.proto.GetMetadataDeltaResponse;
import io.csi4j.client.internal.proto.Snapshot;
import io.csi4j.client.internal.proto.Volume;
import io.csi4j.client.internal.proto.VolumeCapability.AccessTypeCase;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Which blocks a snapshot holds. */
final class MetadataCases {

  private MetadataCases() {}

  static void addTo(CaseSteps all) {
    allocated(all);
    delta(all);
  }

  /** A message of either stream. */
  private record Part(BlockMetadataType type, long capacity, List<BlockMetadata> ranges) {
    static Part of(Message message) {
      if (message instanceof GetMetadataAllocatedResponse each) {
        return new Part(
            each.getBlockMetadataType(),
            each.getVolumeCapacityBytes(),
            each.getBlockMetadataList());
      }
      GetMetadataDeltaResponse each = (GetMetadataDeltaResponse) message;
      return new Part(
          each.getBlockMetadataType(), each.getVolumeCapacityBytes(), each.getBlockMetadataList());
    }
  }

  private static Snapshot snapshot(Trial t) {
    return TestSnapshots.snapshot(
        t, TestVolumes.volume(t, LawfulRequests.capability(t, AccessTypeCase.BLOCK)));
  }

  private static GetMetadataDeltaRequest.Builder toReadDeltaOfTwo(Trial t) {
    Volume volume = TestVolumes.volume(t, LawfulRequests.capability(t, AccessTypeCase.BLOCK));
    return toReadDelta(t, TestSnapshots.snapshot(t, volume), TestSnapshots.snapshot(t, volume));
  }

  /** A snapshot of a volume whose snapshots can be compared. */
  private static Snapshot compared(Trial t) {
    Volume volume = TestVolumes.volume(t, LawfulRequests.capability(t, AccessTypeCase.BLOCK));
    Snapshot known = TestSnapshots.snapshot(t, volume);
    Snapshot later = TestSnapshots.snapshot(t, volume);
    t.prepared(() -> ranges(t, toReadDelta(t, known, later), 0, 0));
    return known;
  }

  private static void allocated(CaseSteps all) {
    all.required("metadata/allocated", t -> toReadAllocated(t, snapshot(t)), "snapshot_id");
    all.add(
        "metadata/allocated/an-unknown-snapshot-is-not-found",
        t -> UnknownThings.snapshot(t, NOT_FOUND, snapshot -> toReadAllocated(t, snapshot)));
    all.ask(
        "metadata/allocated/a-negative-offset-is-out-of-range",
        t -> toReadAllocated(t, snapshot(t)).setStartingOffset(-1));
    all.ask(
        "metadata/allocated/an-offset-beyond-the-volume-is-out-of-range",
        t -> toReadAllocated(t, snapshot(t)).setStartingOffset(FAR_TOO_MUCH));
    all.add(
        "metadata/allocated/ranges-are-in-order",
        t -> ranges(t, toReadAllocated(t, snapshot(t)), 0, 0));
    all.add(
        "metadata/allocated/a-message-holds-no-more-than-asked-for",
        t -> {
          var request = toReadAllocated(t, snapshot(t));
          long whole = bytes(ranges(t, request, 0, 0));
          long single = bytes(ranges(t, request.setMaxResults(1), 0, 1));
          t.check(whole == single, whole + " bytes in all messages", single + " bytes");
        });
    all.add(
        "metadata/allocated/goes-on-where-it-was-left",
        t -> {
          var request = toReadAllocated(t, snapshot(t));
          List<BlockMetadata> whole = ranges(t, request, 0, 0);
          if (whole.size() < 2) {
            throw new CaseEndedException.Skipped("the snapshot has fewer than two ranges");
          }
          long from = whole.get(0).getByteOffset() + whole.get(0).getSizeBytes();
          List<BlockMetadata> rest = ranges(t, request.setStartingOffset(from), from, 0);
          t.check(!rest.isEmpty(), "the rest of the ranges", "none");
        });
  }

  private static void delta(CaseSteps all) {
    all.required(
        "metadata/delta", t -> toReadDeltaOfTwo(t), "base_snapshot_id", "target_snapshot_id");
    all.add(
        "metadata/delta/an-unknown-base-is-not-found",
        t -> {
          Snapshot known = compared(t);
          UnknownThings.snapshot(t, NOT_FOUND, snapshot -> toReadDelta(t, snapshot, known));
        });
    all.add(
        "metadata/delta/an-unknown-target-is-not-found",
        t -> {
          Snapshot known = compared(t);
          UnknownThings.snapshot(t, NOT_FOUND, snapshot -> toReadDelta(t, known, snapshot));
        });
    all.ask(
        "metadata/delta/snapshots-of-two-volumes-are-better-refused",
        t -> toReadDelta(t, snapshot(t), snapshot(t)));
    all.ask(
        "metadata/delta/a-negative-offset-is-out-of-range",
        t -> toReadDeltaOfTwo(t).setStartingOffset(-1));
    all.ask(
        "metadata/delta/an-offset-beyond-the-volume-is-out-of-range",
        t -> toReadDeltaOfTwo(t).setStartingOffset(FAR_TOO_MUCH));
    all.add("metadata/delta/ranges-are-in-order", t -> ranges(t, toReadDeltaOfTwo(t), 0, 0));
  }

  private static long bytes(List<BlockMetadata> ranges) {
    return ranges.stream().mapToLong(BlockMetadata::getSizeBytes).sum();
  }

  /** The ranges of a whole stream, if they are as they have to be. */
  private static List<BlockMetadata> ranges(Trial t, MessageOrBuilder request, long from, int max) {
    Reply reply = t.call(request);
    if (reply.code() == FAILED_PRECONDITION) {
      throw new CaseEndedException.NotRun(
          "the storage does not track which blocks change: " + t.shown(reply));
    }
    t.check(reply.code() == OK, "the stream ends well", t.shown(reply));
    List<BlockMetadata> all = new ArrayList<>();
    Set<BlockMetadataType> types = new HashSet<>();
    Set<Long> capacities = new HashSet<>();
    for (Message message : reply.messages()) {
      Part part = Part.of(message);
      types.add(part.type());
      capacities.add(part.capacity());
      t.check(
          max == 0 || part.ranges().size() <= max,
          "at most " + max + " ranges in a message",
          part.ranges().size() + " ranges");
      all.addAll(part.ranges());
    }
    t.check(types.size() <= 1 && capacities.size() <= 1, "one style and one size", "several");
    t.check(
        !types.contains(BlockMetadataType.UNKNOWN),
        "the style FIXED_LENGTH or VARIABLE_LENGTH",
        "UNKNOWN");
    long capacity = capacities.stream().findFirst().orElse(0L);
    long end = 0;
    for (BlockMetadata each : all) {
      t.check(
          each.getSizeBytes() > 0 && each.getByteOffset() >= end,
          "ranges that ascend and do not overlap",
          "a range of "
              + each.getSizeBytes()
              + " bytes at "
              + each.getByteOffset()
              + " after one that ends at "
              + end);
      end = each.getByteOffset() + each.getSizeBytes();
      t.check(end > from, "ranges that end behind the offset " + from, "one that ends at " + end);
      t.check(
          types.contains(BlockMetadataType.VARIABLE_LENGTH)
              || each.getSizeBytes() == all.get(0).getSizeBytes(),
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
