package io.csi4j.conformance.internal.plugin;

import com.google.protobuf.Message;
import io.csi4j.client.internal.proto.ControllerPublishVolumeRequest;
import io.csi4j.client.internal.proto.ControllerUnpublishVolumeRequest;
import io.csi4j.client.internal.proto.CreateSnapshotResponse;
import io.csi4j.client.internal.proto.CreateVolumeGroupSnapshotResponse;
import io.csi4j.client.internal.proto.CreateVolumeResponse;
import io.csi4j.client.internal.proto.DeleteSnapshotRequest;
import io.csi4j.client.internal.proto.DeleteVolumeGroupSnapshotRequest;
import io.csi4j.client.internal.proto.DeleteVolumeRequest;
import io.csi4j.client.internal.proto.NodePublishVolumeRequest;
import io.csi4j.client.internal.proto.NodeStageVolumeRequest;
import io.csi4j.client.internal.proto.NodeUnpublishVolumeRequest;
import io.csi4j.client.internal.proto.NodeUnstageVolumeRequest;
import io.csi4j.client.internal.proto.Snapshot;
import io.csi4j.client.internal.proto.VolumeGroupSnapshot;
import io.csi4j.client.internal.text.SafeText;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.StatusCode;
import io.csi4j.conformance.model.PluginUnderTest;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The leftovers of calls that others have not undone yet, oldest first. Follows from the calls
 * alone.
 */
final class TrialLeftovers {

  private final PluginUnderTest plugin;
  private final List<Undo> undos = new ArrayList<>();

  TrialLeftovers(PluginUnderTest plugin) {
    this.plugin = plugin;
  }

  /** How to undo something: two are the same if they undo the same. */
  private record Undo(CsiOperation operation, Message request, String what) {
    boolean undoes(CsiOperation other, Message by) {
      return operation == other
          && switch (other) {
            case DELETE_VOLUME -> same(request, by, "volume_id");
            case CONTROLLER_UNPUBLISH_VOLUME ->
                same(request, by, "volume_id")
                    && (same(request, by, "node_id") || text(by, "node_id").isEmpty());
            case NODE_UNSTAGE_VOLUME ->
                same(request, by, "volume_id") && same(request, by, "staging_target_path");
            case NODE_UNPUBLISH_VOLUME ->
                same(request, by, "volume_id") && same(request, by, "target_path");
            case DELETE_SNAPSHOT -> same(request, by, "snapshot_id");
            case DELETE_VOLUME_GROUP_SNAPSHOT -> same(request, by, "group_snapshot_id");
            default -> request.equals(by);
          };
    }

    private static boolean same(Message one, Message other, String field) {
      return text(one, field).equals(text(other, field));
    }

    private static String text(Message message, String field) {
      return String.valueOf(
          message.getField(message.getDescriptorForType().findFieldByName(field)));
    }
  }

  /** Notes what a call has made or undone. */
  void note(CsiOperation operation, Message request, Reply reply) {
    if (reply.isOk()) {
      undos.removeIf(each -> each.undoes(operation, request));
    }
    if (operation == CsiOperation.DELETE_VOLUME_GROUP_SNAPSHOT && reply.isOk()) {
      ((DeleteVolumeGroupSnapshotRequest) request)
          .getSnapshotIdsList()
          .forEach(
              id ->
                  undos.removeIf(
                      each ->
                          each.undoes(
                              CsiOperation.DELETE_SNAPSHOT,
                              DeleteSnapshotRequest.newBuilder().setSnapshotId(id).build())));
    }
    boolean maybe = reply.isOk() || reply.isUncertain();
    switch (operation) {
      case CREATE_VOLUME, CREATE_SNAPSHOT, CREATE_VOLUME_GROUP_SNAPSHOT -> {
        if (reply.isOk()) {
          reply.messages().forEach(each -> made(each));
        } else if (isLost(reply)) {
          add(operation, request, "what " + operation.rpcName() + " may have made");
        }
      }
      case CONTROLLER_PUBLISH_VOLUME -> {
        if (maybe) {
          attached((ControllerPublishVolumeRequest) request);
        }
      }
      case NODE_STAGE_VOLUME -> {
        if (maybe) {
          staged((NodeStageVolumeRequest) request);
        }
      }
      case NODE_PUBLISH_VOLUME -> {
        if (maybe) {
          published((NodePublishVolumeRequest) request);
        }
      }
      default -> {}
    }
  }

  /** Whether an answer may be on its way that is not waited for any more. */
  private static boolean isLost(Reply reply) {
    return reply.code() == StatusCode.DEADLINE_EXCEEDED || reply.code() == StatusCode.UNAVAILABLE;
  }

  private void made(Message answer) {
    if (answer instanceof CreateVolumeResponse volume) {
      String id = volume.getVolume().getVolumeId();
      if (!id.isEmpty()) {
        add(
            CsiOperation.DELETE_VOLUME,
            DeleteVolumeRequest.newBuilder()
                .setVolumeId(id)
                .putAllSecrets(secrets(CsiOperation.DELETE_VOLUME))
                .build(),
            "the volume " + SafeText.quote(id));
      }
    } else if (answer instanceof CreateSnapshotResponse created) {
      Snapshot snapshot = created.getSnapshot();
      if (!snapshot.getSnapshotId().isEmpty()) {
        add(
            CsiOperation.DELETE_SNAPSHOT,
            DeleteSnapshotRequest.newBuilder()
                .setSnapshotId(snapshot.getSnapshotId())
                .putAllSecrets(secrets(CsiOperation.DELETE_SNAPSHOT))
                .build(),
            "the snapshot " + SafeText.quote(snapshot.getSnapshotId()));
      }
    } else if (answer instanceof CreateVolumeGroupSnapshotResponse created) {
      VolumeGroupSnapshot group = created.getGroupSnapshot();
      if (!group.getGroupSnapshotId().isEmpty()) {
        add(
            CsiOperation.DELETE_VOLUME_GROUP_SNAPSHOT,
            DeleteVolumeGroupSnapshotRequest.newBuilder()
                .setGroupSnapshotId(group.getGroupSnapshotId())
                .addAllSnapshotIds(
                    group.getSnapshotsList().stream().map(Snapshot::getSnapshotId).toList())
                .putAllSecrets(secrets(CsiOperation.DELETE_VOLUME_GROUP_SNAPSHOT))
                .build(),
            "the group snapshot " + SafeText.quote(group.getGroupSnapshotId()));
      }
    }
  }

  private void attached(ControllerPublishVolumeRequest request) {
    add(
        CsiOperation.CONTROLLER_UNPUBLISH_VOLUME,
        ControllerUnpublishVolumeRequest.newBuilder()
            .setVolumeId(request.getVolumeId())
            .setNodeId(request.getNodeId())
            .putAllSecrets(secrets(CsiOperation.CONTROLLER_UNPUBLISH_VOLUME))
            .build(),
        "the volume "
            + SafeText.quote(request.getVolumeId())
            + " on the node "
            + SafeText.quote(request.getNodeId()));
  }

  private void staged(NodeStageVolumeRequest request) {
    add(
        CsiOperation.NODE_UNSTAGE_VOLUME,
        NodeUnstageVolumeRequest.newBuilder()
            .setVolumeId(request.getVolumeId())
            .setStagingTargetPath(request.getStagingTargetPath())
            .build(),
        "the volume " + SafeText.quote(request.getVolumeId()) + " at its staging path");
  }

  private void published(NodePublishVolumeRequest request) {
    add(
        CsiOperation.NODE_UNPUBLISH_VOLUME,
        NodeUnpublishVolumeRequest.newBuilder()
            .setVolumeId(request.getVolumeId())
            .setTargetPath(request.getTargetPath())
            .build(),
        "the volume " + SafeText.quote(request.getVolumeId()) + " at its target path");
  }

  private Map<String, String> secrets(CsiOperation operation) {
    return plugin.secrets(operation).reveal();
  }

  private void add(CsiOperation operation, Message request, String what) {
    if (!namesNothing(request)
        && undos.stream().noneMatch(each -> each.undoes(operation, request))) {
      undos.add(new Undo(operation, request, what));
    }
  }

  /** Whether a lawless call was about nothing that could be undone. */
  private static boolean namesNothing(Message undo) {
    return List.of("volume_id", "staging_target_path", "target_path").stream()
        .map(undo.getDescriptorForType()::findFieldByName)
        .anyMatch(field -> field != null && undo.getField(field).equals(""));
  }

  /** Undoes everything, the newest first; tells what could not be undone. */
  List<String> undo(Trial trial) {
    List<String> left = new ArrayList<>();
    boolean answers = true;
    while (!undos.isEmpty()) {
      Undo undo = undos.remove(undos.size() - 1);
      if (!answers) {
        left.add(undo.what() + ": not tried, as the plugin did not answer before.");
        continue;
      }
      Reply reply = trial.call(undo.operation(), undo.request());
      answers = !isLost(reply);
      boolean gone = reply.code() == StatusCode.NOT_FOUND;
      if (!reply.isOk() && !gone) {
        left.add(
            undo.what() + ": " + undo.operation().rpcName() + " ended with " + trial.shown(reply));
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
