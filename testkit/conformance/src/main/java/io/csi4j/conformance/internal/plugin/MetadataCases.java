package io.csi4j.conformance.internal.plugin;

import static io.csi4j.client.model.StatusCode.INVALID_ARGUMENT;
import static io.csi4j.client.model.StatusCode.NOT_FOUND;
import static io.csi4j.client.model.StatusCode.OK;
import static io.csi4j.client.model.StatusCode.OUT_OF_RANGE;
import static io.csi4j.conformance.internal.plugin.Cases.NO_SUCH_SNAPSHOT;
import static io.csi4j.conformance.internal.plugin.Cases.expect;
import static io.csi4j.conformance.internal.plugin.Cases.required;

import com.google.protobuf.Message;
import io.csi4j.client.internal.proto.BlockMetadata;
import io.csi4j.client.internal.proto.BlockMetadataType;
import io.csi4j.client.internal.proto.GetMetadataAllocatedRequest;
import io.csi4j.client.internal.proto.GetMetadataAllocatedResponse;
import io.csi4j.client.internal.proto.GetMetadataDeltaRequest;
import io.csi4j.client.internal.proto.GetMetadataDeltaResponse;
import io.csi4j.client.internal.proto.Volume;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Which blocks a snapshot holds. */
final class MetadataCases {

  private static final List<Need> NEEDS =
      List.of(Needs.METADATA, Needs.SNAPSHOTS, Needs.CREATE, Needs.BLOCK);
  private static final long FAR_BEYOND = Long.MAX_VALUE / 2;

  private MetadataCases() {}

  static List<SuiteCase> all() {
    List<SuiteCase> all = new ArrayList<>();
    allocated(all);
    delta(all);
    return all;
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

  private static String snapshot(Trial t) throws CaseEndedException {
    return CaseSteps.snapshot(t, blockVolume(t)).getSnapshotId();
  }

  private static Volume blockVolume(Trial t) throws CaseEndedException {
    for (var each : LawfulRequests.capabilities(t)) {
      if (each.hasBlock()) {
        return CaseSteps.volume(t, each);
      }
    }
    throw new CaseEndedException.Skipped(Needs.BLOCK.otherwise());
  }

  private static GetMetadataDeltaRequest between(Trial t) throws CaseEndedException {
    Volume volume = blockVolume(t);
    String base = CaseSteps.snapshot(t, volume).getSnapshotId();
    String target = CaseSteps.snapshot(t, volume).getSnapshotId();
    return LawfulRequests.delta(t, base).setTargetSnapshotId(target).build();
  }

  private static void allocated(List<SuiteCase> all) {
    String place = "GetMetadataAllocated";
    all.add(
        required(
                "metadata/allocated",
                CsiRpc.GET_METADATA_ALLOCATED,
                "snapshot_id",
                NEEDS,
                t -> LawfulRequests.allocated(t, snapshot(t)).build())
            .rows(506, 3342));
    all.add(
        expect(
                "metadata/allocated/an-unknown-snapshot-is-not-found",
                "GetMetadataAllocated of a snapshot that does not exist is refused.",
                place + " Errors",
                List.of(Needs.METADATA),
                t ->
                    t.refused(
                        CsiRpc.GET_METADATA_ALLOCATED,
                        LawfulRequests.allocated(t, NO_SUCH_SNAPSHOT).build(),
                        NOT_FOUND))
            .rows(3343));
    offsets(
        all,
        "metadata/allocated",
        place,
        3344,
        (t, offset) -> {
          GetMetadataAllocatedRequest request =
              LawfulRequests.allocated(t, snapshot(t)).setStartingOffset(offset).build();
          t.refused(CsiRpc.GET_METADATA_ALLOCATED, request, OUT_OF_RANGE);
        });
    all.add(
        expect(
            "metadata/allocated/ranges-are-in-order",
            "The ranges of a stream ascend, do not overlap, and lie within the volume; its style"
                + " and size stay the same.",
            place,
            NEEDS,
            t -> {
              ranges(
                  t,
                  t.call(
                      CsiRpc.GET_METADATA_ALLOCATED,
                      LawfulRequests.allocated(t, snapshot(t)).build()),
                  0,
                  0);
            }));
    all.add(
        expect(
            "metadata/allocated/a-message-holds-no-more-than-asked-for",
            "max_results limits the ranges of a message, and all messages hold them all.",
            place,
            NEEDS,
            t -> {
              String snapshot = snapshot(t);
              List<BlockMetadata> whole =
                  ranges(
                      t,
                      t.call(
                          CsiRpc.GET_METADATA_ALLOCATED,
                          LawfulRequests.allocated(t, snapshot).build()),
                      0,
                      0);
              List<BlockMetadata> single =
                  ranges(
                      t,
                      t.call(
                          CsiRpc.GET_METADATA_ALLOCATED,
                          LawfulRequests.allocated(t, snapshot).setMaxResults(1).build()),
                      0,
                      1);
              t.check(
                  bytes(whole) == bytes(single),
                  bytes(whole) + " bytes in all messages",
                  bytes(single) + " bytes");
            }));
    all.add(
        expect(
            "metadata/allocated/goes-on-where-it-was-left",
            "A stream from an offset begins with a range that ends behind it.",
            place,
            NEEDS,
            t -> {
              String snapshot = snapshot(t);
              List<BlockMetadata> whole =
                  ranges(
                      t,
                      t.call(
                          CsiRpc.GET_METADATA_ALLOCATED,
                          LawfulRequests.allocated(t, snapshot).build()),
                      0,
                      0);
              if (whole.size() < 2) {
                throw new CaseEndedException.Skipped("the snapshot has fewer than two ranges");
              }
              long from = whole.get(0).getByteOffset() + whole.get(0).getSizeBytes();
              List<BlockMetadata> rest =
                  ranges(
                      t,
                      t.call(
                          CsiRpc.GET_METADATA_ALLOCATED,
                          LawfulRequests.allocated(t, snapshot).setStartingOffset(from).build()),
                      from,
                      0);
              t.check(!rest.isEmpty(), "the rest of the ranges", "none");
            }));
  }

  private static void delta(List<SuiteCase> all) {
    String place = "GetMetadataDelta";
    for (String field : List.of("base_snapshot_id", "target_snapshot_id")) {
      all.add(
          required(
                  "metadata/delta", CsiRpc.GET_METADATA_DELTA, field, NEEDS, MetadataCases::between)
              .rows(506, 3436));
    }
    all.add(
        expect(
                "metadata/delta/an-unknown-base-is-not-found",
                "GetMetadataDelta from a snapshot that does not exist is refused.",
                place + " Errors",
                NEEDS,
                t ->
                    t.refused(
                        CsiRpc.GET_METADATA_DELTA,
                        LawfulRequests.delta(t, NO_SUCH_SNAPSHOT)
                            .setTargetSnapshotId(snapshot(t))
                            .build(),
                        NOT_FOUND))
            .rows(3437));
    all.add(
        expect(
                "metadata/delta/an-unknown-target-is-not-found",
                "GetMetadataDelta to a snapshot that does not exist is refused.",
                place + " Errors",
                NEEDS,
                t ->
                    t.refused(
                        CsiRpc.GET_METADATA_DELTA,
                        LawfulRequests.delta(t, snapshot(t))
                            .setTargetSnapshotId(NO_SUCH_SNAPSHOT)
                            .build(),
                        NOT_FOUND))
            .rows(3437));
    all.add(
        expect(
                "metadata/delta/snapshots-of-two-volumes-are-better-refused",
                "GetMetadataDelta between snapshots of different volumes is refused as invalid.",
                place + " Errors",
                NEEDS,
                t -> {
                  t.best(
                      CsiRpc.GET_METADATA_DELTA,
                      LawfulRequests.delta(t, snapshot(t)).setTargetSnapshotId(snapshot(t)).build(),
                      INVALID_ARGUMENT);
                })
            .rows(3436));
    offsets(
        all,
        "metadata/delta",
        place,
        3439,
        (t, offset) ->
            t.refused(
                CsiRpc.GET_METADATA_DELTA,
                between(t).toBuilder().setStartingOffset(offset).build(),
                OUT_OF_RANGE));
    all.add(
        expect(
            "metadata/delta/ranges-are-in-order",
            "The ranges of a stream ascend, do not overlap, and lie within the volume; its style"
                + " and size stay the same.",
            place,
            NEEDS,
            t -> {
              ranges(t, t.call(CsiRpc.GET_METADATA_DELTA, between(t)), 0, 0);
            }));
  }

  /** The event at an offset. */
  @FunctionalInterface
  private interface AtOffset {
    void run(Trial t, long offset) throws CaseEndedException;
  }

  private static void offsets(
      List<SuiteCase> all, String prefix, String place, int row, AtOffset body) {
    all.add(
        expect(
                prefix + "/a-negative-offset-is-out-of-range",
                "A starting_offset below zero is refused.",
                place + " Errors",
                NEEDS,
                t -> body.run(t, -1))
            .rows(row));
    all.add(
        expect(
                prefix + "/an-offset-beyond-the-volume-is-out-of-range",
                "A starting_offset beyond the size of the volume is refused.",
                place + " Errors",
                NEEDS,
                t -> body.run(t, FAR_BEYOND))
            .rows(row));
  }

  private static long bytes(List<BlockMetadata> ranges) {
    return ranges.stream().mapToLong(BlockMetadata::getSizeBytes).sum();
  }

  /** The ranges of a whole stream, if they are as they have to be. */
  private static List<BlockMetadata> ranges(Trial t, Reply reply, long from, int max)
      throws CaseEndedException {
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
