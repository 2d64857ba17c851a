package io.csi4j.conformance.internal.plugin;

import static io.csi4j.conformance.internal.plugin.Cases.expect;

import com.google.protobuf.Message;
import io.csi4j.client.internal.proto.CreateSnapshotRequest;
import io.csi4j.client.internal.proto.CreateVolumeRequest;
import io.csi4j.client.internal.proto.Volume;
import io.csi4j.client.model.StatusCode;
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
                  CreateVolumeRequest request = LawfulRequests.create(t).build();
                  Set<String> ids = new HashSet<>();
                  for (Reply each : oneOrBoth(t, CsiRpc.CREATE_VOLUME, List.of(request, request))) {
                    if (each.isOk()) {
                      ids.add(t.answer(CsiRpc.CREATE_VOLUME, each).getVolume().getVolumeId());
                    }
                  }
                  ids.add(CaseSteps.create(t, request).getVolumeId());
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
                      LawfulRequests.snapshot(t, CaseSteps.create(t).getVolumeId()).build();
                  Set<String> ids = new HashSet<>();
                  for (Reply each :
                      oneOrBoth(t, CsiRpc.CREATE_SNAPSHOT, List.of(request, request))) {
                    if (each.isOk()) {
                      ids.add(t.answer(CsiRpc.CREATE_SNAPSHOT, each).getSnapshot().getSnapshotId());
                    }
                  }
                  ids.add(t.ok(CsiRpc.CREATE_SNAPSHOT, request).getSnapshot().getSnapshotId());
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
                  var request =
                      LawfulRequests.deleteSnapshot(
                          t, CaseSteps.snapshot(t, CaseSteps.create(t)).getSnapshotId());
                  oneOrBoth(t, CsiRpc.DELETE_SNAPSHOT, List.of(request, request));
                  t.ok(CsiRpc.DELETE_SNAPSHOT, request);
                })
            .rows(2079));
    all.add(
        expect(
                "concurrency/one-volume-deleted-twice-at-once-is-gone",
                "Of two deletions of one volume at once each succeeds or is aborted.",
                PLACE,
                List.of(Needs.CREATE),
                t -> {
                  var request = LawfulRequests.delete(t, CaseSteps.create(t).getVolumeId());
                  oneOrBoth(t, CsiRpc.DELETE_VOLUME, List.of(request, request));
                  t.ok(CsiRpc.DELETE_VOLUME, request);
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
                requests.add(LawfulRequests.create(t).build());
              }
              Set<String> ids = new HashSet<>();
              for (Reply each : t.together(CsiRpc.CREATE_VOLUME, requests)) {
                t.check(each.isOk(), "each CreateVolume succeeds", t.shown(each));
                ids.add(t.answer(CsiRpc.CREATE_VOLUME, each).getVolume().getVolumeId());
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
                  var request = LawfulRequests.attach(t, CaseSteps.volume(t)).build();
                  oneOrBoth(t, CsiRpc.CONTROLLER_PUBLISH_VOLUME, List.of(request, request));
                  t.ok(CsiRpc.CONTROLLER_PUBLISH_VOLUME, request);
                })
            .rows(509));
    all.add(
        expect(
                "concurrency/one-volume-staged-twice-at-once",
                "Of two stagings of one volume at once each succeeds or is aborted.",
                PLACE,
                List.of(Needs.STAGING, Needs.VOLUME),
                t -> {
                  Volume volume = CaseSteps.volume(t);
                  Map<String, String> context = CaseSteps.attach(t, volume);
                  var request = LawfulRequests.stage(t, volume, context).build();
                  oneOrBoth(t, CsiRpc.NODE_STAGE_VOLUME, List.of(request, request));
                  t.ok(CsiRpc.NODE_STAGE_VOLUME, request);
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
                  Volume volume = CaseSteps.volume(t);
                  var request =
                      LawfulRequests.publish(t, volume, CaseSteps.stage(t, volume)).build();
                  oneOrBoth(t, CsiRpc.NODE_PUBLISH_VOLUME, List.of(request, request));
                  t.ok(CsiRpc.NODE_PUBLISH_VOLUME, request);
                })
            .rows(509));
    all.add(
        expect(
                "concurrency/one-volume-unpublished-twice-at-once",
                "Of two unpublications of one volume at once each succeeds or is aborted.",
                PLACE,
                List.of(Needs.VOLUME),
                t -> {
                  Volume volume = CaseSteps.volume(t);
                  CaseSteps.publish(t, volume);
                  var request = LawfulRequests.unpublish(t, volume).build();
                  oneOrBoth(t, CsiRpc.NODE_UNPUBLISH_VOLUME, List.of(request, request));
                  t.ok(CsiRpc.NODE_UNPUBLISH_VOLUME, request);
                })
            .rows(509));
  }

  /** Two calls at once, of which one succeeds and the other succeeds too, or is aborted. */
  private static <Q extends Message, A extends Message> List<Reply> oneOrBoth(
      Trial t, CsiRpc<Q, A> rpc, List<Q> requests) throws CaseEndedException {
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
