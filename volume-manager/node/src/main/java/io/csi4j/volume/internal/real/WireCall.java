package io.csi4j.volume.internal.real;

import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.Secrets;
import io.csi4j.client.node.NodeExpandVolumeRequest;
import io.csi4j.client.node.NodeGetVolumeStatsRequest;
import io.csi4j.client.node.NodePublishVolumeRequest;
import io.csi4j.client.node.NodeService;
import io.csi4j.client.node.NodeStageVolumeRequest;
import io.csi4j.client.node.NodeUnpublishVolumeRequest;
import io.csi4j.client.node.NodeUnstageVolumeRequest;
import io.csi4j.volume.internal.port.NodeCall;
import io.csi4j.volume.model.PathView;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;

/** A call with the plugin's paths and with its secrets, ready to be sent. */
@FunctionalInterface
interface WireCall {

  /** Sends it. */
  CompletionStage<Optional<Object>> send(NodeService.Async node);

  /** The operation for which a call takes secrets. */
  static CsiOperation operation(NodeCall call) {
    if (call instanceof NodeCall.Stage) {
      return CsiOperation.NODE_STAGE_VOLUME;
    }
    return call instanceof NodeCall.Publish
        ? CsiOperation.NODE_PUBLISH_VOLUME
        : CsiOperation.NODE_EXPAND_VOLUME;
  }

  /**
   * Makes a call ready.
   *
   * @throws IllegalArgumentException if it has a path that the plugin does not see
   */
  static WireCall of(NodeCall call, PathView view, Secrets secrets) {
    if (call instanceof NodeCall.Stage stage) {
      return stage(stage, view, secrets);
    } else if (call instanceof NodeCall.Publish publish) {
      return publish(publish, view, secrets);
    } else if (call instanceof NodeCall.Unpublish unpublish) {
      NodeUnpublishVolumeRequest request =
          NodeUnpublishVolumeRequest.builder(unpublish.volume(), view.toPlugin(unpublish.target()))
              .build();
      return node -> node.unpublishVolume(request).thenApply(none -> Optional.empty());
    } else if (call instanceof NodeCall.Unstage unstage) {
      NodeUnstageVolumeRequest request =
          NodeUnstageVolumeRequest.builder(unstage.volume(), view.toPlugin(unstage.staging()))
              .build();
      return node -> node.unstageVolume(request).thenApply(none -> Optional.empty());
    } else if (call instanceof NodeCall.Expand expand) {
      return expand(expand, view, secrets);
    }
    return stats((NodeCall.Stats) call, view);
  }

  private static WireCall stage(NodeCall.Stage stage, PathView view, Secrets secrets) {
    NodeCall.Parcel parcel = stage.parcel();
    NodeStageVolumeRequest request =
        NodeStageVolumeRequest.builder(
                stage.volume(), view.toPlugin(stage.staging()), parcel.capability())
            .publishContext(parcel.publishContext())
            .volumeContext(parcel.volumeContext())
            .secrets(secrets)
            .build();
    return node -> node.stageVolume(request).thenApply(none -> Optional.empty());
  }

  private static WireCall publish(NodeCall.Publish publish, PathView view, Secrets secrets) {
    NodeCall.Parcel parcel = publish.parcel();
    NodePublishVolumeRequest.Builder request =
        NodePublishVolumeRequest.builder(
                publish.volume(), view.toPlugin(publish.target()), parcel.capability())
            .readonly(publish.readOnly())
            .publishContext(parcel.publishContext())
            .volumeContext(parcel.volumeContext())
            .secrets(secrets);
    publish.staging().map(view::toPlugin).ifPresent(request::stagingTargetPath);
    NodePublishVolumeRequest built = request.build();
    return node -> node.publishVolume(built).thenApply(none -> Optional.empty());
  }

  private static WireCall expand(NodeCall.Expand expand, PathView view, Secrets secrets) {
    NodeExpandVolumeRequest.Builder request =
        NodeExpandVolumeRequest.builder(expand.volume(), view.toPlugin(expand.target()))
            .capacityRange(expand.capacity());
    expand.staging().map(view::toPlugin).ifPresent(request::stagingTargetPath);
    expand.capability().ifPresent(request::capability);
    NodeExpandVolumeRequest built = withSecrets(request, secrets);
    return node ->
        node.expandVolume(built)
            .thenApply(
                grown -> {
                  OptionalLong bytes = grown.capacityBytes();
                  return bytes.isPresent() ? Optional.of(bytes.getAsLong()) : Optional.empty();
                });
  }

  private static NodeExpandVolumeRequest withSecrets(
      NodeExpandVolumeRequest.Builder request, Secrets secrets) {
    return secrets.equals(Secrets.empty()) ? request.build() : request.secrets(secrets).build();
  }

  private static WireCall stats(NodeCall.Stats stats, PathView view) {
    NodeGetVolumeStatsRequest.Builder request =
        NodeGetVolumeStatsRequest.builder(stats.volume(), view.toPlugin(stats.target()));
    stats.staging().map(view::toPlugin).ifPresent(request::stagingTargetPath);
    NodeGetVolumeStatsRequest built = request.build();
    return node -> node.getVolumeStats(built).thenApply(Optional::of);
  }
}
