package io.csi4j.volume.controller;

import io.csi4j.client.controller.Capacity;
import io.csi4j.client.controller.Snapshot;
import io.csi4j.client.controller.ValidationResult;
import io.csi4j.client.controller.VolumeEntry;
import io.csi4j.client.group.VolumeGroupSnapshot;
import io.csi4j.client.model.CapacityRange;
import io.csi4j.client.model.GroupSnapshotId;
import io.csi4j.client.model.SnapshotId;
import io.csi4j.client.model.Topology;
import io.csi4j.volume.catalog.CatalogVolume;
import io.csi4j.volume.catalog.SecretsReference;
import io.csi4j.volume.catalog.VolumeSpec;
import io.csi4j.volume.catalog.VolumeStore;
import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.internal.time.IdleScheduler;
import io.csi4j.volume.internal.time.NamedThreads;
import io.csi4j.volume.internal.time.OnDemandThreads;
import io.csi4j.volume.internal.time.Scheduler;
import io.csi4j.volume.internal.time.SystemClock;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.SecretsProvider;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.plugin.PluginRegistry;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** A controller with the threads that it has: the real ones, which are there only while needed. */
final class ControllerParts implements AutoCloseable {

  private static final String NAME = "csi4j-volume-controller";

  private final OnDemandThreads threads;
  private final RegistryControllers controllers;
  private final OpenedController opened;

  private ControllerParts(
      OnDemandThreads threads, RegistryControllers controllers, OpenedController opened) {
    this.threads = threads;
    this.controllers = controllers;
    this.opened = opened;
  }

  /** What a controller is opened with. */
  public static OpenedController.Options options(
      VolumeStore store,
      Function<VolumeKey, Optional<Claim>> claims,
      Function<SecretsReference, SecretsProvider> secrets,
      ControllerSettings settings,
      String namePrefix,
      Duration snapshotPatience,
      ValidationResult.Policy validation,
      Consumer<OperatorMessage> told) {
    return new OpenedController.Options(
        store, claims, secrets, settings, namePrefix, snapshotPatience, validation, told);
  }

  /** Opens it. */
  public static ControllerParts open(PluginRegistry registry, OpenedController.Options options) {
    OnDemandThreads threads = new OnDemandThreads(NAME);
    Scheduler timers = new IdleScheduler(NAME + "-limits");
    RegistryControllers controllers =
        new RegistryControllers(
            registry,
            options.settings(),
            new RegistryControllers.Ground(timers, threads, new NamedThreads(NAME + "-plugin")));
    try {
      return new ControllerParts(
          threads,
          controllers,
          new OpenedController(
              options,
              new OpenedController.World(
                  registry, controllers, new SystemClock(), timers, threads)));
    } catch (RuntimeException | Error failed) {
      controllers.close();
      threads.close();
      throw failed;
    }
  }

  public OpenedController opened() {
    return opened;
  }

  /** Waits for an operation with a volume. */
  public <T> T await(String doing, VolumeKey key, CompletableFuture<T> operation) {
    return await(doing + " volume '" + key + "'", operation);
  }

  /** Waits for an operation. */
  public <T> T await(String doing, CompletableFuture<T> operation) {
    return ControllerOperations.await(OpenedController.subject(doing), operation);
  }

  /** Takes a volume on record. */
  public CompletableFuture<CatalogVolume> register(CatalogVolume volume) {
    if (volume.origin() == CatalogVolume.Origin.REGISTERED) {
      return opened.register(volume);
    }
    throw new IllegalArgumentException(
        "The volume '"
            + volume.key()
            + "' says that it was made here. Register it with the origin REGISTERED.");
  }

  /** Deletes a snapshot. */
  public void deleteSnapshot(
      PluginId plugin,
      SnapshotId snapshot,
      Optional<GroupSnapshotId> group,
      Optional<SecretsReference> secrets) {
    String doing = "deleting snapshot '" + snapshot + "'";
    Done done =
        await(doing, opened.run(doing, all -> all.delete(plugin, snapshot, group, secrets)));
    assert done == Done.DONE;
  }

  /** Deletes a group of snapshots. */
  public void deleteGroup(
      PluginId plugin,
      GroupSnapshotId group,
      List<SnapshotId> members,
      Optional<SecretsReference> secrets) {
    String doing = "deleting group snapshot '" + group + "'";
    Done done =
        await(
            doing,
            opened.run(doing, all -> all.delete(plugin, group, List.copyOf(members), secrets)));
    assert done == Done.DONE;
  }

  /** Deletes ephemeral volumes that are not wanted; tells which are left. */
  public Set<VolumeKey> retain(Collection<VolumeKey> wanted) {
    return opened.retain(wanted).entrySet().stream()
        .filter(entry -> !isDeleted(entry.getKey(), entry.getValue()))
        .map(Map.Entry::getKey)
        .collect(Collectors.toUnmodifiableSet());
  }

  private boolean isDeleted(VolumeKey key, CompletableFuture<Done> deletion) {
    try {
      return await("deleting", key, deletion) == Done.DONE;
    } catch (ControllerException left) {
      return false;
    }
  }

  /** The same operations for a host, whose actions run on threads of their own. */
  public AsyncVolumeController async() {
    return new NotBlocking(this, threads);
  }

  /** Begins nothing more, and ends all connections. */
  @Override
  public void close() {
    opened.close();
    threads.close();
    controllers.close();
  }

  private record NotBlocking(ControllerParts parts, Executor callbacks)
      implements AsyncVolumeController {

    private OpenedController opened() {
      return parts.opened;
    }

    @Override
    public CompletionStage<CatalogVolume> create(VolumeKey key, VolumeSpec spec) {
      return handed(opened().create(key, spec));
    }

    @Override
    public CompletionStage<@Nullable Void> delete(VolumeKey key) {
      return this.<Done, @Nullable Void>handed(opened().delete(key), done -> null);
    }

    @Override
    public CompletionStage<CatalogVolume> register(CatalogVolume volume) {
      return handed(parts.register(volume));
    }

    @Override
    public CompletionStage<Boolean> deregister(VolumeKey key) {
      return handed(opened().deregister(key));
    }

    @Override
    public CompletionStage<CatalogVolume> expand(VolumeKey key, CapacityRange to) {
      return handed(opened().expand(key, to));
    }

    @Override
    public CompletionStage<CatalogVolume> modify(
        VolumeKey key, Map<String, String> mutableParameters) {
      return handed(opened().modify(key, mutableParameters));
    }

    @Override
    public CompletionStage<Snapshot> createSnapshot(
        VolumeKey volume, SnapshotName name, Map<String, String> parameters) {
      return handed(opened().cut(volume, name, parameters));
    }

    @Override
    public CompletionStage<VolumeGroupSnapshot> createGroupSnapshot(
        Set<VolumeKey> volumes, SnapshotName name, Map<String, String> parameters) {
      return handed(opened().cut(volumes, name, parameters));
    }

    @Override
    public CompletionStage<VolumeEntry> inspect(VolumeKey key) {
      return handed(opened().inspect(key));
    }

    @Override
    public CompletionStage<Capacity> capacity(VolumeSpec spec, Optional<Topology> place) {
      return handed(opened().capacity(spec, place));
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
                      end.completeExceptionally(ControllerFailures.unwrap(failure));
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
}
