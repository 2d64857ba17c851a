package io.csi4j.volume.controller;

import io.csi4j.client.CsiPlugin;
import io.csi4j.client.controller.ControllerCapability;
import io.csi4j.client.controller.ControllerService;
import io.csi4j.client.controller.Snapshot;
import io.csi4j.client.group.GroupControllerService;
import io.csi4j.client.identity.PluginCapability;
import io.csi4j.client.model.CapabilitySet;
import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.Secrets;
import io.csi4j.volume.internal.text.Subject;
import io.csi4j.volume.internal.time.Clock;
import io.csi4j.volume.internal.time.Scheduler;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.SecretsProvider;
import io.csi4j.volume.model.VolumeKey;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * Opens controllers on simulated time, threads and plugins. A call runs on the thread of the
 * operation, in the lanes that the controllers of a registry use, too.
 */
public final class SimulatedControllers implements Controllers {

  private static final CsiEndpoint ENDPOINT = CsiEndpoint.of(Path.of("/simulated.sock"));

  private static final GroupControllerService.Async NO_GROUPS =
      service(
          GroupControllerService.Async.class,
          (proxy, method, arguments) -> {
            throw new UnsupportedOperationException(method.getName());
          });

  private static final ControllerFacts WITHOUT_ATTACHING =
      facts(
          EnumSet.of(
              ControllerCapability.CREATE_DELETE_VOLUME, ControllerCapability.EXPAND_VOLUME));

  private static final ControllerFacts ATTACHING =
      facts(
          EnumSet.of(
              ControllerCapability.CREATE_DELETE_VOLUME,
              ControllerCapability.PUBLISH_UNPUBLISH_VOLUME,
              ControllerCapability.EXPAND_VOLUME));

  private static ControllerFacts facts(Set<ControllerCapability> offered) {
    return new ControllerFacts(
        Optional.empty(),
        Optional.empty(),
        new CapabilitySet<>(offered, Set.of()),
        new CapabilitySet<>(
            EnumSet.of(
                PluginCapability.CONTROLLER_SERVICE, PluginCapability.VOLUME_EXPANSION_ONLINE),
            Set.of()));
  }

  private final Machine machine;
  private final ControllerService.Async service;
  private final OperationTurns<VolumeLane> turns;

  /** A process of a simulation, with its time and threads. */
  public interface Machine extends Clock, Scheduler {

    /** Whether the plugin attaches volumes to nodes. */
    boolean attaches();

    /** Waits on the current thread. */
    <T> T await(CompletableFuture<T> future);

    /** A call is about to be sent: its guard is asked next. */
    void sending(CsiOperation operation);

    /** The call was sent, or its guard was against it. */
    void sent();
  }

  private SimulatedControllers(Machine machine, InvocationHandler plugin) {
    this.machine = machine;
    this.service = service(ControllerService.Async.class, plugin);
    this.turns = new OperationTurns<>(64, Duration.ofMinutes(10), machine);
  }

  private static <S> S service(Class<S> type, InvocationHandler calls) {
    return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, calls));
  }

  /**
   * Opens a controller.
   *
   * @param plugin answers the calls of a {@code ControllerService.Async}
   */
  public static VolumeController open(
      VolumeController.Builder options, Machine machine, InvocationHandler plugin) {
    return new VolumeController(
        options, new SimulatedControllers(machine, plugin), machine, machine, machine, () -> {});
  }

  /** Cuts a snapshot for a backup, for a thread of a simulation. */
  public static CompletableFuture<Snapshot> cut(
      VolumeController controller, VolumeKey volume, SnapshotName name) {
    return controller.backups().beginCut(volume, name, Map.of(), Optional.empty());
  }

  /** Keeps a snapshot, likewise. */
  public static CompletableFuture<Boolean> keep(
      VolumeController controller, VolumeKey volume, SnapshotName name) {
    return controller.backups().beginKeep(volume, name);
  }

  @Override
  public <T> CompletableFuture<T> call(ControllerCall<T> call) {
    Runnable leave =
        machine.await(
            turns.take(call.lanes(), call.subject(), (end, place) -> complete(place, end)));
    try {
      machine.sending(call.operation());
      return call.sending()
          .send(new ControllerCall.Services(service, NO_GROUPS, ENDPOINT), Secrets.empty())
          .toCompletableFuture()
          .handle(
              (value, thrown) -> {
                if (thrown != null) {
                  throw ControllerFailures.of(call.subject(), thrown);
                }
                return value;
              });
    } catch (RuntimeException failed) {
      return CompletableFuture.failedFuture(ControllerFailures.of(call.subject(), failed));
    } finally {
      machine.sent();
      leave.run();
    }
  }

  /** A waiter that was given up in the meantime gives its turn back. */
  private static void complete(CompletableFuture<Runnable> place, Runnable end) {
    if (!place.complete(end)) {
      end.run();
    }
  }

  @Override
  public CompletableFuture<ControllerFacts> facts(PluginId plugin, Subject subject) {
    return CompletableFuture.completedFuture(machine.attaches() ? ATTACHING : WITHOUT_ATTACHING);
  }

  @Override
  public CompletableFuture<Boolean> attaches(PluginId plugin, Subject subject) {
    return CompletableFuture.completedFuture(machine.attaches());
  }

  @Override
  public CompletableFuture<Secrets> secrets(
      PluginId plugin, SecretsProvider provider, CsiOperation operation, Subject subject) {
    return CompletableFuture.completedFuture(Secrets.empty());
  }

  @Override
  public CompletableFuture<CsiPlugin> connected(PluginId plugin, Subject subject) {
    throw new UnsupportedOperationException("connected");
  }
}
