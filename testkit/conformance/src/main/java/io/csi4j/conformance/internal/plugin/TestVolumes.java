package io.csi4j.conformance.internal.plugin;

import com.google.protobuf.MessageOrBuilder;
import io.csi4j.client.internal.proto.ControllerPublishVolumeResponse;
import io.csi4j.client.internal.proto.CreateVolumeResponse;
import io.csi4j.client.internal.proto.NodePublishVolumeRequest;
import io.csi4j.client.internal.proto.Volume;
import io.csi4j.client.internal.proto.VolumeCapability;
import java.util.Map;

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
    return t.prepared(
        () -> {
          t.ok(LawfulRequests.toDelete(t, volume));
          return volume;
        });
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

  /** Attaches the volume if the plugin does so; the publish context. */
  static Map<String, String> attach(Trial t, Volume volume) {
    return Need.ATTACH.met(t)
        ? t.prepared(
            () ->
                t.ok(LawfulRequests.toAttach(t, volume), ControllerPublishVolumeResponse.class)
                    .getPublishContextMap())
        : Map.of();
  }

  static Volume attachedVolume(Trial t) {
    return attached(t, volume(t));
  }

  /** The volume, which is attached if the plugin does so. */
  static Volume attached(Trial t, Volume volume) {
    attach(t, volume);
    return volume;
  }

  /** Attaches and stages the volume, as far as the plugin does so; the publish context. */
  static Map<String, String> stage(Trial t, Volume volume) {
    Map<String, String> context = attach(t, volume);
    if (Need.STAGING.met(t)) {
      t.prepare(LawfulRequests.toStage(t, volume, context));
    }
    return context;
  }

  /** A request to publish the volume, for which all is prepared. */
  static NodePublishVolumeRequest.Builder staged(Trial t, Volume volume) {
    return LawfulRequests.toPublish(t, volume, stage(t, volume));
  }

  /** All that it takes to publish the volume; the last request. */
  static NodePublishVolumeRequest publish(Trial t, Volume volume) {
    NodePublishVolumeRequest request = staged(t, volume).build();
    t.prepare(request);
    return request;
  }

  /** A new volume to be used, published. */
  static Volume publishedVolume(Trial t) {
    Volume volume = volume(t);
    publish(t, volume);
    return volume;
  }
}
