package io.csi4j.volume.internal.journal;

import io.csi4j.volume.internal.disk.FakeDisk;
import io.csi4j.volume.state.JournalSettings;
import io.csi4j.volume.state.StateStore;
import io.csi4j.volume.state.StateStoreContract;
import java.util.Random;

/** The journal keeps the contract on a disk where each crash is a power cut. */
class JournalOnFakeDiskTest extends StateStoreContract {

  private FakeDisk disk = FakeDisk.with(Fixture.ROOT);

  @Override
  protected StateStore open() {
    return Journal.open(
        disk,
        Fixture.STATE,
        JournalSettings.builder().host(Fixture.HOST).segmentSize(4096).build());
  }

  @Override
  protected void crash(StateStore store) {
    disk = disk.restart(new Random(7));
  }

  @Override
  protected void refuseWrites() {
    disk.makeReadOnly();
  }

  @Override
  protected void acceptWrites() {
    disk.heal();
  }
}
