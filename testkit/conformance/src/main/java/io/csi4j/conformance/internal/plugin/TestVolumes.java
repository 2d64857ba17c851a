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
      return t.prepared(
          () ->
              made(
                  t,
                  LawfulRequests.toCreate(t)
                      .clearVolumeCapabilities()
                      .addVolumeCapabilities(capability)));
    }
    return Volume.newBuilder()
        .setVolumeId(t.plugin().existingVolume().orElseThrow().value())
        .putAllVolumeContext(t.plugin().existingContext().reveal())
        .build();
  }

  /** Attaches the volume if the plugin does so; the publish context. */
  static Map<String, String> attach(Trial t, Volume volume, VolumeCapability capability) {
    return Need.ATTACH.met(t)
        ? t.prepared(
            () ->
                t.ok(
                        LawfulRequests.toAttach(t, volume).setVolumeCapability(capability),
                        ControllerPublishVolumeResponse.class)
                    .getPublishContextMap())
        : Map.of();
  }

  static Map<String, String> attach(Trial t, Volume volume) {
    return attach(t, volume, LawfulRequests.capability(t));
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
  static Map<String, String> stage(Trial t, Volume volume, VolumeCapability capability) {
    Map<String, String> context = attach(t, volume, capability);
    if (Need.STAGING.met(t)) {
      t.prepare(LawfulRequests.toStage(t, volume, context).setVolumeCapability(capability));
    }
    return context;
  }

  static Map<String, String> stage(Trial t, Volume volume) {
    return stage(t, volume, LawfulRequests.capability(t));
  }

  /** A request to publish the volume, for which all is prepared. */
  static NodePublishVolumeRequest.Builder staged(
      Trial t, Volume volume, VolumeCapability capability) {
    return LawfulRequests.toPublish(t, volume, stage(t, volume, capability))
        .setVolumeCapability(capability);
  }

  /** All that it takes to publish the volume; the last request. */
  static NodePublishVolumeRequest publish(Trial t, Volume volume, VolumeCapability capability) {
    NodePublishVolumeRequest request = staged(t, volume, capability).build();
    t.prepare(request);
    return request;
  }

  static NodePublishVolumeRequest publish(Trial t, Volume volume) {
    return publish(t, volume, LawfulRequests.capability(t));
  }

  /** A new volume to be used, published. */
  static Volume publishedVolume(Trial t) {
    Volume volume = volume(t);
    publish(t, volume);
    return volume;
  }
}
