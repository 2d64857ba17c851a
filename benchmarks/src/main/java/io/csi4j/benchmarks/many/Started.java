package io.csi4j.benchmarks.many;

import io.csi4j.volume.manager.VolumeManager;
import io.csi4j.volume.node.RecoveryReport;
import io.csi4j.volume.node.VolumeStatus;
import io.csi4j.volume.node.WantedUse;
import java.util.List;

/** What was started over volumes that are mounted: a manager, or what stands for one. */
interface Started extends AutoCloseable {

  /** What it found. */
  RecoveryReport found();

  /** Is told which uses are wanted, and returns when all is done about it. */
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
