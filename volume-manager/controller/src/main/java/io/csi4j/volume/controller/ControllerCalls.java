package io.csi4j.volume.controller;

import io.csi4j.client.controller.ControllerPublishVolumeRequest;
import io.csi4j.client.controller.ControllerPublishVolumeResult;
import io.csi4j.client.controller.ControllerUnpublishVolumeRequest;
import io.csi4j.client.controller.DeleteSnapshotRequest;
import io.csi4j.client.controller.DeleteVolumeRequest;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.NodeId;
import io.csi4j.client.model.PublishContext;
import io.csi4j.client.model.SnapshotId;
import io.csi4j.client.model.VolumeCapability;
import io.csi4j.client.model.VolumeContext;
import io.csi4j.volume.internal.text.Subject;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.SecretsProvider;
import io.csi4j.volume.model.VolumeIdentity;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;

/** The calls that need no more than a few ids. */
final class ControllerCalls {

  private ControllerCalls() {}

  /**
   * How a volume is attached to a node.
   *
   * @param node the node, as the plugin knows it
   * @param capability how the volume is used
   * @param readonly whether it may only be read there
   * @param context the volume's own context
   */
  public record Attaching(
      NodeId node, VolumeCapability capability, boolean readonly, VolumeContext context) {}

  /** Attaches a volume to a node. */
  public static ControllerCall<PublishContext> publish(
      VolumeIdentity volume, Attaching how, SecretsProvider provider) {
    return new ControllerCall<>(
        volume.plugin(),
        CsiOperation.CONTROLLER_PUBLISH_VOLUME,
        onNode("attaching", volume, how.node()),
        lanes(
            VolumeLane.of(volume.plugin(), volume.handle()),
            VolumeLane.of(volume.plugin(), how.node())),
        provider,
        (services, secrets) ->
            services
                .controller()
                .publishVolume(
                    ControllerPublishVolumeRequest.builder(
                            volume.handle(), how.node(), how.capability())
                        .readonly(how.readonly())
                        .volumeContext(how.context())
                        .secrets(secrets)
                        .build())
                .thenApply(ControllerPublishVolumeResult::publishContext));
  }

  /** Detaches a volume from a node. */
  public static ControllerCall<Done> unpublish(
      VolumeIdentity volume, NodeId node, SecretsProvider provider) {
    return new ControllerCall<>(
        volume.plugin(),
        CsiOperation.CONTROLLER_UNPUBLISH_VOLUME,
        onNode("detaching", volume, node),
        lanes(
            VolumeLane.of(volume.plugin(), volume.handle()), VolumeLane.of(volume.plugin(), node)),
        provider,
        (services, secrets) ->
            services
                .controller()
                .unpublishVolume(
                    ControllerUnpublishVolumeRequest.builder(volume.handle(), node)
                        .secrets(secrets)
                        .build())
                .thenApply(none -> Done.DONE));
  }

  /** Deletes a volume. */
  static ControllerCall<Done> delete(VolumeIdentity volume, SecretsProvider provider) {
    return new ControllerCall<>(
        volume.plugin(),
        CsiOperation.DELETE_VOLUME,
        Subject.of("deleting", volume),
        lanes(VolumeLane.of(volume.plugin(), volume.handle())),
        provider,
        (services, secrets) ->
            services
                .controller()
                .deleteVolume(DeleteVolumeRequest.builder(volume.handle()).secrets(secrets).build())
                .thenApply(none -> Done.DONE));
  }

  /** Deletes a snapshot that belongs to no group. */
  static ControllerCall<Done> delete(
      PluginId plugin, SnapshotId snapshot, SecretsProvider provider) {
    return new ControllerCall<>(
        plugin,
        CsiOperation.DELETE_SNAPSHOT,
        about("deleting snapshot", snapshot.value(), plugin),
        lanes(VolumeLane.of(plugin, snapshot)),
        provider,
        (services, secrets) ->
            services
                .controller()
                .deleteSnapshot(DeleteSnapshotRequest.builder(snapshot).secrets(secrets).build())
                .thenApply(none -> Done.DONE));
  }

  /** As in {@code deleting snapshot 'snap-1' of plugin 'p'}. */
  static Subject about(String doing, String what, PluginId plugin) {
    return Subject.of(doing + " '" + what + "' of plugin '" + plugin + "'");
  }

  private static Subject onNode(String doing, VolumeIdentity volume, NodeId node) {
    return Subject.of(
        doing
            + " volume '"
            + volume.handle()
            + "' of plugin '"
            + volume.plugin()
            + (doing.startsWith("d") ? "' from" : "' to")
            + " node '"
            + node
            + "'");
  }

  static SortedSet<VolumeLane> lanes(VolumeLane... lanes) {
    return new TreeSet<>(Set.of(lanes));
  }
}
