package io.csi4j.volume.internal.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.entry;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.csi4j.volume.internal.disk.RealDisk;
import io.csi4j.volume.state.JournalSettings;
import io.csi4j.volume.state.StateException;
import io.csi4j.volume.state.StateKey;
import io.csi4j.volume.state.StateStore;
import io.csi4j.volume.state.StateStore.Durability;
import io.csi4j.volume.state.StateStoreContract;
import io.csi4j.volume.state.StateValue;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
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

  /** As {@code truncate -s 20G} leaves it. */
  @Test
  void aSegmentThatWasMadeLargerThanMemoryIsReadAndWrittenAgain() throws IOException {
    Path state = directory.resolve("state");
    StateKey key = StateKey.volume("v");
    StateValue value = StateValue.of(new byte[] {1});
    try (StateStore store = open()) {
      assertThat(store.put(key, value, Durability.REQUIRED)).isNotNull();
    }
    try (Stream<Path> files = Files.list(state)) {
      for (Path segment : files.filter(file -> file.toString().endsWith(".j")).toList()) {
        try (RandomAccessFile file = new RandomAccessFile(segment.toFile(), "rw")) {
          file.setLength(20L << 30);
        }
      }
    }

    assertThat(JournalLook.at(disk, state).state().values()).containsExactly(entry(key, value));
    try (StateStore store = open()) {
      assertThat(store.load().values()).containsExactly(entry(key, value));
      assertThat(store.load().uncertainties()).isEmpty();
    }
  }

  /** A refusal names both sizes, and the file. */
  @Test
  void aLargeFileThatIsNoSegmentIsRefusedWithAMessage() throws IOException {
    Path state = Files.createDirectory(directory.resolve("state"));
    try (RandomAccessFile file =
        new RandomAccessFile(state.resolve("seg-00000001.j").toFile(), "rw")) {
      file.setLength(20L << 30);
    }
    assumeTrue(Runtime.getRuntime().maxMemory() / 2 < SegmentFiles.MAX_SIZE, "a large heap");

    for (ThrowingCallable reading :
        List.<ThrowingCallable>of(this::open, () -> JournalLook.at(disk, state))) {
      assertThatExceptionOfType(StateException.class)
          .isThrownBy(reading)
          .withMessageContaining("seg-00000001.j: it has 21474836480 bytes, of which 1073741824")
          .withMessageEndingWith("Move the file away, or give the JVM more memory (-Xmx).")
          .extracting(StateException::reason)
          .isEqualTo(StateException.Reason.STATE_NOT_USABLE);
    }
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
          .satisfies(e -> assertThat(e.reason()).isEqualTo(StateException.Reason.STATE_NOT_USABLE));
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
