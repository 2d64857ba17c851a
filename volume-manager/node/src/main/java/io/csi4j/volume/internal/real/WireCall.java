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
import io.csi4j.volume.model.SecretsProvider;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;

/** A call with the plugin's paths and with its secrets, ready to be sent. */
@FunctionalInterface
interface WireCall {

  /** Sends it. */
  CompletionStage<Optional<Object>> send(NodeService.Async node);

  /** Secrets that the host's provider did not give. */
  final class NoSecretsException extends Exception {
    private static final long serialVersionUID = 1L;

    NoSecretsException(String message) {
      super(message);
    }
  }

  /**
   * Makes a call ready; asks for its secrets on this thread.
   *
   * @throws IllegalArgumentException if it has a path that the plugin does not see
   */
  static WireCall of(NodeCall call, PathView view) throws NoSecretsException {
    if (call instanceof NodeCall.Stage stage) {
      return stage(stage, view);
    } else if (call instanceof NodeCall.Publish publish) {
      return publish(publish, view);
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
      return expand(expand, view);
    }
    return stats((NodeCall.Stats) call, view);
  }

  private static WireCall stage(NodeCall.Stage stage, PathView view) throws NoSecretsException {
    NodeCall.Parcel parcel = stage.parcel();
    NodeStageVolumeRequest request =
        NodeStageVolumeRequest.builder(
                stage.volume(), view.toPlugin(stage.staging()), parcel.capability())
            .publishContext(parcel.publishContext())
            .volumeContext(parcel.volumeContext())
            .secrets(secrets(parcel.secrets(), CsiOperation.NODE_STAGE_VOLUME))
            .build();
    return node -> node.stageVolume(request).thenApply(none -> Optional.empty());
  }

  private static WireCall publish(NodeCall.Publish publish, PathView view)
      throws NoSecretsException {
    NodeCall.Parcel parcel = publish.parcel();
    NodePublishVolumeRequest.Builder request =
        NodePublishVolumeRequest.builder(
                publish.volume(), view.toPlugin(publish.target()), parcel.capability())
            .readonly(publish.readOnly())
            .publishContext(parcel.publishContext())
            .volumeContext(parcel.volumeContext())
            .secrets(secrets(parcel.secrets(), CsiOperation.NODE_PUBLISH_VOLUME));
    publish.staging().map(view::toPlugin).ifPresent(request::stagingTargetPath);
    NodePublishVolumeRequest built = request.build();
    return node -> node.publishVolume(built).thenApply(none -> Optional.empty());
  }

  private static WireCall expand(NodeCall.Expand expand, PathView view) throws NoSecretsException {
    NodeExpandVolumeRequest.Builder request =
        NodeExpandVolumeRequest.builder(expand.volume(), view.toPlugin(expand.target()))
            .capacityRange(expand.capacity());
    expand.staging().map(view::toPlugin).ifPresent(request::stagingTargetPath);
    expand.capability().ifPresent(request::capability);
    NodeExpandVolumeRequest built =
        withSecrets(request, secrets(expand.secrets(), CsiOperation.NODE_EXPAND_VOLUME));
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

  private static Secrets secrets(SecretsProvider provider, CsiOperation operation)
      throws NoSecretsException {
    Secrets secrets;
    try {
      secrets = provider.secretsFor(operation);
    } catch (RuntimeException | Error failed) {
      // Its message is the host's, and could hold what nobody may read.
      throw new NoSecretsException(
          "the host's provider of secrets failed with " + failed.getClass().getName());
    }
    if (secrets == null) {
      throw new NoSecretsException("the host's provider of secrets gave null");
    }
    return secrets;
  }
}
