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
 * All that an engine on this machine works with. Has threads and connections from the start on,
 * until it is closed; the state belongs to its caller.
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
   * Starts the threads. Nothing is written and no plugin called.
   *
   * @param root the directory of the manager
   * @param claims how the node holds itself to claims, if it is given any
   * @throws io.csi4j.volume.internal.time.NoThreadsException if the machine does not give so many
   *     threads
   */
  public static RealParts open(
      MountPath root, ManagerSettings settings, Optional<NodeClaims> claims) {
    return open(root, settings, claims, KernelView.system());
  }

  /**
   * The same with other mounts than those of the running kernel.
   *
   * @param view where mounts are seen and taken away
   */
  public static RealParts open(
      MountPath root, ManagerSettings settings, Optional<NodeClaims> claims, KernelView view) {
    return new RealParts(root, settings, claims, view);
  }

  /** Where everything is. */
  public VolumeLayout layout() {
    return layout;
  }

  /** The directories of the volumes. */
  public VolumeDirectories directories() {
    return directories;
  }

  /** The plugins, to register them. */
  public CsiNodePlugins plugins() {
    return plugins;
  }

  /**
   * Returns the parts that a registry of plugins works with.
   *
   * @param telling where listeners are told
   */
  public LivePluginRegistry.Ground registryGround(Executor telling) {
    return new LivePluginRegistry.Ground(clock, scheduler, telling, plugins.connections());
  }

  /** The parts for an engine. */
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

  /** Ends the connections, then the threads. To be called when the engine is closed. */
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
