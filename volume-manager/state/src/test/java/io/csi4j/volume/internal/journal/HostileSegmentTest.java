package io.csi4j.volume.internal.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.sun.management.ThreadMXBean;
import io.csi4j.volume.internal.disk.FakeDisk;
import io.csi4j.volume.internal.disk.RealDisk;
import io.csi4j.volume.state.JournalSettings;
import io.csi4j.volume.state.LoadedState;
import io.csi4j.volume.state.StateException;
import io.csi4j.volume.state.StateKey;
import io.csi4j.volume.state.StateStore;
import io.csi4j.volume.state.StateStore.Durability;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Segments that somebody wrote who knows the format, and files that are no segments. */
class HostileSegmentTest {

  private static final long MUCH = 8L << 20;

  @TempDir Path directory;

  private static byte[] segment() {
    FakeDisk disk = FakeDisk.with(Fixture.ROOT);
    try (StateStore store = new Fixture().open(disk)) {
      store.put(Fixture.A, Fixture.value("one"), Durability.REQUIRED);
      store.put(Fixture.B, Fixture.value("two"), Durability.REQUIRED);
    }
    return disk.content(Fixture.segment(1));
  }

  /** Where the record of a value begins. */
  private static int place(byte[] segment, String value) {
    List<Entry> entries = SegmentScan.of(segment).entries();
    int at = 0;
    for (Entry entry : entries) {
      if (Arrays.equals(entry.value(), Fixture.value(value).bytes())) {
        return at;
      }
      at += entry.size();
    }
    throw new AssertionError("no record of " + value);
  }

  /** Puts the checks of a record right after something in it was changed. */
  private static void seal(byte[] segment, int at, int length) {
    ByteBuffer bytes = ByteBuffer.wrap(segment).order(ByteOrder.LITTLE_ENDIAN);
    CRC32C key = new CRC32C();
    key.update(segment, at + 4, 4);
    key.update(segment, at + 12, 31 - 12);
    key.update(segment, at + 35, segment[at + 30] & 0xff);
    bytes.putInt(at + 31, (int) key.getValue());
    if (length >= 0 && length <= segment.length - at - 12) {
      CRC32C all = new CRC32C();
      all.update(segment, at + 4, 4);
      all.update(segment, at + 12, length);
      bytes.putInt(at + 8, (int) all.getValue());
    }
  }

  private static FakeDisk disk(byte[] segment) {
    FakeDisk disk = FakeDisk.with(Fixture.ROOT);
    disk.overwrite(Fixture.segment(1), segment);
    disk.mkdir(Fixture.STATE);
    return disk;
  }

  @ParameterizedTest
  @ValueSource(ints = {-1, Integer.MAX_VALUE, Integer.MIN_VALUE, 1 << 30, 0})
  void aLengthBeyondTheFileIsDamageAndTakesNoMemory(int length) {
    byte[] segment = segment();
    int at = place(segment, "one");
    ByteBuffer.wrap(segment).order(ByteOrder.LITTLE_ENDIAN).putInt(at + 4, length);
    seal(segment, at, length);
    FakeDisk disk = disk(segment);
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    LoadedState loaded = null;

    long before = threads.getCurrentThreadAllocatedBytes();
    try (StateStore store = new Fixture().open(disk)) {
      loaded = store.load();
    }
    long taken = threads.getCurrentThreadAllocatedBytes() - before;

    assertThat(loaded.isDoubtful(Fixture.A)).isTrue();
    assertThat(loaded.value(Fixture.A)).isEmpty();
    assertThat(loaded.value(Fixture.B)).contains(Fixture.value("two"));
    assertThat(taken).as("bytes for a file of %d", segment.length).isLessThan(MUCH);
  }

  @ParameterizedTest
  @ValueSource(longs = {Long.MAX_VALUE, -1, Long.MIN_VALUE, (1L << 62) + 1})
  void aNumberAfterWhichThereIsNoneIsDamageAndTheNextOwnersGoOn(long number) {
    for (int field : new int[] {12, 20}) {
      byte[] segment = segment();
      int at = place(segment, "two");
      ByteBuffer bytes = ByteBuffer.wrap(segment).order(ByteOrder.LITTLE_ENDIAN);
      bytes.putLong(at + field, number);
      seal(segment, at, bytes.getInt(at + 4));
      FakeDisk disk = disk(segment);
      long epoch = 0;
      for (String value : List.of("later", "last")) {
        try (StateStore store = new Fixture().open(disk)) {
          assertThat(store.owner().epoch()).as("epoch").isGreaterThan(epoch);
          epoch = store.owner().epoch();
          assertThat(store.load().value(Fixture.A)).isPresent();
          store.put(Fixture.A, Fixture.value(value), Durability.REQUIRED);
        }
      }
      try (StateStore store = new Fixture().open(disk)) {
        assertThat(store.load().value(Fixture.A)).contains(Fixture.value("last"));
        // Nobody knows whose the record was, so that all that was known then stays in doubt.
        assertThat(store.load().isDoubtful(Fixture.A)).isTrue();
      }
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {12, 20})
  void aStateWhoseNumbersAreUsedUpIsNotOpened(int field) {
    byte[] segment = segment();
    int at = place(segment, "two");
    ByteBuffer bytes = ByteBuffer.wrap(segment).order(ByteOrder.LITTLE_ENDIAN);
    bytes.putLong(at + field, 1L << 62);
    seal(segment, at, bytes.getInt(at + 4));
    FakeDisk disk = disk(segment);

    assertThatExceptionOfType(StateException.class)
        .isThrownBy(() -> new Fixture().open(disk).close())
        .withMessageContaining("the highest possible ones")
        .satisfies(e -> assertThat(e.reason()).isEqualTo(StateException.Reason.STATE_NOT_USABLE));
    assertThat(disk.content(Fixture.segment(1))).isEqualTo(segment);
  }

  @Test
  void anOwnersRecordAfterWhichThereIsNoneIsNotBelieved() throws IOException {
    Path state = directory.resolve("state");
    try (StateStore store = open(state)) {
      store.put(Fixture.A, Fixture.value("one"), Durability.REQUIRED);
    }
    Path owner = state.resolve("owner");
    Files.writeString(
        owner, Files.readString(owner).replaceAll("epoch=\\d+", "epoch=" + Long.MAX_VALUE));

    try (StateStore store = open(state)) {
      assertThat(store.owner().epoch()).isEqualTo(2);
      assertThat(store.load().value(Fixture.A)).contains(Fixture.value("one"));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"link", "pipe", "directory"})
  void whatIsNoFileInThePlaceOfASegmentIsNotReadAndNotWaitedFor(String kind) throws Exception {
    Path state = directory.resolve("state");
    try (StateStore store = open(state)) {
      store.put(Fixture.A, Fixture.value("one"), Durability.REQUIRED);
    }
    Path segment = state.resolve("seg-00000001.j");
    Path elsewhere = directory.resolve("elsewhere");
    Files.move(segment, elsewhere);
    byte[] before = Files.readAllBytes(elsewhere);
    switch (kind) {
      case "link" -> Files.createSymbolicLink(segment, elsewhere);
      case "directory" -> Files.createDirectory(segment);
      default -> {
        Process made = new ProcessBuilder("mkfifo", segment.toString()).start();
        assertThat(made.waitFor(10, TimeUnit.SECONDS)).isTrue();
      }
    }

    try (StateStore store = open(state)) {
      LoadedState loaded = store.load();
      assertThat(loaded.value(Fixture.A)).isEmpty();
      assertThat(loaded.mayMissKeys()).isTrue();
      store.put(StateKey.volume("new"), Fixture.value("new"), Durability.REQUIRED);
    }
    assertThat(elsewhere).hasBinaryContent(before);
  }

  @Test
  void thousandsOfFilesBesideTheSegmentsAreNotReadAndKeepNothingFromOpening() throws IOException {
    Path state = directory.resolve("state");
    try (StateStore store = open(state)) {
      store.put(Fixture.A, Fixture.value("one"), Durability.REQUIRED);
    }
    for (int i = 0; i < 20_000; i++) {
      Files.createFile(state.resolve("seg-" + i + ".copy"));
    }

    try (StateStore store = open(state)) {
      assertThat(store.load().value(Fixture.A)).contains(Fixture.value("one"));
      assertThat(store.load().uncertainties()).isEmpty();
    }
  }

  private static StateStore open(Path state) {
    return Journal.open(
        new RealDisk(),
        state,
        JournalSettings.builder().segmentSize(16 * 1024).acceptAnyFilesystem(true).build());
  }
}
