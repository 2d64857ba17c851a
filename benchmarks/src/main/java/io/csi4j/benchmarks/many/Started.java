package io.csi4j.benchmarks.many;

import io.csi4j.volume.manager.VolumeManager;
import io.csi4j.volume.node.RecoveryReport;
import io.csi4j.volume.node.VolumeStatus;
import io.csi4j.volume.node.WantedUse;
import java.util.List;

/** A manager, or its comparison, that was started over mounted volumes. */
interface Started extends AutoCloseable {

  /** The volumes that it found. */
  RecoveryReport found();

  /** Receives the wanted uses, and returns when all work for them is done. */
  void tell(List<WantedUse> wanted);

  /** All volumes. */
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
