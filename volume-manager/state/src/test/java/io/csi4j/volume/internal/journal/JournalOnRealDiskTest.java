package io.csi4j.volume.internal.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.csi4j.volume.internal.disk.RealDisk;
import io.csi4j.volume.state.Durability;
import io.csi4j.volume.state.JournalSettings;
import io.csi4j.volume.state.StateException;
import io.csi4j.volume.state.StateKey;
import io.csi4j.volume.state.StateReason;
import io.csi4j.volume.state.StateStore;
import io.csi4j.volume.state.StateStoreContract;
import io.csi4j.volume.state.StateValue;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
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

  @Test
  void nothingIsWrittenToAnotherDirectoryThatLiesOverTheState() throws IOException {
    Path state = directory.resolve("state");
    Path aside = directory.resolve("aside");
    StateKey key = StateKey.volume("v");
    try (StateStore store = open()) {
      assertThat(store.put(key, StateValue.of(new byte[] {1}), Durability.REQUIRED)).isNotNull();
      Files.move(state, aside);
      Files.createDirectory(state);

      assertThatExceptionOfType(StateException.class)
          .isThrownBy(() -> store.put(key, StateValue.of(new byte[] {2}), Durability.REQUIRED))
          .satisfies(e -> assertThat(e.reason()).isEqualTo(StateReason.STATE_NOT_USABLE));
      try (Stream<Path> written = Files.list(state)) {
        assertThat(written).isEmpty();
      }
      Files.delete(state);
      Files.move(aside, state);
      assertThat(store.put(key, StateValue.of(new byte[] {3}), Durability.REQUIRED)).isNotNull();
    }
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
