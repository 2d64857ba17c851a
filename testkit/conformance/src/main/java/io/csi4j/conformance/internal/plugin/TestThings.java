package io.csi4j.conformance.internal.plugin;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import com.google.protobuf.MessageOrBuilder;
import io.csi4j.client.internal.proto.ControllerPublishVolumeResponse;
import io.csi4j.client.internal.proto.CreateSnapshotResponse;
import io.csi4j.client.internal.proto.CreateVolumeResponse;
import io.csi4j.client.internal.proto.Snapshot;
import io.csi4j.client.internal.proto.Volume;
import io.csi4j.client.internal.proto.VolumeCapability;
import io.csi4j.client.internal.proto.VolumeCapability.AccessMode.Mode;
import io.csi4j.client.internal.proto.VolumeGroupSnapshot;
import io.csi4j.client.model.StatusCode;
import io.csi4j.testkit.internal.journal.ProtoMessage;

/**
 * Creates volumes, snapshots and groups for a case. If the plugin refuses a preparation step, the
 * case ends without a verdict.
 */
final class TestThings {

  private TestThings() {}

  static Volume create(Trial t) {
    return t.prepared(() -> made(t, LawfulRequests.toCreate(t)));
  }

  /**
   * Creates a volume with this request as the tested step. The case fails if the plugin refuses the
   * request.
   */
  static Volume made(Trial t, MessageOrBuilder request) {
    return (Volume) named(t, t.ok(request, CreateVolumeResponse.class));
  }

  /**
   * Creates a volume with this request. If the plugin does not accept the values in its
   * description, the case ends without a verdict.
   */
  static Volume taken(Trial t, MessageOrBuilder request) {
    return (Volume) named(t, t.taken(request, CreateVolumeResponse.class));
  }

  /**
   * Returns the created object from the answer. The object is the only field of the answer, and
   * must have an id.
   */
  static Message named(Trial t, Message created) {
    Descriptor type = created.getDescriptorForType();
    FieldDescriptor kind = type.getFields().get(0);
    Message thing = (Message) created.getField(kind);
    t.check(
        !new ProtoMessage(thing).text(kind.getName() + "_id").isEmpty(),
        "the answer to %s names the %s"
            .formatted(type.getName().replace("Response", ""), kind.getName().replace('_', ' ')),
        "an empty " + kind.getName() + "_id");
    return thing;
  }

  static Volume deletedVolume(Trial t) {
    return deleted(t, create(t));
  }

  /** Deletes the volume and returns it. */
  static Volume deleted(Trial t, Volume volume) {
    t.prepare(LawfulRequests.toDelete(t, volume));
    return volume;
  }

  /**
   * Returns a volume for the case: the existing volume in the description, or else a new volume.
   */
  static Volume volume(Trial t) {
    return volume(t, LawfulRequests.capability(t));
  }

  /** Returns a volume that the case uses with this capability. */
  static Volume volume(Trial t, VolumeCapability capability) {
    if (t.plugin().existingVolume().isEmpty()) {
      var request = LawfulRequests.toCreate(t).setVolumeCapabilities(0, capability);
      return t.prepared(() -> usedAs(t, capability, made(t, request)));
    }
    Volume existing =
        Volume.newBuilder()
            .setVolumeId(t.plugin().existingVolume().orElseThrow().value())
            .putAllVolumeContext(t.plugin().existingContext().reveal())
            .build();
    return usedAs(t, capability, existing);
  }

  /**
   * Sets the capability with which later requests of the case use the volume, and returns the
   * volume.
   */
  static Volume usedAs(Trial t, VolumeCapability capability, Volume volume) {
    t.uses().put(volume.getVolumeId(), capability);
    return volume;
  }

  static Volume attachedVolume(Trial t) {
    return attached(t, volume(t));
  }

  /**
   * Attaches the volume, if the plugin supports attaching, and returns the volume. Later requests
   * contain the publish context of the volume.
   */
  static Volume attached(Trial t, Volume volume) {
    if (Need.ATTACH.met(t)) {
      var request = LawfulRequests.toAttach(t, volume);
      var answer = t.prepared(() -> t.ok(request, ControllerPublishVolumeResponse.class));
      t.publishContexts().put(volume.getVolumeId(), answer.getPublishContextMap());
    }
    return volume;
  }

  /**
   * Attaches and stages the volume, as far as the plugin supports these steps, and returns the
   * volume.
   */
  static Volume staged(Trial t, Volume volume) {
    attached(t, volume);
    if (Need.STAGING.met(t)) {
      t.prepare(LawfulRequests.toStage(t, volume));
    }
    return volume;
  }

  /** Publishes the volume after all required steps, and returns the volume. */
  static Volume published(Trial t, Volume volume) {
    t.prepare(LawfulRequests.toPublish(t, staged(t, volume)));
    return volume;
  }

  static Volume publishedVolume(Trial t) {
    return published(t, volume(t));
  }

  /**
   * Returns a volume that is published in one of the newer access modes. A plugin may support only
   * one of these modes.
   */
  static Volume publishedInMode(Trial t, Mode mode) {
    VolumeCapability capability = LawfulRequests.inMode(LawfulRequests.capability(t), mode);
    var request = LawfulRequests.toCreate(t).setVolumeCapabilities(0, capability);
    return published(
        t,
        t.prepared(
            () -> {
              Reply reply = t.call(request);
              if (reply.code() == StatusCode.INVALID_ARGUMENT
                  || reply.code() == StatusCode.FAILED_PRECONDITION) {
                throw CaseEndedException.skipped("the plugin makes no volumes of mode " + mode);
              }
              Volume made = (Volume) named(t, t.succeeded(reply, CreateVolumeResponse.class));
              return usedAs(t, capability, made);
            }));
  }

  /** Creates a snapshot, and returns it when it is ready to use. */
  static Snapshot snapshot(Trial t, Volume volume) {
    return (Snapshot) ready(t, LawfulRequests.toSnapshot(t, volume));
  }

  /**
   * Creates a snapshot or group snapshot with this request, and returns it when it is ready to use.
   */
  static Message ready(Trial t, MessageOrBuilder request) {
    Message same = Trial.built(request);
    return t.prepared(
        () -> {
          Pause pause = new Pause(t.plugin().deadline());
          Message cut = named(t, t.ok(same, Message.class));
          while (!new ProtoMessage(cut).flag("ready_to_use")) {
            checkAgain(t, pause);
            cut = named(t, repeated(t, same, false, Message.class));
          }
          return cut;
        });
  }

  /**
   * Repeats a request for snapshots, and returns the answer. The plugin may answer ABORTED until
   * the snapshots are ready.
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

  /** Waits for a moment. Ends the case if a snapshot has not become ready in time. */
  private static void checkAgain(Trial t, Pause pause) {
    if (!pause.again()) {
      throw CaseEndedException.notRun(
          "a snapshot was not ready to use within " + t.plugin().deadline().toSeconds() + " s");
    }
  }

  /**
   * Creates a snapshot with this request as the tested step. The case fails if the plugin refuses
   * the request.
   */
  static Snapshot cut(Trial t, MessageOrBuilder request) {
    return (Snapshot) named(t, t.ok(request, CreateSnapshotResponse.class));
  }

  static Snapshot deletedSnapshot(Trial t) {
    Snapshot snapshot = snapshot(t, create(t));
    t.prepare(LawfulRequests.toDeleteSnapshot(t, snapshot));
    return snapshot;
  }

  static VolumeGroupSnapshot group(Trial t) {
    var request = LawfulRequests.toGroup(t, create(t));
    return (VolumeGroupSnapshot) t.prepared(() -> named(t, t.ok(request, Message.class)));
  }

  static VolumeGroupSnapshot deletedGroup(Trial t) {
    VolumeGroupSnapshot group = group(t);
    t.prepare(LawfulRequests.toDeleteGroup(t, group));
    return group;
  }
}
