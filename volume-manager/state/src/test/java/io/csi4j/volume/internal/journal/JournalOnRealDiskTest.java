package io.csi4j.volume.internal.journal;

import io.csi4j.volume.internal.disk.RealDisk;
import io.csi4j.volume.state.JournalSettings;
import io.csi4j.volume.state.StateStore;
import io.csi4j.volume.state.StateStoreContract;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;

/** The journal keeps the contract on the disk of this host. */
class JournalOnRealDiskTest extends StateStoreContract {

  @TempDir Path directory;
  private final SwitchedDisk disk = new SwitchedDisk(new RealDisk());

  @Override
  protected StateStore open() {
    return Journal.open(
        disk,
        directory.resolve("state"),
        JournalSettings.builder().segmentSize(16 * 1024).acceptAnyFilesystem(true).build());
  }

  @Override
  protected void crash(StateStore store) {
    disk.loseLocks();
  }

  @Override
  protected void refuseWrites() {
    disk.switchOff();
  }

  @Override
  protected void acceptWrites() {
    disk.switchOn();
  }
}
