package io.csi4j.volume.manager;

import io.csi4j.client.node.VolumeStats;
import io.csi4j.volume.internal.engine.VolumeEngine;
import io.csi4j.volume.internal.time.Unwrapped;
import io.csi4j.volume.model.UsageKey;
import io.csi4j.volume.node.AsyncVolumeMounter;
import io.csi4j.volume.node.ExpandRequest;
import io.csi4j.volume.node.MountRequest;
import io.csi4j.volume.node.MountedVolume;
import io.csi4j.volume.node.Release;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;

/** The engine's operations for a host, whose actions run on a thread of their own. */
record AsyncMounter(VolumeEngine engine, Executor callbacks) implements AsyncVolumeMounter {

  @Override
  public CompletionStage<MountedVolume> mount(MountRequest request) {
    return handed(engine.mount(request));
  }

  @Override
  public CompletionStage<Release> unmount(UsageKey usage) {
    return handed(engine.unmount(usage));
  }

  @Override
  public CompletionStage<OptionalLong> expand(ExpandRequest request) {
    return handed(engine.expand(request));
  }

  @Override
  public CompletionStage<VolumeStats> stats(UsageKey usage) {
    return handed(engine.stats(usage));
  }

  private <T> CompletionStage<T> handed(CompletableFuture<T> operation) {
    CompletableFuture<T> end = new CompletableFuture<>();
    operation.whenCompleteAsync(
        (value, failure) -> {
          if (failure == null) {
            end.complete(value);
          } else {
            end.completeExceptionally(Unwrapped.of(failure));
          }
        },
        callbacks);
    return end;
  }
}
