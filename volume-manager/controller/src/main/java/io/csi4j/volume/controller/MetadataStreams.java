package io.csi4j.volume.controller;

import io.csi4j.client.metadata.BlockMetadataBatch;
import io.csi4j.client.metadata.SnapshotMetadataService;
import io.csi4j.client.model.CallPolicy;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.Secrets;
import io.csi4j.volume.internal.text.Subject;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.SecretsReference;
import java.util.Optional;
import java.util.concurrent.Flow;
import java.util.function.BiFunction;
import java.util.function.UnaryOperator;

/**
 * Streams of block metadata from a ready controller of a plugin.
 *
 * @param controllers the controllers of plugins
 * @param calls provides the secrets
 * @param policy the timeouts and retries of the calls
 */
record MetadataStreams(
    Controllers controllers, ControllerCalls calls, UnaryOperator<CallPolicy.Builder> policy) {

  /** Returns a stream that connects and requests its secrets at each subscription. */
  Flow.Publisher<BlockMetadataBatch> publisher(
      PluginId plugin,
      CsiOperation operation,
      Subject subject,
      Optional<SecretsReference> secrets,
      BiFunction<SnapshotMetadataService.Async, Secrets, Flow.Publisher<BlockMetadataBatch>> ask) {
    return subscriber ->
        controllers
            .connected(plugin, subject)
            .thenCombine(
                controllers.secrets(plugin, calls.secretsOf(secrets), operation, subject),
                (connected, given) ->
                    ask.apply(connected.snapshotMetadata().with(policy).async(), given))
            .whenComplete(
                (stream, failed) -> {
                  Told told = new Told(subject, subscriber);
                  if (failed == null) {
                    stream.subscribe(told);
                  } else {
                    told.onSubscribe(new Ended());
                    told.onError(failed);
                  }
                });
  }

  /** The subscription of a stream that has not begun. */
  private static final class Ended implements Flow.Subscription {

    @Override
    public void request(long batches) {}

    @Override
    public void cancel() {}
  }

  /** Converts failures to those of the controller. */
  private record Told(Subject subject, Flow.Subscriber<? super BlockMetadataBatch> to)
      implements Flow.Subscriber<BlockMetadataBatch> {

    @Override
    public void onSubscribe(Flow.Subscription subscription) {
      to.onSubscribe(subscription);
    }

    @Override
    public void onNext(BlockMetadataBatch batch) {
      to.onNext(batch);
    }

    @Override
    public void onError(Throwable failed) {
      to.onError(ControllerFailures.of(subject, failed));
    }

    @Override
    public void onComplete() {
      to.onComplete();
    }
  }
}
