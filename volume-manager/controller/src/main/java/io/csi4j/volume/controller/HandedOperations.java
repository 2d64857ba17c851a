package io.csi4j.volume.controller;

import io.csi4j.client.controller.Capacity;
import io.csi4j.client.controller.Snapshot;
import io.csi4j.client.controller.VolumeEntry;
import io.csi4j.client.group.VolumeGroupSnapshot;
import io.csi4j.client.model.CapacityRange;
import io.csi4j.client.model.Topology;
import io.csi4j.volume.catalog.CatalogVolume;
import io.csi4j.volume.catalog.VolumeSpec;
import io.csi4j.volume.internal.time.Unwrapped;
import io.csi4j.volume.model.VolumeKey;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The operations for a host, whose actions run on threads of their own. */
record HandedOperations(OpenedController opened, Executor callbacks)
    implements AsyncVolumeController {

  @Override
  public CompletionStage<CatalogVolume> create(VolumeKey key, VolumeSpec spec) {
    return handed(opened.create(key, spec));
  }

  @Override
  public CompletionStage<@Nullable Void> delete(VolumeKey key) {
    return this.<Done, @Nullable Void>handed(opened.delete(key), done -> null);
  }

  @Override
  public CompletionStage<CatalogVolume> register(CatalogVolume volume) {
    return handed(opened.register(volume));
  }

  @Override
  public CompletionStage<Boolean> deregister(VolumeKey key) {
    return handed(opened.deregister(key));
  }

  @Override
  public CompletionStage<CatalogVolume> expand(VolumeKey key, CapacityRange to) {
    return handed(opened.expand(key, to));
  }

  @Override
  public CompletionStage<CatalogVolume> modify(
      VolumeKey key, Map<String, String> mutableParameters) {
    return handed(opened.modify(key, mutableParameters));
  }

  @Override
  public CompletionStage<Snapshot> createSnapshot(
      VolumeKey volume, SnapshotName name, Map<String, String> parameters) {
    return handed(opened.cut(volume, name, parameters));
  }

  @Override
  public CompletionStage<VolumeGroupSnapshot> createGroupSnapshot(
      Set<VolumeKey> volumes, SnapshotName name, Map<String, String> parameters) {
    return handed(opened.cut(volumes, name, parameters));
  }

  @Override
  public CompletionStage<VolumeEntry> inspect(VolumeKey key) {
    return handed(opened.inspect(key));
  }

  @Override
  public CompletionStage<Capacity> capacity(VolumeSpec spec, Optional<Topology> place) {
    return handed(opened.capacity(spec, place));
  }

  private <T> CompletionStage<T> handed(CompletableFuture<T> operation) {
    return handed(operation, Function.identity());
  }

  /** Cancelling what is handed out takes the operation out of the line, if it waits there. */
  private <T, R extends @Nullable Object> CompletionStage<R> handed(
      CompletableFuture<T> operation, Function<T, R> shown) {
    CompletableFuture<R> end = new CompletableFuture<>();
    end.whenComplete(
        (value, failure) -> {
          if (end.isCancelled()) {
            operation.cancel(true);
          }
        });
    operation.whenComplete(
        (value, failure) ->
            hand(
                () -> {
                  if (failure == null) {
                    end.complete(shown.apply(value));
                  } else {
                    end.completeExceptionally(Unwrapped.of(failure));
                  }
                }));
    return end;
  }

  private void hand(Runnable work) {
    try {
      callbacks.execute(work);
    } catch (RejectedExecutionException closed) {
      work.run();
    }
  }
}
