package io.csi4j.conformance.internal.plugin;

import static io.csi4j.conformance.internal.plugin.LawfulRequests.toAttach;
import static io.csi4j.conformance.internal.plugin.LawfulRequests.toCreate;
import static io.csi4j.conformance.internal.plugin.LawfulRequests.toDelete;
import static io.csi4j.conformance.internal.plugin.LawfulRequests.toDeleteSnapshot;
import static io.csi4j.conformance.internal.plugin.LawfulRequests.toPublish;
import static io.csi4j.conformance.internal.plugin.LawfulRequests.toSnapshot;
import static io.csi4j.conformance.internal.plugin.LawfulRequests.toStage;
import static io.csi4j.conformance.internal.plugin.LawfulRequests.toUnpublish;

import com.google.protobuf.Message;
import com.google.protobuf.MessageOrBuilder;
import io.csi4j.client.internal.proto.CreateSnapshotResponse;
import io.csi4j.client.internal.proto.CreateVolumeResponse;
import io.csi4j.client.internal.proto.Volume;
import io.csi4j.client.model.StatusCode;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Several calls at once: each succeeds, or is told to wait its turn. */
final class ConcurrencyCases {

  private ConcurrencyCases() {}

  static void addTo(CaseSteps all) {
    all.add(
        "concurrency/one-name-created-twice-at-once-is-one-volume",
        t -> {
          Message request = toCreate(t).build();
          Set<String> ids = new HashSet<>();
          List<Reply> replies = new ArrayList<>(twiceAtOnce(t, request));
          replies.add(t.best(request, StatusCode.OK));
          for (Reply each : replies) {
            if (each.isOk()) {
              ids.add(t.answer(each, CreateVolumeResponse.class).getVolume().getVolumeId());
            }
          }
          one(t, "volume", ids);
        });
    all.add(
        "concurrency/one-name-snapshotted-twice-at-once-is-one-snapshot",
        t -> {
          Message request = toSnapshot(t, TestVolumes.create(t)).build();
          Set<String> ids = new HashSet<>();
          List<Reply> replies = new ArrayList<>(twiceAtOnce(t, request));
          replies.add(t.best(request, StatusCode.OK, StatusCode.ABORTED));
          for (Reply each : replies) {
            if (each.isOk()) {
              ids.add(t.answer(each, CreateSnapshotResponse.class).getSnapshot().getSnapshotId());
            }
          }
          one(t, "snapshot", ids);
        });
    all.add(
        "concurrency/one-snapshot-deleted-twice-at-once-is-gone",
        t ->
            twiceAtOnceAndAgain(
                t, toDeleteSnapshot(t, TestSnapshots.snapshot(t, TestVolumes.create(t)))));
    all.add(
        "concurrency/one-volume-deleted-twice-at-once-is-gone",
        t -> twiceAtOnceAndAgain(t, toDelete(t, TestVolumes.create(t))));
    all.add(
        "concurrency/different-volumes-are-made-at-once",
        t -> {
          Set<String> ids = new HashSet<>();
          int made = 0;
          Message first = toCreate(t).build();
          for (Reply each :
              t.together(first, toCreate(t).build(), toCreate(t).build(), toCreate(t).build())) {
            t.adviseUnless(each, StatusCode.OK);
            if (each.isOk()) {
              made++;
              ids.add(t.answer(each, CreateVolumeResponse.class).getVolume().getVolumeId());
            }
          }
          t.check(ids.size() == made, made + " volumes", ids.size() + " volumes");
        });
    all.add(
        "concurrency/one-volume-attached-twice-at-once",
        t -> twiceAtOnceAndAgain(t, toAttach(t, TestVolumes.volume(t))));
    all.add(
        "concurrency/one-volume-staged-twice-at-once",
        t -> {
          Volume volume = TestVolumes.volume(t);
          twiceAtOnceAndAgain(t, toStage(t, volume, TestVolumes.attach(t, volume)));
        });
    all.add(
        "concurrency/one-volume-published-twice-at-once",
        t -> {
          Volume volume = TestVolumes.volume(t);
          twiceAtOnceAndAgain(t, toPublish(t, volume, TestVolumes.stage(t, volume)));
        });
    all.add(
        "concurrency/one-volume-unpublished-twice-at-once",
        t -> twiceAtOnceAndAgain(t, toUnpublish(t, TestVolumes.publishedVolume(t))));
  }

  /** Two calls at once, of which one better succeeds and the other succeeds too, or is aborted. */
  private static List<Reply> twiceAtOnce(Trial t, Message request) {
    List<Reply> replies = t.together(request, request);
    for (Reply each : replies) {
      t.adviseUnless(each, StatusCode.OK, StatusCode.ABORTED);
    }
    return replies;
  }

  /** Advises if there is more than one. */
  private static void one(Trial t, String what, Set<String> ids) {
    if (ids.size() > 1) {
      t.advise("There should be one " + what + " of the name, and there are " + ids.size() + ".");
    }
  }

  /** Sends these two, and a third call afterwards that better succeeds. */
  private static void twiceAtOnceAndAgain(Trial t, MessageOrBuilder request) {
    Message same = Trial.built(request);
    twiceAtOnce(t, same);
    t.best(same, StatusCode.OK);
  }
}
