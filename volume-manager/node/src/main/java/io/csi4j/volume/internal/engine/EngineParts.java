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
 * The parts that an engine works with.
 *
 * @param clock time
 * @param scheduler threads
 * @param kernel the kernel's mounts
 * @param plugins the plugins
 * @param state what is remembered
 * @param directories the directories of the volumes
 * @param layout where they are
 * @param settings limits
 * @param points is told of named moments
 * @param events is told what happens; must not block
 * @param asked is told of an operation on the thread that asks for it
 * @param calling returns the context in which a call of an operation is sent
 * @param claims asks what the claims of this node are worth
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

  /** The parts of an engine that tells nobody who asks. */
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
