package io.csi4j.conformance.internal.plugin;

import static io.csi4j.conformance.internal.plugin.LawfulRequests.*;
import static io.csi4j.conformance.internal.plugin.TestThings.*;

import com.google.protobuf.Message;
import io.csi4j.client.internal.proto.CreateSnapshotResponse;
import io.csi4j.client.internal.proto.CreateVolumeResponse;
import io.csi4j.client.model.StatusCode;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Cases with concurrent calls. Each call should succeed or end with ABORTED. */
final class ConcurrencyCases {

  private ConcurrencyCases() {}

  static void addTo(CaseSteps all) {
    all.add(
        "concurrency/one-name-created-twice-at-once-is-one-volume",
        t -> {
          Message request = toCreate(t).build();
          List<Reply> replies = new ArrayList<>(twiceAtOnce(t, request));
          replies.add(t.best(request, StatusCode.OK));
          one(t, "volume", volumes(t, replies));
        });
    all.add(
        "concurrency/one-name-snapshotted-twice-at-once-is-one-snapshot",
        t -> {
          Message request = toSnapshot(t, create(t)).build();
          List<Reply> replies = new ArrayList<>(twiceAtOnce(t, request));
          replies.add(t.best(request, StatusCode.OK, StatusCode.ABORTED));
          one(
              t,
              "snapshot",
              made(t, replies, CreateSnapshotResponse.class).stream()
                  .map(each -> each.getSnapshot().getSnapshotId())
                  .toList());
        });
    all.add(
        "concurrency/different-volumes-are-made-at-once",
        t -> {
          Message first = toCreate(t).build();
          List<Reply> replies =
              t.together(first, toCreate(t).build(), toCreate(t).build(), toCreate(t).build());
          replies.forEach(each -> t.adviseUnless(each, StatusCode.OK));
          List<String> ids = volumes(t, replies);
          int different = Set.copyOf(ids).size();
          t.check(different == ids.size(), ids.size() + " volumes", different + " volumes");
        });
  }

  /** Returns the answers of the calls that succeeded. */
  private static <A extends Message> List<A> made(Trial t, List<Reply> replies, Class<A> answer) {
    return replies.stream().filter(Reply::isOk).map(each -> t.answer(each, answer)).toList();
  }

  private static List<String> volumes(Trial t, List<Reply> replies) {
    return made(t, replies, CreateVolumeResponse.class).stream()
        .map(each -> each.getVolume().getVolumeId())
        .toList();
  }

  /**
   * Makes the same call twice concurrently. Records advice unless each call succeeds or ends with
   * ABORTED.
   */
  private static List<Reply> twiceAtOnce(Trial t, Message request) {
    List<Reply> replies = t.together(request, request);
    for (Reply each : replies) {
      t.adviseUnless(each, StatusCode.OK, StatusCode.ABORTED);
    }
    return replies;
  }

  /**
   * Records advice if the ids differ, because the plugin then created more than one object of the
   * name.
   */
  private static void one(Trial t, String what, List<String> ids) {
    int different = Set.copyOf(ids).size();
    if (different > 1) {
      t.advise("One " + what + " of that name should exist, but " + different + " exist.");
    }
  }

  /**
   * Makes the same call twice concurrently, and then a third time. The third call should succeed.
   */
  static void twiceAtOnceAndAgain(Trial t, Message request) {
    twiceAtOnce(t, request);
    t.best(request, StatusCode.OK);
  }
}
