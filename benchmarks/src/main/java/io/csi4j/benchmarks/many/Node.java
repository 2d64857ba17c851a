package io.csi4j.benchmarks.many;

import io.csi4j.benchmarks.MountingPlugin;
import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.VolumeId;
import io.csi4j.mount.model.MountPath;
import io.csi4j.volume.internal.engine.EngineParts;
import io.csi4j.volume.internal.engine.VolumeEngine;
import io.csi4j.volume.internal.port.CrashPoint;
import io.csi4j.volume.internal.real.RealParts;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.WorkContext;
import io.csi4j.volume.model.WorkloadId;
import io.csi4j.volume.node.ManagerSettings;
import io.csi4j.volume.node.MountRequest;
import io.csi4j.volume.node.RecoveryReport;
import io.csi4j.volume.node.VolumeStatus;
import io.csi4j.volume.node.WantedUse;
import io.csi4j.volume.state.JournalSettings;
import io.csi4j.volume.state.journal.JournalStateStore;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * An engine with its real journal, directories and threads. Only the plugin is replaced, and the
 * kernel if the mounts are in memory.
 */
final class Node implements Started {

  private final RealParts real;
  private final JournalStateStore state;
  private final VolumeEngine engine;

  private Node(Path root, Kernel kernel) {
    real = RealParts.open(MountPath.of(root), ManagerSettings.defaults(), Optional.empty());
    state =
        JournalStateStore.open(
            real.layout().state().toPath(),
            // The state of a node in memory is on tmpfs.
            JournalSettings.builder().acceptAnyFilesystem(true).build());
    EngineParts usual =
        real.parts(
            state,
            CrashPoint.Listener.NONE,
            event -> {},
            asked -> {},
            (operation, call) -> WorkContext.none());
    engine =
        VolumeEngine.open(
            new EngineParts(
                usual.clock(),
                usual.scheduler(),
                kernel.seenBy(usual.kernel()),
                new MountingPlugin(kernel),
                usual.state(),
                usual.directories(),
                usual.layout(),
                usual.settings(),
                usual.points(),
                usual.events(),
                usual.claims()));
  }

  /** Opens the node below a directory. The node finds the existing mounts there. */
  static Node open(Path root, Kernel kernel) {
    return new Node(root, kernel);
  }

  @Override
  public RecoveryReport found() {
    return engine.report();
  }

  @Override
  public void tell(List<WantedUse> wanted) {
    engine.reconcile(wanted).done().toCompletableFuture().join();
  }

  @Override
  public List<VolumeStatus> list() {
    return engine.volumes();
  }

  static VolumeUse usage(int i) {
    return VolumeUse.of(VolumeKey.of("volume-" + i), WorkloadId.of("workload-" + i));
  }

  /** Mounts the volume with this number. */
  CompletableFuture<?> mount(int i) {
    return engine.mount(
        MountRequest.builder(
                MountingPlugin.ID, usage(i), VolumeId.of("id-" + i), AccessMode.SINGLE_NODE_WRITER)
            .build());
  }

  /** Unmounts the volume with this number. */
  CompletableFuture<?> unmount(int i) {
    return engine.unmount(usage(i));
  }

  @Override
  public void close() {
    engine.close().join();
    real.close();
    state.close();
  }
}
