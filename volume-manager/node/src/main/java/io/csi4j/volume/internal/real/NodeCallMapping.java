package io.csi4j.volume.internal.real;

import io.csi4j.client.model.Secrets;
import io.csi4j.client.node.NodeExpandVolumeRequest;
import io.csi4j.client.node.NodeGetStorageHealthRequest;
import io.csi4j.client.node.NodeGetVolumeHealthRequest;
import io.csi4j.client.node.NodeGetVolumeStatsRequest;
import io.csi4j.client.node.NodePublishVolumeRequest;
import io.csi4j.client.node.NodeService;
import io.csi4j.client.node.NodeStageVolumeRequest;
import io.csi4j.client.node.NodeUnpublishVolumeRequest;
import io.csi4j.client.node.NodeUnstageVolumeRequest;
import io.csi4j.volume.internal.path.PathView;
import io.csi4j.volume.internal.port.NodeCall;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/**
 * Maps the calls of the engine to requests of the client. Adds the paths as the plugin sees them,
 * and the secrets from the host. For a call to stage or publish, the {@linkplain
 * io.csi4j.volume.internal.record.Plan plan} of the volume maps the other arguments.
 */
final class NodeCallMapping {

  private NodeCallMapping() {}

  /**
   * Returns a call that is ready to be sent.
   *
   * @param secrets the secrets that the call's provider has returned
   * @throws IllegalArgumentException if a path of the call is not visible to the plugin
   */
  static Function<NodeService.Async, CompletionStage<Optional<Object>>> of(
      NodeCall call, PathView view, Secrets secrets) {
    if (call instanceof NodeCall.Stage stage) {
      NodeStageVolumeRequest request =
          stage
              .plan()
              .stage(stage.request(), view.toPlugin(stage.staging()))
              .secrets(secrets)
              .build();
      return node -> node.stageVolume(request).thenApply(none -> Optional.empty());
    } else if (call instanceof NodeCall.Publish publish) {
      NodePublishVolumeRequest request = publish(publish, view, secrets);
      return node -> node.publishVolume(request).thenApply(none -> Optional.empty());
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
      NodeExpandVolumeRequest request = expand(expand, view, secrets);
      return node ->
          node.expandVolume(request)
              .thenApply(
                  grown -> {
                    OptionalLong bytes = grown.capacityBytes();
                    return bytes.isPresent() ? Optional.of(bytes.getAsLong()) : Optional.empty();
                  });
    } else if (call instanceof NodeCall.Health health) {
      NodeGetVolumeHealthRequest request = health(health, view);
      return node -> node.getVolumeHealth(request).thenApply(Optional::of);
    } else if (call instanceof NodeCall.Storage) {
      NodeGetStorageHealthRequest request =
          NodeGetStorageHealthRequest.builder().secrets(secrets).build();
      return node -> node.getStorageHealth(request).thenApply(Optional::of);
    }
    NodeGetVolumeStatsRequest request =
        stats(
            call instanceof NodeCall.Condition condition
                ? condition.stats()
                : (NodeCall.Stats) call,
            view);
    return node -> node.getVolumeStats(request).thenApply(Optional::of);
  }

  private static NodePublishVolumeRequest publish(
      NodeCall.Publish publish, PathView view, Secrets secrets) {
    NodePublishVolumeRequest.Builder built =
        publish.plan().publish(publish.request(), view.toPlugin(publish.target())).secrets(secrets);
    publish.staging().map(view::toPlugin).ifPresent(built::stagingTargetPath);
    return built.build();
  }

  private static NodeExpandVolumeRequest expand(
      NodeCall.Expand expand, PathView view, Secrets secrets) {
    NodeExpandVolumeRequest.Builder built =
        NodeExpandVolumeRequest.builder(expand.volume(), view.toPlugin(expand.target()))
            .capacityRange(expand.request().capacity());
    expand.staging().map(view::toPlugin).ifPresent(built::stagingTargetPath);
    return secrets.equals(Secrets.empty()) ? built.build() : built.secrets(secrets).build();
  }

  private static NodeGetVolumeHealthRequest health(NodeCall.Health health, PathView view) {
    NodeGetVolumeHealthRequest.Builder built = NodeGetVolumeHealthRequest.builder(health.volume());
    health.target().map(view::toPlugin).ifPresent(built::volumePublishPath);
    health.staging().map(view::toPlugin).ifPresent(built::stagingTargetPath);
    return built.build();
  }

  private static NodeGetVolumeStatsRequest stats(NodeCall.Stats stats, PathView view) {
    NodeGetVolumeStatsRequest.Builder built =
        NodeGetVolumeStatsRequest.builder(stats.volume(), view.toPlugin(stats.target()));
    stats.staging().map(view::toPlugin).ifPresent(built::stagingTargetPath);
    return built.build();
  }
}
