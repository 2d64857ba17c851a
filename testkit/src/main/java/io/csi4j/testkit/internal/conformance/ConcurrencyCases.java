package io.csi4j.testkit.internal.conformance;

import static io.csi4j.testkit.internal.conformance.Cases.expect;

import com.google.protobuf.Message;
import io.csi4j.client.StatusCode;
import io.csi4j.client.internal.proto.CreateSnapshotRequest;
import io.csi4j.client.internal.proto.CreateVolumeRequest;
import io.csi4j.client.internal.proto.Volume;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Several calls at once: each succeeds, or is told to wait its turn. */
final class ConcurrencyCases {

  private static final String PLACE = "Concurrency";

  private ConcurrencyCases() {}

  static List<SuiteCase> all() {
    List<SuiteCase> all = new ArrayList<>();
    creating(all);
    using(all);
    return all;
  }

  private static void creating(List<SuiteCase> all) {
    all.add(
        expect(
                "concurrency/one-name-created-twice-at-once-is-one-volume",
                "Of two calls for one volume at once each succeeds or is aborted, and there is one"
                    + " volume.",
                PLACE,
                List.of(Needs.CREATE),
                t -> {
                  CreateVolumeRequest request = Ask.create(t).build();
                  Set<String> ids = new HashSet<>();
                  for (Reply each : oneOrBoth(t, Rpc.CREATE_VOLUME, List.of(request, request))) {
                    if (each.isOk()) {
                      ids.add(t.answer(Rpc.CREATE_VOLUME, each).getVolume().getVolumeId());
                    }
                  }
                  ids.add(Do.create(t, request).getVolumeId());
                  t.check(ids.size() == 1, "one volume", ids.size() + " volumes");
                })
            .rows(509));
    all.add(
        expect(
                "concurrency/one-name-snapshotted-twice-at-once-is-one-snapshot",
                "Of two calls for one snapshot at once each succeeds or is aborted, and there is"
                    + " one snapshot.",
                PLACE,
                List.of(Needs.SNAPSHOTS, Needs.CREATE),
                t -> {
                  CreateSnapshotRequest request =
                      Ask.snapshot(t, Do.create(t).getVolumeId()).build();
                  Set<String> ids = new HashSet<>();
                  for (Reply each : oneOrBoth(t, Rpc.CREATE_SNAPSHOT, List.of(request, request))) {
                    if (each.isOk()) {
                      ids.add(t.answer(Rpc.CREATE_SNAPSHOT, each).getSnapshot().getSnapshotId());
                    }
                  }
                  ids.add(t.ok(Rpc.CREATE_SNAPSHOT, request).getSnapshot().getSnapshotId());
                  t.check(ids.size() == 1, "one snapshot", ids.size() + " snapshots");
                })
            .rows(509, 2037));
    all.add(
        expect(
                "concurrency/one-snapshot-deleted-twice-at-once-is-gone",
                "Of two deletions of one snapshot at once each succeeds or is aborted.",
                PLACE,
                List.of(Needs.SNAPSHOTS, Needs.CREATE),
                t -> {
                  var request = Ask.deleteSnapshot(t, Do.snapshot(t, Do.create(t)).getSnapshotId());
                  oneOrBoth(t, Rpc.DELETE_SNAPSHOT, List.of(request, request));
                  t.ok(Rpc.DELETE_SNAPSHOT, request);
                })
            .rows(2079));
    all.add(
        expect(
                "concurrency/one-volume-deleted-twice-at-once-is-gone",
                "Of two deletions of one volume at once each succeeds or is aborted.",
                PLACE,
                List.of(Needs.CREATE),
                t -> {
                  var request = Ask.delete(t, Do.create(t).getVolumeId());
                  oneOrBoth(t, Rpc.DELETE_VOLUME, List.of(request, request));
                  t.ok(Rpc.DELETE_VOLUME, request);
                })
            .rows(509));
    all.add(
        expect(
            "concurrency/different-volumes-are-made-at-once",
            "Calls for different volumes do not hinder each other.",
            PLACE,
            List.of(Needs.CREATE),
            t -> {
              List<CreateVolumeRequest> requests = new ArrayList<>();
              for (int i = 0; i < 4; i++) {
                requests.add(Ask.create(t).build());
              }
              Set<String> ids = new HashSet<>();
              for (Reply each : t.together(Rpc.CREATE_VOLUME, requests)) {
                t.check(each.isOk(), "each CreateVolume succeeds", t.shown(each));
                ids.add(t.answer(Rpc.CREATE_VOLUME, each).getVolume().getVolumeId());
              }
              t.check(ids.size() == 4, "four volumes", ids.size() + " volumes");
            }));
  }

  private static void using(List<SuiteCase> all) {
    all.add(
        expect(
                "concurrency/one-volume-attached-twice-at-once",
                "Of two attachments of one volume to a node at once each succeeds or is aborted.",
                PLACE,
                List.of(Needs.ATTACH, Needs.VOLUME),
                t -> {
                  var request = Ask.attach(t, Do.volume(t)).build();
                  oneOrBoth(t, Rpc.CONTROLLER_PUBLISH_VOLUME, List.of(request, request));
                  t.ok(Rpc.CONTROLLER_PUBLISH_VOLUME, request);
                })
            .rows(509));
    all.add(
        expect(
                "concurrency/one-volume-staged-twice-at-once",
                "Of two stagings of one volume at once each succeeds or is aborted.",
                PLACE,
                List.of(Needs.STAGING, Needs.VOLUME),
                t -> {
                  Volume volume = Do.volume(t);
                  Map<String, String> context = Do.attach(t, volume);
                  var request = Ask.stage(t, volume, context).build();
                  oneOrBoth(t, Rpc.NODE_STAGE_VOLUME, List.of(request, request));
                  t.ok(Rpc.NODE_STAGE_VOLUME, request);
                })
            .rows(509));
    all.add(
        expect(
                "concurrency/one-volume-published-twice-at-once",
                "Of two publications of one volume at one path at once each succeeds or is"
                    + " aborted.",
                PLACE,
                List.of(Needs.VOLUME),
                t -> {
                  Volume volume = Do.volume(t);
                  var request = Ask.publish(t, volume, Do.stage(t, volume)).build();
                  oneOrBoth(t, Rpc.NODE_PUBLISH_VOLUME, List.of(request, request));
                  t.ok(Rpc.NODE_PUBLISH_VOLUME, request);
                })
            .rows(509));
    all.add(
        expect(
                "concurrency/one-volume-unpublished-twice-at-once",
                "Of two unpublications of one volume at once each succeeds or is aborted.",
                PLACE,
                List.of(Needs.VOLUME),
                t -> {
                  Volume volume = Do.volume(t);
                  Do.publish(t, volume);
                  var request = Ask.unpublish(t, volume).build();
                  oneOrBoth(t, Rpc.NODE_UNPUBLISH_VOLUME, List.of(request, request));
                  t.ok(Rpc.NODE_UNPUBLISH_VOLUME, request);
                })
            .rows(509));
  }

  /** Two calls at once, of which one succeeds and the other succeeds too, or is aborted. */
  private static <Q extends Message, A extends Message> List<Reply> oneOrBoth(
      Trial t, Rpc<Q, A> rpc, List<Q> requests) throws Ending {
    List<Reply> replies = t.together(rpc, requests);
    for (Reply each : replies) {
      t.check(
          each.isOk() || each.code() == StatusCode.ABORTED,
          "each "
              + rpc.operation().rpcName()
              + " ends with "
              + Trial.words(StatusCode.OK, StatusCode.ABORTED),
          t.shown(each));
    }
    t.check(replies.stream().anyMatch(Reply::isOk), "at least one of the two succeeds", "none did");
    return replies;
  }
}
