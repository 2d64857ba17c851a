package io.csi4j.volume.internal.journal;

import io.csi4j.fuzz.Choices;
import io.csi4j.fuzz.Finding;
import io.csi4j.volume.internal.disk.FakeDisk;
import io.csi4j.volume.state.HostIdentity;
import io.csi4j.volume.state.HostIdentity.BootId;
import io.csi4j.volume.state.HostIdentity.HostId;
import io.csi4j.volume.state.JournalSettings;
import io.csi4j.volume.state.LoadedState;
import io.csi4j.volume.state.StateException;
import io.csi4j.volume.state.StateKey;
import io.csi4j.volume.state.StateStore.Durability;
import io.csi4j.volume.state.StateValue;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.zip.CRC32C;

/**
 * Segments of a journal: any bytes are opened, or refused with a reason. What is opened holds for
 * each key the newest whole record, and is the same after further records and another opening.
 *
 * <p>A bit of the first byte makes the sums of all that begins like a record fit, so that what is
 * behind them is reached; one makes this the newer of two segments; one leaves the bytes as few as
 * they are, as a segment that was cut off.
 */
public final class JournalFuzz {

  private static final Path STATE = Path.of("/disk/state");
  private static final HostIdentity HOST =
      new HostIdentity(new HostId("host-a"), new BootId("boot-1"), 4026531841L);
  private static final int LEAST = 4096;
  private static final int MOST = 3 * LEAST;
  private static final StateKey ADDED = StateKey.volume("added");

  private JournalFuzz() {}

  /** Opens a journal whose only, or only damaged, segment has these bytes. */
  public static void fuzzerTestOneInput(byte[] input) {
    Choices choices = new Choices(input);
    int first = choices.of(8);
    byte[] segment = choices.rest();
    if (segment.length > MOST) {
      return;
    }
    if ((first & 4) == 0) {
      segment = Arrays.copyOf(segment, Math.max(LEAST, segment.length));
    }
    if ((first & 1) != 0) {
      mend(segment);
    }
    scanned(segment);
    opened(segment, (first & 2) != 0);
  }

  /** Each byte belongs to a record, to a gap, or to the empty rest. */
  private static void scanned(byte[] segment) {
    SegmentScan scan = SegmentScan.of(segment);
    int bytes =
        scan.gaps().stream().mapToInt(SegmentScan.Gap::bytes).sum()
            + scan.entries().stream().mapToInt(Entry::size).sum();
    Finding.unless(bytes == scan.end(), () -> bytes + " bytes are told of " + scan.end());
    Finding.unless(scan.end() < segment.length + Entry.ALIGNMENT, () -> "it ends after its end");
    byte[] rest = Arrays.copyOfRange(segment, Math.min(scan.end(), segment.length), segment.length);
    Finding.unless(
        Arrays.equals(rest, new byte[rest.length]),
        () -> "something follows the end " + scan.end());
    Replay replay = Replay.of(scan, null);
    LoadedState loaded = replay.live().toLoaded(replay.writtenOn());
    loaded
        .values()
        .forEach(
            (key, value) ->
                Finding.unless(isNewest(scan, key, value), () -> "not the newest of " + key));
    if (scan.gaps().isEmpty() && scan.header() != null && !scan.isTruncated()) {
      Finding.unless(!loaded.mayMissKeys() || hasDoubts(scan), () -> "a doubt of a whole segment");
    }
  }

  private static boolean hasDoubts(SegmentScan scan) {
    return scan.entries().stream().anyMatch(entry -> entry.name().kind() == EntryName.DOUBT);
  }

  private static boolean isNewest(SegmentScan scan, StateKey key, StateValue value) {
    Entry newest = null;
    for (Entry entry : scan.entries()) {
      boolean isOfKey =
          entry.name().equals(EntryName.of(key))
              && entry.action() <= Entry.BURY
              && entry.value().length <= StateValue.MAX_SIZE + StateValue.MAX_AROUND;
      if (isOfKey && (newest == null || entry.isAfter(newest))) {
        newest = entry;
      }
    }
    return newest != null && Arrays.equals(newest.value(), value.bytes());
  }

  private static void opened(byte[] segment, boolean older) {
    FakeDisk disk = FakeDisk.with(Path.of("/disk"));
    if (older) {
      try (Journal journal = Journal.open(disk, STATE, settings())) {
        journal.put(StateKey.volume("sound"), StateValue.of(new byte[] {1}), Durability.REQUIRED);
      }
      disk.overwrite(STATE.resolve("seg-00000002.j"), segment);
    } else {
      disk.mkdir(STATE);
      disk.overwrite(STATE.resolve("seg-00000001.j"), segment);
    }
    LoadedState before;
    try (Journal journal = Journal.open(disk, STATE, settings())) {
      before = journal.load();
      before.uncertainties().forEach(doubt -> Finding.unlessOneLine(doubt.text()));
      journal.put(ADDED, StateValue.of(new byte[] {2}), Durability.REQUIRED);
    } catch (StateException refused) {
      Finding.unlessOneLine(String.valueOf(refused.getMessage()));
      return;
    }
    try (Journal journal = Journal.open(disk, STATE, settings())) {
      openedAgain(before, journal.load());
    } catch (StateException refused) {
      // The owner before may have had the last numbers that there are.
      Finding.unless(
          refused.why().contains("the highest possible ones"),
          () -> "it is opened once only: " + refused.getMessage());
    }
  }

  private static void openedAgain(LoadedState before, LoadedState after) {
    Finding.unless(
        after.values().size() == before.values().size() + (before.value(ADDED).isPresent() ? 0 : 1),
        () -> "keys came or went: " + before.values().keySet() + ", " + after.values().keySet());
    before
        .values()
        .forEach(
            (key, value) -> {
              Finding.unless(
                  key.equals(ADDED) || after.value(key).filter(value::equals).isPresent(),
                  () -> "another value of " + key);
              Finding.unless(
                  key.equals(ADDED) || !before.isDoubtful(key) || after.isDoubtful(key),
                  () -> "a doubt of " + key + " is gone");
            });
    Finding.unless(
        after.value(ADDED).filter(StateValue.of(new byte[] {2})::equals).isPresent(),
        () -> "what was put is not there");
    Finding.unless(
        !before.mayMissKeys() || after.mayMissKeys(),
        () -> "that keys may be missing is forgotten");
  }

  private static JournalSettings settings() {
    return JournalSettings.builder().host(HOST).segmentSize(LEAST).ballastSize(2048).build();
  }

  /**
   * Makes both sums fit wherever a record seems to begin; those of {@link Entry}, written again.
   */
  private static void mend(byte[] segment) {
    ByteBuffer bytes = ByteBuffer.wrap(segment).order(ByteOrder.LITTLE_ENDIAN);
    int at = 0;
    while (at + 35 <= segment.length) {
      int magic = bytes.getInt(at);
      int length = bytes.getInt(at + 4);
      int id = segment[at + 30] & 0xff;
      boolean begins =
          (magic == 0x314a5343 || magic == 0x2b4a5343)
              && length >= 23 + id
              && length <= segment.length - at - 12;
      if (begins) {
        CRC32C ofKey = new CRC32C();
        ofKey.update(segment, at + 4, 4);
        ofKey.update(segment, at + 12, 19);
        ofKey.update(segment, at + 35, id);
        bytes.putInt(at + 31, (int) ofKey.getValue());
        CRC32C ofAll = new CRC32C();
        ofAll.update(segment, at + 4, 4);
        ofAll.update(segment, at + 12, length);
        bytes.putInt(at + 8, (int) ofAll.getValue());
      }
      at += begins ? Entry.padded(12 + length) : Entry.ALIGNMENT;
    }
  }
}
