package io.csi4j.conformance.internal.plugin;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import io.csi4j.client.internal.proto.DeleteSnapshotRequest;
import io.csi4j.client.internal.proto.DeleteVolumeGroupSnapshotRequest;
import io.csi4j.client.internal.proto.NodeUnpublishVolumeRequest;
import io.csi4j.client.internal.proto.NodeUnstageVolumeRequest;
import io.csi4j.client.internal.text.SafeText;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.StatusCode;
import io.csi4j.testkit.internal.journal.ProtoMessage;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The effects of calls that no later call has undone, oldest first. This class derives the effects
 * only from the requests and their answers.
 */
final class TrialLeftovers {

  private static final int MOST_ROUNDS = 12;

  private static final Map<CsiOperation, CsiOperation> DELETIONS =
      Map.of(
          CsiOperation.CREATE_VOLUME, CsiOperation.DELETE_VOLUME,
          CsiOperation.CREATE_SNAPSHOT, CsiOperation.DELETE_SNAPSHOT,
          CsiOperation.CREATE_VOLUME_GROUP_SNAPSHOT, CsiOperation.DELETE_VOLUME_GROUP_SNAPSHOT);

  private static final Map<CsiOperation, CsiOperation> RELEASES =
      Map.of(
          CsiOperation.CONTROLLER_PUBLISH_VOLUME, CsiOperation.CONTROLLER_UNPUBLISH_VOLUME,
          CsiOperation.NODE_STAGE_VOLUME, CsiOperation.NODE_UNSTAGE_VOLUME,
          CsiOperation.NODE_PUBLISH_VOLUME, CsiOperation.NODE_UNPUBLISH_VOLUME);

  private final Trial trial;
  private final List<Undo> undos = new ArrayList<>();
  private final List<Undo> begun = new ArrayList<>();

  /** For each successful creation, the request that deletes its result. */
  private final Map<Message, Undo> deletions = new HashMap<>();

  TrialLeftovers(Trial trial) {
    this.trial = trial;
  }

  /**
   * A request that undoes an effect.
   *
   * @param request the call that undoes the effect; or, if the object's id is not known, the
   *     creation, whose repetition returns the object to delete
   * @param denied whether the plugin answered the creation with an error, and may have created
   *     nothing
   */
  private record Undo(Message request, String what, boolean denied) {
    Undo(Message request, String what) {
      this(request, what, false);
    }

    /**
     * Returns whether a call undoes the same effect. The call must name the same object. It may
     * omit the node, and so name every node.
     */
    boolean undoes(Message by) {
      if (request.getClass() != by.getClass() || isCreation(by)) {
        return request.equals(by);
      }
      return by.getDescriptorForType().getFields().stream()
          .filter(field -> !field.isRepeated())
          .allMatch(
              field ->
                  by.getField(field).equals(request.getField(field))
                      || (field.getName().equals("node_id") && by.getField(field).equals("")));
    }
  }

  private static String text(Message message, String field) {
    return new ProtoMessage(message).text(field);
  }

  /**
   * Records the possible effect of a call before the call is sent, because the run may end during
   * the call.
   *
   * @throws UncheckedIOException if the effect cannot be recorded; the call must then not be sent
   */
  void begin(Message request) {
    Optional<Undo> next =
        isCreation(request)
            ? Optional.of(new Undo(request, ""))
            : use(request).filter(each -> !namesNothing(each.request()));
    if (next.isEmpty()) {
      return;
    }
    begun.add(next.get());
    try {
      trial.remember();
    } catch (UncheckedIOException e) {
      begun.remove(begun.size() - 1);
      throw e;
    }
  }

  private static boolean isCreation(Message request) {
    return DELETIONS.containsKey(RawPlugin.operation(request));
  }

  /** Records the effect of a call after the call has ended. */
  void note(Message request, Reply reply) {
    boolean noted = !begun.isEmpty() || !undos.isEmpty();
    begun.clear();
    if (reply.isOk()) {
      undone(request);
      if (isCreation(request)) {
        for (Message answer : reply.messages()) {
          Undo undo = deletion(request, answer);
          add(undo);
          deletions.put(request, undo);
        }
      }
    } else if (reply.isUncertain() && isCreation(request) && !isMade(request)) {
      String what = "what " + RawPlugin.operation(request).rpcName() + " may have created";
      add(new Undo(request, what, !isLost(reply)));
    }
    if (reply.isOk() || reply.isUncertain()) {
      use(request).ifPresent(this::add);
    }
    if (noted) {
      try {
        trial.remember();
      } catch (UncheckedIOException e) {
        // The ledger already lists all these effects since before the call, so this failure is
        // ignored. The next call that creates an object will fail for the same reason.
      }
    }
  }

  private void undone(Message request) {
    undos.removeIf(each -> each.undoes(request));
    if (request instanceof DeleteVolumeGroupSnapshotRequest group) {
      for (String id : group.getSnapshotIdsList()) {
        Message member = DeleteSnapshotRequest.newBuilder().setSnapshotId(id).build();
        undos.removeIf(each -> each.undoes(member));
      }
    }
  }

  /**
   * Returns whether an equal request has already created an object that is known and still exists.
   */
  private boolean isMade(Message creation) {
    Undo deletion = deletions.get(creation);
    return deletion != null && undos.stream().anyMatch(each -> each.undoes(deletion.request()));
  }

  /**
   * Returns the request that deletes the object in the answer to a creation. The object is the only
   * field of the answer.
   */
  private Undo deletion(Message creation, Message answer) {
    FieldDescriptor field = answer.getDescriptorForType().getFields().get(0);
    Message thing = (Message) answer.getField(field);
    String id = text(thing, field.getName() + "_id");
    Message undo = undo(DELETIONS, creation);
    return new Undo(
        LawfulRequests.to(trial, undo.toBuilder(), thing).build(),
        "the " + field.getName().replace('_', ' ') + " " + SafeText.quote(id));
  }

  private static Message undo(Map<CsiOperation, CsiOperation> undos, Message request) {
    return RawPlugin.request(Objects.requireNonNull(undos.get(RawPlugin.operation(request))));
  }

  /** Returns the request that ends the use of a volume that this request began. */
  private Optional<Undo> use(Message request) {
    if (!RELEASES.containsKey(RawPlugin.operation(request))) {
      return Optional.empty();
    }
    String where =
        switch (RawPlugin.operation(request)) {
          case CONTROLLER_PUBLISH_VOLUME ->
              "on the node " + SafeText.quote(text(request, "node_id"));
          case NODE_STAGE_VOLUME -> "at its staging path";
          default -> "at its target path";
        };
    return Optional.of(
        new Undo(
            LawfulRequests.undo(trial, request, undo(RELEASES, request)),
            "the volume " + SafeText.quote(text(request, "volume_id")) + " " + where));
  }

  /** Returns whether the answer was lost. The plugin may still be working on such a call. */
  private static boolean isLost(Reply reply) {
    return reply.code() == StatusCode.DEADLINE_EXCEEDED || reply.code() == StatusCode.UNAVAILABLE;
  }

  private void add(Undo undo) {
    if (!namesNothing(undo.request())
        && undos.stream().noneMatch(each -> each.undoes(undo.request()))) {
      undos.add(undo);
    }
  }

  /** Returns whether a request names no object, because it was derived from an invalid call. */
  private static boolean namesNothing(Message undo) {
    return List.of(
            "volume_id", "staging_target_path", "target_path", "snapshot_id", "group_snapshot_id")
        .stream()
        .map(undo.getDescriptorForType()::findFieldByName)
        .anyMatch(field -> field != null && undo.getField(field).equals(""));
  }

  /**
   * Undoes all effects, newest first, in several rounds if necessary. Returns the effects that
   * remain.
   */
  List<String> undo() {
    Map<Undo, String> why = new LinkedHashMap<>();
    boolean answers = true;
    boolean progress = true;
    for (int round = 0; answers && progress && round < MOST_ROUNDS; round++) {
      progress = false;
      List<Undo> newestFirst = new ArrayList<>(undos);
      Collections.reverse(newestFirst);
      for (Undo each : newestFirst) {
        if (!answers || !undos.contains(each)) {
          continue;
        }
        int mounts = mounts(each);
        Reply reply;
        try {
          reply = trial.undo(each.request());
        } catch (UncheckedIOException e) {
          why.put(each, String.valueOf(e.getMessage()));
          continue;
        }
        answers = !trial.isSilent(each.request(), reply);
        if (reply.isOk() || reply.code() == StatusCode.NOT_FOUND || isDeniedAgain(each, reply)) {
          progress |= settle(each, mounts, why);
        } else {
          why.put(
              each,
              RawPlugin.operation(each.request()).rpcName() + " ended with " + trial.shown(reply));
        }
      }
    }
    List<String> left = new ArrayList<>();
    for (Undo each : undos) {
      left.add(
          "%s: %s"
              .formatted(
                  each.what(),
                  why.getOrDefault(each, "not tried, because the plugin did not answer before.")));
    }
    return left;
  }

  /**
   * Returns whether a repeated creation ended with an error again. ABORTED does not count, because
   * the plugin is then still working on the creation.
   */
  private static boolean isDeniedAgain(Undo creation, Reply reply) {
    return creation.denied() && !isLost(reply) && reply.code() != StatusCode.ABORTED;
  }

  /**
   * Removes a successful undo from the list, unless a mount still exists. Returns whether any
   * progress was made.
   */
  private boolean settle(Undo undo, int mountsBefore, Map<Undo, String> why) {
    int mounts = mounts(undo);
    if (mounts == 0) {
      undos.removeIf(each -> each.undoes(undo.request()));
      why.remove(undo);
      return true;
    }
    add(undo);
    why.put(
        undo,
        "%s ended with OK, and %s still there."
            .formatted(
                RawPlugin.operation(undo.request()).rpcName(),
                mounts == 1 ? "a mount is" : mounts + " mounts are"));
    return mounts < mountsBefore;
  }

  private int mounts(Undo undo) {
    if (undo.request() instanceof NodeUnpublishVolumeRequest request) {
      return trial.mountsAt(request.getTargetPath());
    }
    if (undo.request() instanceof NodeUnstageVolumeRequest request) {
      return trial.mountsAt(request.getStagingTargetPath());
    }
    return 0;
  }

  /** Adds an effect that an earlier run left behind. */
  void takeOver(Message undo) {
    add(new Undo(undo, "what " + RawPlugin.operation(undo).rpcName() + " undoes"));
  }

  /** Returns the requests that undo all certain and possible effects. */
  List<Message> owed() {
    return Stream.concat(undos.stream(), begun.stream()).map(Undo::request).toList();
  }

  List<String> kept() {
    return undos.stream().map(each -> each.what() + ": kept for inspection.").toList();
  }
}
