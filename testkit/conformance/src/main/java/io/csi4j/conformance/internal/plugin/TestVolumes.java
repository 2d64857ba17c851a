package io.csi4j.conformance.internal.plugin;

import com.google.protobuf.MessageOrBuilder;
import io.csi4j.client.internal.proto.ControllerPublishVolumeResponse;
import io.csi4j.client.internal.proto.CreateVolumeResponse;
import io.csi4j.client.internal.proto.Volume;
import io.csi4j.client.internal.proto.VolumeCapability;
import io.csi4j.client.internal.proto.VolumeCapability.AccessMode.Mode;
import io.csi4j.client.model.StatusCode;

/**
 * Volumes for a case. A step before what the case is about ends it without a verdict if the plugin
 * refuses the step.
 */
final class TestVolumes {

  private TestVolumes() {}

  static Volume create(Trial t) {
    return t.prepared(() -> made(t, LawfulRequests.toCreate(t)));
  }

  /** The volume of this request, if the plugin makes it: what the case is about. */
  static Volume made(Trial t, MessageOrBuilder request) {
    return named(t, t.ok(request, CreateVolumeResponse.class));
  }

  /** The volume of this request, unless the plugin does not take what its description asks for. */
  static Volume taken(Trial t, MessageOrBuilder request) {
    return named(t, t.taken(request, CreateVolumeResponse.class));
  }

  static Volume named(Trial t, CreateVolumeResponse created) {
    t.check(
        !created.getVolume().getVolumeId().isEmpty(),
        "the answer to CreateVolume names the volume",
        "an empty volume_id");
    return created.getVolume();
  }

  static Volume deletedVolume(Trial t) {
    return deleted(t, create(t));
  }

  /** The volume, which is deleted. */
  static Volume deleted(Trial t, Volume volume) {
    t.prepare(LawfulRequests.toDelete(t, volume));
    return volume;
  }

  /** A volume to be used: that of the description, or a new one. */
  static Volume volume(Trial t) {
    return volume(t, LawfulRequests.capability(t));
  }

  /** A volume to be used like that. */
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

  /** The volume, which further requests of the case use like that. */
  static Volume usedAs(Trial t, VolumeCapability capability, Volume volume) {
    t.uses().put(volume.getVolumeId(), capability);
    return volume;
  }

  static Volume attachedVolume(Trial t) {
    return attached(t, volume(t));
  }

  /** The volume, which is attached if the plugin does so: later requests have its context. */
  static Volume attached(Trial t, Volume volume) {
    if (Need.ATTACH.met(t)) {
      var request = LawfulRequests.toAttach(t, volume);
      var answer = t.prepared(() -> t.ok(request, ControllerPublishVolumeResponse.class));
      t.publishContexts().put(volume.getVolumeId(), answer.getPublishContextMap());
    }
    return volume;
  }

  /** The volume, which is attached and staged as far as the plugin does so. */
  static Volume staged(Trial t, Volume volume) {
    attached(t, volume);
    if (Need.STAGING.met(t)) {
      t.prepare(LawfulRequests.toStage(t, volume));
    }
    return volume;
  }

  /** The volume, which is published after all that this takes. */
  static Volume published(Trial t, Volume volume) {
    t.prepare(LawfulRequests.toPublish(t, staged(t, volume)));
    return volume;
  }

  static Volume publishedVolume(Trial t) {
    return published(t, volume(t));
  }

  /**
   * A volume that is published in one of the newer modes; the capability for them stands for one or
   * both.
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
              Volume made = named(t, t.succeeded(reply, CreateVolumeResponse.class));
              return usedAs(t, capability, made);
            }));
  }
}
