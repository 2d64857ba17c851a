package io.csi4j.volume.manager;

import io.csi4j.client.model.CapacityRange;
import io.csi4j.client.node.VolumeStats;
import io.csi4j.volume.internal.engine.VolumeEngine;
import io.csi4j.volume.internal.port.ExpandRequest;
import io.csi4j.volume.internal.time.OnDemandThreads;
import io.csi4j.volume.internal.time.Unwrapped;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.SecretsProvider;
import io.csi4j.volume.model.VolumeHealth;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.node.AsyncVolumeMounter;
import io.csi4j.volume.node.MountRequest;
import io.csi4j.volume.node.MountedVolume;
import io.csi4j.volume.node.UnmountOutcome;
import io.csi4j.volume.plugin.PluginDrain;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;

/**
 * The thread that runs the host's dependent actions when an operation completes. The thread exists
 * only while there are actions to run. After the manager is closed, the thread that completes the
 * operation runs them.
 */
final class Callbacks implements Executor, AutoCloseable {

  private final OnDemandThreads thread = new OnDemandThreads("csi4j-volume-callbacks", 1);

  @Override
  public void execute(Runnable work) {
    thread.executeOrRun(work);
  }

  @Override
  public void close() {
    thread.close();
  }

  /**
   * Gives a host the engine's operations, and runs the host's dependent actions on the callback
   * thread.
   */
  record AsyncMounter(VolumeEngine engine, Executor callbacks) implements AsyncVolumeMounter {

    @Override
    public CompletionStage<MountedVolume> mount(MountRequest request) {
      return handed(engine.mount(request));
    }

    @Override
    public CompletionStage<MountedVolume> refresh(MountRequest request) {
      return handed(engine.refresh(request));
    }

    @Override
    public CompletionStage<UnmountOutcome> unmount(VolumeUse usage) {
      return handed(engine.unmount(usage));
    }

    @Override
    public CompletionStage<UnmountOutcome> abandon(VolumeUse usage, String reason) {
      return handed(engine.abandon(usage, reason));
    }

    @Override
    public CompletionStage<OptionalLong> expand(
        VolumeUse usage, CapacityRange capacity, SecretsProvider secrets) {
      return handed(engine.expand(new ExpandRequest(usage, capacity, secrets)));
    }

    @Override
    public CompletionStage<VolumeStats> stats(VolumeUse usage) {
      return handed(engine.stats(usage));
    }

    @Override
    public CompletionStage<VolumeHealth> health(VolumeUse usage) {
      return handed(engine.health(usage));
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

  /**
   * Gives a host the engine's drain, and runs the host's dependent actions on the callback thread.
   */
  static final class HostDrain implements PluginDrain {

    private final PluginDrain drain;
    private final CompletableFuture<Outcome> outcome = new CompletableFuture<>();

    HostDrain(PluginDrain drain, Executor callbacks) {
      this.drain = drain;
      drain.outcome().thenAcceptAsync(outcome::complete, callbacks);
    }

    @Override
    public PluginId plugin() {
      return drain.plugin();
    }

    @Override
    public CompletionStage<Outcome> outcome() {
      return outcome;
    }

    @Override
    public List<VolumeUse> holders() {
      return drain.holders();
    }

    @Override
    public void close() {
      drain.close();
    }
  }
}
