package io.csi4j.benchmarks.many;

import io.csi4j.volume.manager.VolumeManager;
import io.csi4j.volume.node.RecoveryReport;
import io.csi4j.volume.node.VolumeStatus;
import io.csi4j.volume.node.WantedUse;
import java.util.List;

/** A manager, or a substitute for comparison, that was started over mounted volumes. */
interface Started extends AutoCloseable {

  /** Returns the volumes that were found at the start. */
  RecoveryReport found();

  /** Passes the wanted uses to the manager, and returns when all work for them is done. */
  void tell(List<WantedUse> wanted);

  /** Returns all volumes. */
  List<VolumeStatus> list();

  @Override
  void close();

  /** A manager. */
  record Managed(VolumeManager manager) implements Started {
    @Override
    public RecoveryReport found() {
      return manager.recovered();
    }

    @Override
    public void tell(List<WantedUse> wanted) {
      manager.reconcile(wanted).done().toCompletableFuture().join();
    }

    @Override
    public List<VolumeStatus> list() {
      return manager.volumes();
    }

    @Override
    public void close() {
      manager.close();
    }
  }
}
