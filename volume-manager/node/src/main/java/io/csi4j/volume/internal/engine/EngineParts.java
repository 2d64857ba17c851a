package io.csi4j.volume.internal.engine;

import io.csi4j.client.model.CsiOperation;
import io.csi4j.volume.internal.layout.VolumeDirectories;
import io.csi4j.volume.internal.layout.VolumeLayout;
import io.csi4j.volume.internal.port.Claims;
import io.csi4j.volume.internal.port.CrashPoint;
import io.csi4j.volume.internal.port.KernelMounts;
import io.csi4j.volume.internal.port.NodePlugins;
import io.csi4j.volume.internal.time.Clock;
import io.csi4j.volume.internal.time.Scheduler;
import io.csi4j.volume.model.OperationId;
import io.csi4j.volume.model.WorkContext;
import io.csi4j.volume.node.ManagerSettings;
import io.csi4j.volume.node.VolumeEvent;
import io.csi4j.volume.state.StateStore;
import java.util.function.BiFunction;
import java.util.function.Consumer;

/**
 * The dependencies of an engine.
 *
 * @param clock the clock
 * @param scheduler the threads and timers
 * @param kernel the kernel's mounts
 * @param plugins the plugins
 * @param state the persistent state
 * @param directories the directories of the volumes
 * @param layout the paths of these directories
 * @param settings the limits
 * @param points receives each crash point that the engine reaches
 * @param events receives the events; must not block
 * @param asked receives the number of an operation, on the thread of its caller
 * @param calling returns the context in which the engine sends a call of an operation
 * @param claims queries the standing of this node's claims
 */
public record EngineParts(
    Clock clock,
    Scheduler scheduler,
    KernelMounts kernel,
    NodePlugins plugins,
    StateStore state,
    VolumeDirectories directories,
    VolumeLayout layout,
    ManagerSettings settings,
    CrashPoint.Listener points,
    Consumer<VolumeEvent> events,
    Consumer<OperationId> asked,
    BiFunction<VolumeEvent.Started, CsiOperation, WorkContext> calling,
    Claims claims) {

  /**
   * Creates dependencies whose listeners are not notified of callers, and whose calls have no
   * context.
   */
  public EngineParts(
      Clock clock,
      Scheduler scheduler,
      KernelMounts kernel,
      NodePlugins plugins,
      StateStore state,
      VolumeDirectories directories,
      VolumeLayout layout,
      ManagerSettings settings,
      CrashPoint.Listener points,
      Consumer<VolumeEvent> events,
      Claims claims) {
    this(
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
        operation -> {},
        (operation, call) -> WorkContext.none(),
        claims);
  }
}
