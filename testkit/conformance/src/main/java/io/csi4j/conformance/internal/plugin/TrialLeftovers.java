package io.csi4j.conformance.internal.plugin;

import com.google.protobuf.Message;
import io.csi4j.client.internal.proto.ControllerPublishVolumeRequest;
import io.csi4j.client.internal.proto.ControllerUnpublishVolumeRequest;
import io.csi4j.client.internal.proto.CreateSnapshotRequest;
import io.csi4j.client.internal.proto.CreateSnapshotResponse;
import io.csi4j.client.internal.proto.CreateVolumeGroupSnapshotRequest;
import io.csi4j.client.internal.proto.CreateVolumeGroupSnapshotResponse;
import io.csi4j.client.internal.proto.CreateVolumeRequest;
import io.csi4j.client.internal.proto.CreateVolumeResponse;
import io.csi4j.client.internal.proto.DeleteVolumeGroupSnapshotRequest;
import io.csi4j.client.internal.proto.NodePublishVolumeRequest;
import io.csi4j.client.internal.proto.NodeStageVolumeRequest;
import io.csi4j.client.internal.proto.NodeUnpublishVolumeRequest;
import io.csi4j.client.internal.proto.NodeUnstageVolumeRequest;
import io.csi4j.client.internal.proto.Snapshot;
import io.csi4j.client.internal.proto.Volume;
import io.csi4j.client.internal.proto.VolumeGroupSnapshot;
import io.csi4j.client.internal.text.SafeText;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.StatusCode;
import java.util.ArrayList;
import java.util.List;

/**
 * The leftovers of calls that others have not undone yet, oldest first. Follows from the calls
 * alone.
 */
final class TrialLeftovers {

  private final Trial trial;
  private final List<Undo> undos = new ArrayList<>();

  TrialLeftovers(Trial trial) {
    this.trial = trial;
  }

  /** How to undo something: two are the same if they undo the same. */
  private record Undo(Message request, String what) {
    boolean undoes(Message by) {
      return request.getClass() == by.getClass()
          && switch (RawPlugin.operation(by)) {
            case DELETE_VOLUME -> same(by, "volume_id");
            case CONTROLLER_UNPUBLISH_VOLUME ->
                same(by, "volume_id") && (same(by, "node_id") || text(by, "node_id").isEmpty());
            case NODE_UNSTAGE_VOLUME -> same(by, "volume_id") && same(by, "staging_target_path");
            case NODE_UNPUBLISH_VOLUME -> same(by, "volume_id") && same(by, "target_path");
            case DELETE_SNAPSHOT -> same(by, "snapshot_id");
            case DELETE_VOLUME_GROUP_SNAPSHOT -> same(by, "group_snapshot_id");
            default -> request.equals(by);
          };
    }

    private boolean same(Message other, String field) {
      return text(request, field).equals(text(other, field));
    }

    private static String text(Message message, String field) {
      return String.valueOf(
          message.getField(message.getDescriptorForType().findFieldByName(field)));
    }
  }

  /** Notes what a call has made or undone. */
  void note(Message request, Reply reply) {
    if (reply.isOk()) {
      undone(request);
      reply.messages().forEach(this::made);
    } else if (isLost(reply)
        && (request instanceof CreateVolumeRequest
            || request instanceof CreateSnapshotRequest
            || request instanceof CreateVolumeGroupSnapshotRequest)) {
      add(request, "what " + RawPlugin.operation(request).rpcName() + " may have made");
    }
    if (reply.isOk() || reply.isUncertain()) {
      used(request);
    }
  }

  private void undone(Message request) {
    undos.removeIf(each -> each.undoes(request));
    if (request instanceof DeleteVolumeGroupSnapshotRequest group) {
      for (String id : group.getSnapshotIdsList()) {
        Message member =
            LawfulRequests.toDeleteSnapshot(trial, Snapshot.newBuilder().setSnapshotId(id).build());
        undos.removeIf(each -> each.undoes(member));
      }
    }
  }

  private void made(Message answer) {
    if (answer instanceof CreateVolumeResponse created) {
      Volume volume = created.getVolume();
      add(
          LawfulRequests.toDelete(trial, volume),
          "the volume " + SafeText.quote(volume.getVolumeId()));
    } else if (answer instanceof CreateSnapshotResponse created) {
      Snapshot snapshot = created.getSnapshot();
      add(
          LawfulRequests.toDeleteSnapshot(trial, snapshot),
          "the snapshot " + SafeText.quote(snapshot.getSnapshotId()));
    } else if (answer instanceof CreateVolumeGroupSnapshotResponse created) {
      VolumeGroupSnapshot group = created.getGroupSnapshot();
      add(
          LawfulRequests.toDeleteGroup(trial, group).build(),
          "the group snapshot " + SafeText.quote(group.getGroupSnapshotId()));
    }
  }

  private void used(Message request) {
    if (request instanceof ControllerPublishVolumeRequest attached) {
      add(
          ControllerUnpublishVolumeRequest.newBuilder()
              .setVolumeId(attached.getVolumeId())
              .setNodeId(attached.getNodeId())
              .putAllSecrets(
                  trial.plugin().secrets(CsiOperation.CONTROLLER_UNPUBLISH_VOLUME).reveal())
              .build(),
          "the volume "
              + SafeText.quote(attached.getVolumeId())
              + " on the node "
              + SafeText.quote(attached.getNodeId()));
    } else if (request instanceof NodeStageVolumeRequest staged) {
      add(
          NodeUnstageVolumeRequest.newBuilder()
              .setVolumeId(staged.getVolumeId())
              .setStagingTargetPath(staged.getStagingTargetPath())
              .build(),
          "the volume " + SafeText.quote(staged.getVolumeId()) + " at its staging path");
    } else if (request instanceof NodePublishVolumeRequest published) {
      add(
          NodeUnpublishVolumeRequest.newBuilder()
              .setVolumeId(published.getVolumeId())
              .setTargetPath(published.getTargetPath())
              .build(),
          "the volume " + SafeText.quote(published.getVolumeId()) + " at its target path");
    }
  }

  /** Whether an answer may be on its way that is not waited for any more. */
  private static boolean isLost(Reply reply) {
    return reply.code() == StatusCode.DEADLINE_EXCEEDED || reply.code() == StatusCode.UNAVAILABLE;
  }

  private void add(Message request, String what) {
    if (!namesNothing(request) && undos.stream().noneMatch(each -> each.undoes(request))) {
      undos.add(new Undo(request, what));
    }
  }

  /** Whether a lawless call was about nothing that could be undone. */
  private static boolean namesNothing(Message undo) {
    return List.of(
            "volume_id", "staging_target_path", "target_path", "snapshot_id", "group_snapshot_id")
        .stream()
        .map(undo.getDescriptorForType()::findFieldByName)
        .anyMatch(field -> field != null && undo.getField(field).equals(""));
  }

  /** Undoes everything, the newest first; tells what could not be undone. */
  List<String> undo() {
    List<String> left = new ArrayList<>();
    boolean answers = true;
    while (!undos.isEmpty()) {
      Undo undo = undos.remove(undos.size() - 1);
      if (!answers) {
        left.add(undo.what() + ": not tried, as the plugin did not answer before.");
        continue;
      }
      Reply reply = trial.call(undo.request());
      answers = !isLost(reply);
      boolean gone = reply.code() == StatusCode.NOT_FOUND;
      if (!reply.isOk() && !gone) {
        left.add(
            undo.what()
                + ": "
                + RawPlugin.operation(undo.request()).rpcName()
                + " ended with "
                + trial.shown(reply));
        // A call that hangs is noted again; once is enough.
        undos.remove(undo);
      }
    }
    return left;
  }

  /** Returns what would be undone. */
  List<String> kept() {
    return undos.stream().map(each -> each.what() + ": kept to be looked at.").toList();
  }
}
