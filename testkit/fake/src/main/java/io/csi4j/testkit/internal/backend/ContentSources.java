package io.csi4j.testkit.internal.backend;

import io.csi4j.client.controller.ControllerCapability;
import io.csi4j.client.internal.proto.CreateVolumeRequest;
import io.csi4j.client.internal.proto.VolumeCapability;
import io.csi4j.client.internal.proto.VolumeContentSource;
import io.csi4j.client.internal.text.SafeText;
import io.csi4j.testkit.internal.backend.Flights.Thing;
import io.csi4j.testkit.internal.backend.State.StoredSnapshot;
import io.csi4j.testkit.internal.backend.State.StoredVolume;
import io.csi4j.testkit.model.PluginShape;
import java.util.List;
import java.util.Optional;

/** The sources that new volumes are filled from. */
final class ContentSources {

  private final BackendParts ground;

  ContentSources(BackendParts ground) {
    this.ground = ground;
  }

  /** Returns what is held while it is copied. */
  static Optional<Thing> thing(VolumeContentSource source) {
    return switch (source.getTypeCase()) {
      case SNAPSHOT -> Optional.of(Thing.snapshot(source.getSnapshot().getSnapshotId()));
      case VOLUME -> Optional.of(Thing.volume(source.getVolume().getVolumeId()));
      case TYPE_NOT_SET -> Optional.empty();
    };
  }

  /** Refuses a kind of source that the plugin does not offer. */
  void check(PluginShape shape, CreateVolumeRequest request) throws Refusal {
    VolumeContentSource source = request.getVolumeContentSource();
    if (source.hasSnapshot() && !shape.offers(ControllerCapability.CREATE_DELETE_SNAPSHOT)) {
      throw Refusal.invalid(
          "volume_content_source.snapshot",
          "needs the capability CREATE_DELETE_SNAPSHOT. Create the volume without it.");
    }
    if (source.hasVolume() && !shape.offers(ControllerCapability.CLONE_VOLUME)) {
      throw Refusal.invalid(
          "volume_content_source.volume",
          "needs the capability CLONE_VOLUME. Create the volume without it.");
    }
  }

  /** How much the source holds; 0 without a source. */
  long size(PluginShape shape, CreateVolumeRequest request) throws Refusal {
    VolumeContentSource source = request.getVolumeContentSource();
    if (source.hasSnapshot()) {
      return snapshot(source.getSnapshot().getSnapshotId(), request);
    }
    if (source.hasVolume()) {
      StoredVolume volume =
          ground.volume("volume_content_source.volume.volume_id", source.getVolume().getVolumeId());
      fits(volume, request.getVolumeCapabilitiesList());
      return volume.volume().getCapacityBytes();
    }
    return 0;
  }

  private long snapshot(String id, CreateVolumeRequest request) throws Refusal {
    StoredSnapshot snapshot = ground.now().snapshots().get(id);
    if (snapshot == null) {
      throw Refusal.notFound("volume_content_source.snapshot.snapshot_id", id);
    }
    if (!SnapshotService.ready(ground, snapshot.snapshot())) {
      throw Refusal.precondition(
          "Snapshot "
              + SafeText.quote(id)
              + " is not ready to use. Wait until ready_to_use is true, then call again.");
    }
    StoredVolume from = ground.now().volumes().get(snapshot.snapshot().getSourceVolumeId());
    if (from != null) {
      fits(from, request.getVolumeCapabilitiesList());
    }
    return snapshot.snapshot().getSizeBytes();
  }

  /** A device is no filesystem: what is copied stays what it was. */
  private static void fits(StoredVolume source, List<VolumeCapability> wanted) throws Refusal {
    List<VolumeCapability> made = source.asked().getVolumeCapabilitiesList();
    boolean common =
        made.isEmpty()
            || wanted.stream()
                .anyMatch(
                    capability ->
                        made.stream().anyMatch(had -> had.hasBlock() == capability.hasBlock()));
    if (!common) {
      throw Refusal.invalid(
          "volume_content_source",
          "is a "
              + (made.get(0).hasBlock() ? "block device" : "filesystem")
              + ", and volume_capabilities ask for the other. Ask for the same access type.");
    }
  }
}
