package io.csi4j.volume.internal.real;

import io.csi4j.client.model.CsiOperation;
import io.csi4j.mount.model.MountPath;
import io.csi4j.volume.internal.disk.RealDisk;
import io.csi4j.volume.internal.engine.EngineParts;
import io.csi4j.volume.internal.layout.VolumeDirectories;
import io.csi4j.volume.internal.layout.VolumeLayout;
import io.csi4j.volume.internal.plugin.LivePluginRegistry;
import io.csi4j.volume.internal.port.Claims;
import io.csi4j.volume.internal.port.CrashPoint;
import io.csi4j.volume.internal.real.SystemKernelMounts.KernelView;
import io.csi4j.volume.internal.time.OnDemandThreads;
import io.csi4j.volume.internal.time.Scheduler;
import io.csi4j.volume.internal.time.SystemClock;
import io.csi4j.volume.internal.time.SystemScheduler;
import io.csi4j.volume.model.OperationId;
import io.csi4j.volume.model.WorkContext;
import io.csi4j.volume.node.ManagerSettings;
import io.csi4j.volume.node.NodeClaims;
import io.csi4j.volume.node.VolumeEvent;
import io.csi4j.volume.state.StateStore;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.function.BiFunction;
import java.util.function.Consumer;

/**
 * The dependencies of an engine on this machine. They own threads and connections until they are
 * closed. The state is not among them, because it belongs to the caller.
 */
public final class RealParts implements AutoCloseable {

  private final ManagerSettings settings;
  private final VolumeLayout layout;
  private final VolumeDirectories directories;
  private final SystemClock clock = new SystemClock();
  private final SystemScheduler scheduler;
  private final MountQuestions questions;
  private final OnDemandThreads deviceThreads;
  private final HeldDevices held;
  private final SystemKernelMounts kernel;
  private final CsiNodePlugins plugins;
  private final Optional<AskedClaims> claims;

  private RealParts(
      MountPath root, ManagerSettings settings, Optional<NodeClaims> terms, KernelView view) {
    this.settings = settings;
    RealDisk disk = new RealDisk();
    layout = new VolumeLayout(root);
    directories = new VolumeDirectories(disk, layout);
    scheduler = new SystemScheduler(settings.threads(), "csi4j-volume", settings.closing());
    questions = new MountQuestions(view.table()::probe, scheduler);
    deviceThreads = new OnDemandThreads("csi4j-volume-device");
    held = new HeldDevices(new DeviceNodes(disk), deviceThreads);
    kernel = SystemKernelMounts.of(view).asking(questions).holding(held);
    plugins =
        new CsiNodePlugins(
            root, scheduler, clock, disk, kernel.place().boot(), settings.secretsLimit());
    claims = terms.map(AskedClaims::new);
  }

  /**
   * Creates the dependencies and starts the threads. Writes nothing and calls no plugin.
   *
   * @param root the directory of the manager
   * @param claims the settings for checking claims; empty for a node without claims
   * @throws io.csi4j.volume.internal.time.NoThreadsException if the machine does not provide enough
   *     threads
   */
  public static RealParts open(
      MountPath root, ManagerSettings settings, Optional<NodeClaims> claims) {
    return open(root, settings, claims, KernelView.system());
  }

  /**
   * Creates the dependencies with these mounts instead of the mounts of the running kernel.
   *
   * @param view the mounts to use
   */
  public static RealParts open(
      MountPath root, ManagerSettings settings, Optional<NodeClaims> claims, KernelView view) {
    return new RealParts(root, settings, claims, view);
  }

  /** Returns the layout of the directories. */
  public VolumeLayout layout() {
    return layout;
  }

  /** Returns the directories of the volumes. */
  public VolumeDirectories directories() {
    return directories;
  }

  /** Returns the scheduler, which provides threads and timers. */
  public Scheduler scheduler() {
    return scheduler;
  }

  /** Returns the set of plugins, so that plugins can be registered. */
  public CsiNodePlugins plugins() {
    return plugins;
  }

  /**
   * Returns the dependencies of a plugin registry.
   *
   * @param telling runs the notifications to listeners
   */
  public LivePluginRegistry.Ground registryGround(Executor telling) {
    return new LivePluginRegistry.Ground(clock, scheduler, telling, plugins.connections());
  }

  /** Returns the dependencies of an engine. */
  public EngineParts parts(
      StateStore state,
      CrashPoint.Listener points,
      Consumer<VolumeEvent> events,
      Consumer<OperationId> asked,
      BiFunction<VolumeEvent.Started, CsiOperation, WorkContext> calling) {
    return new EngineParts(
        clock,
        scheduler,
        kernel,
        plugins,
        state,
        directories,
        layout,
        settings,
        points,
        events,
        asked,
        calling,
        claims.<Claims>map(it -> it).orElse(Claims.NONE));
  }

  /** Closes the connections, then the threads. Called after the engine is closed. */
  @Override
  public void close() {
    plugins.close();
    claims.ifPresent(AskedClaims::close);
    questions.close();
    held.close();
    deviceThreads.close();
    scheduler.close();
    directories.close();
  }
}
