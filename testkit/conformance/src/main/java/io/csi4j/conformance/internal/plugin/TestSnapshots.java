package io.csi4j.conformance.internal.plugin;

import com.google.protobuf.Message;
import com.google.protobuf.MessageOrBuilder;
import io.csi4j.client.internal.proto.CreateSnapshotResponse;
import io.csi4j.client.internal.proto.CreateVolumeGroupSnapshotResponse;
import io.csi4j.client.internal.proto.Snapshot;
import io.csi4j.client.internal.proto.Volume;
import io.csi4j.client.internal.proto.VolumeGroupSnapshot;
import io.csi4j.client.model.StatusCode;
import java.util.function.Function;
import java.util.function.Predicate;

/** Snapshots and groups of them for a case, as {@link TestVolumes} does it with volumes. */
final class TestSnapshots {

  private TestSnapshots() {}

  /** A new snapshot, once it is ready to be used. */
  static Snapshot snapshot(Trial t, Volume volume) {
    return readySnapshot(t, LawfulRequests.toSnapshot(t, volume));
  }

  /** The snapshot of this request, once it is ready to be used. */
  static Snapshot readySnapshot(Trial t, MessageOrBuilder request) {
    return ready(
        t,
        request,
        CreateSnapshotResponse.class,
        answer -> named(t, answer),
        Snapshot::getReadyToUse);
  }

  /** The group snapshot of this request, once it is ready to be used. */
  static VolumeGroupSnapshot readyGroup(Trial t, MessageOrBuilder request) {
    return ready(
        t,
        request,
        CreateVolumeGroupSnapshotResponse.class,
        answer -> named(t, answer),
        VolumeGroupSnapshot::getReadyToUse);
  }

  private static <A extends Message, S> S ready(
      Trial t,
      MessageOrBuilder request,
      Class<A> answer,
      Function<A, S> made,
      Predicate<S> isReady) {
    Message same = Trial.built(request);
    return t.prepared(
        () -> {
          Pause pause = new Pause(t.plugin().deadline());
          S cut = made.apply(t.ok(same, answer));
          while (!isReady.test(cut)) {
            checkAgain(t, pause);
            cut = made.apply(repeated(t, same, false, answer));
          }
          return cut;
        });
  }

  /**
   * The answer to a request for snapshots that was answered before. The plugin may abort it until
   * they are ready.
   */
  static <A extends Message> A repeated(
      Trial t, MessageOrBuilder request, boolean ready, Class<A> answer) {
    Message same = Trial.built(request);
    Pause pause = new Pause(t.plugin().deadline());
    Reply reply = t.call(same);
    while (!ready && reply.code() == StatusCode.ABORTED) {
      checkAgain(t, pause);
      reply = t.call(same);
    }
    return t.succeeded(reply, answer);
  }

  /** Ends the case if a snapshot has not become ready in time. */
  private static void checkAgain(Trial t, Pause pause) {
    if (!pause.again()) {
      throw CaseEndedException.notRun(
          "a snapshot was not ready to use within " + t.plugin().deadline().toSeconds() + " s");
    }
  }

  /** The snapshot of this request, if the plugin makes it: what the case is about. */
  static Snapshot cut(Trial t, MessageOrBuilder request) {
    return named(t, t.ok(request, CreateSnapshotResponse.class));
  }

  static Snapshot named(Trial t, CreateSnapshotResponse created) {
    t.check(
        !created.getSnapshot().getSnapshotId().isEmpty(),
        "the answer to CreateSnapshot names the snapshot",
        "an empty snapshot_id");
    return created.getSnapshot();
  }

  static Snapshot deletedSnapshot(Trial t) {
    Snapshot snapshot = snapshot(t, TestVolumes.create(t));
    t.prepare(LawfulRequests.toDeleteSnapshot(t, snapshot));
    return snapshot;
  }

  static VolumeGroupSnapshot group(Trial t) {
    var request = LawfulRequests.toGroup(t, TestVolumes.create(t));
    return t.prepared(() -> named(t, t.ok(request, CreateVolumeGroupSnapshotResponse.class)));
  }

  static VolumeGroupSnapshot deletedGroup(Trial t) {
    VolumeGroupSnapshot group = group(t);
    t.prepare(LawfulRequests.toDeleteGroup(t, group));
    return group;
  }

  static VolumeGroupSnapshot named(Trial t, CreateVolumeGroupSnapshotResponse created) {
    t.check(
        !created.getGroupSnapshot().getGroupSnapshotId().isEmpty(),
        "the answer to CreateVolumeGroupSnapshot names the group",
        "an empty group_snapshot_id");
    return created.getGroupSnapshot();
  }
}
