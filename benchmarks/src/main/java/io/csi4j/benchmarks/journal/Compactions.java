package io.csi4j.benchmarks.journal;

import io.csi4j.volume.state.JournalSettings;
import io.csi4j.volume.state.StateEvent;
import io.csi4j.volume.state.StateStore.Durability;
import io.csi4j.volume.state.StateValue;
import io.csi4j.volume.state.journal.JournalStateStore;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * Measures the duration of appends while the state is written to a new segment at the same time.
 * The limit is an append plus the other syncs that it may have to wait for: the sync of a file that
 * has grown, and the sync of the directory in which the file was renamed.
 */
final class Compactions implements AutoCloseable {

  private static final int SOME = 50;
  private static final int STEP = 64 * 1024;
  private static final StateValue FILLER = StateValue.of(new byte[32 * 1024]);

  private final Path directory;
  private final Path state;
  private final JournalStateStore store;
  private final int records;
  private final StateValue value;
  private final List<Double> medians = new ArrayList<>();
  private final List<Double> slow = new ArrayList<>();
  private final List<Double> slowest = new ArrayList<>();
  private final List<Double> bare = new ArrayList<>();
  private final List<Double> bareSlowest = new ArrayList<>();
  private final List<Double> pauses = new ArrayList<>();
  private final LongestPause pause = new LongestPause();
  private final List<Double> openings = new ArrayList<>();
  private boolean compacted;
  private int next;

  /** Creates a state with this number of records of this size. */
  Compactions(Path directory, int records, int bytes) throws IOException {
    this.directory = Files.createDirectories(directory);
    this.state = directory.resolve("state");
    this.records = records;
    this.value = StateValue.of(new byte[bytes]);
    try (JournalStateStore filled = open()) {
      for (int i = 0; i < records; i++) {
        filled.put(Appends.key(i), value, Durability.DEFERRED);
      }
    }
    long begun = System.nanoTime();
    this.store = open();
    openings.add((double) (System.nanoTime() - begun));
  }

  private JournalStateStore open() {
    return JournalStateStore.open(state, JournalSettings.builder().listener(this::told).build());
  }

  private void told(StateEvent event) {
    compacted |= event instanceof StateEvent.Compacted;
  }

  /** Runs this number of compactions. The first compactions are not counted. */
  void run(int rounds) throws IOException {
    for (int i = 0; i <= rounds; i++) {
      pause.forget();
      List<Double> times = once();
      if (i > 0) {
        pauses.add(pause.nanos());
        Collections.sort(times);
        medians.add(times.get(times.size() / 2));
        slow.add(times.get(times.size() * 99 / 100));
        slowest.add(times.get(times.size() - 1));
        bare();
      }
    }
  }

  /** The durations of the appends during compactions. */
  private List<Double> once() {
    while (!isRunning()) {
      store.put(Appends.key(0), FILLER, Durability.REQUIRED);
    }
    List<Double> times = new ArrayList<>();
    compacted = false;
    while (!compacted) {
      // The next record is far from the last one, and no record is repeated soon.
      next = (next + 7919) % records;
      long begun = System.nanoTime();
      store.put(Appends.key(next), value, Durability.REQUIRED);
      times.add((double) (System.nanoTime() - begun));
    }
    return times;
  }

  private boolean isRunning() {
    String[] names = state.toFile().list((there, name) -> name.endsWith(".new"));
    return names != null && names.length > 0;
  }

  /** Measures the limit several times. */
  private void bare() throws IOException {
    List<Double> times = new ArrayList<>();
    Path unfinished = directory.resolve("bare.new");
    Path log = directory.resolve("bare.log");
    byte[] record = new byte[(int) Files.size(log(log)) / SOME];
    byte[] step = new byte[STEP];
    try (RandomAccessFile appended = new RandomAccessFile(log.toFile(), "rw");
        FileChannel there = FileChannel.open(directory, StandardOpenOption.READ)) {
      for (int i = 0; i < SOME; i++) {
        record[0]++;
        try (RandomAccessFile grown = new RandomAccessFile(unfinished.toFile(), "rw")) {
          grown.write(step);
          grown.getChannel().force(false);
          long begun = System.nanoTime();
          appended.write(record);
          appended.getChannel().force(false);
          grown.write(step);
          grown.getChannel().force(false);
          Files.move(unfinished, directory.resolve("bare"), StandardCopyOption.ATOMIC_MOVE);
          there.force(true);
          times.add((double) (System.nanoTime() - begun));
        }
      }
    }
    Collections.sort(times);
    bare.add(times.get(SOME / 2));
    bareSlowest.add(times.get(SOME - 1));
  }

  /** Creates a file with space for some records, and syncs it. */
  private Path log(Path log) throws IOException {
    if (!Files.exists(log)) {
      try (RandomAccessFile made = new RandomAccessFile(log.toFile(), "rw")) {
        made.write(new byte[SOME * (value.bytes().length + 64)]);
        made.getFD().sync();
      }
    }
    return log;
  }

  /** Returns the median append during each compaction. */
  List<Double> medians() {
    return medians;
  }

  /** Returns the 99th percentile of the appends during each compaction. */
  List<Double> slow() {
    return slow;
  }

  /** Returns the longest append during each compaction. */
  List<Double> slowest() {
    return slowest;
  }

  /** Returns the longest pause for garbage collection during each compaction. */
  List<Double> pauses() {
    return pauses;
  }

  /** Returns the median duration of the limit after each compaction. */
  List<Double> limit() {
    return bare;
  }

  /** Returns the longest duration of the limit after each compaction. */
  List<Double> slowestLimit() {
    return bareSlowest;
  }

  /** Returns the durations of opening the state. */
  List<Double> openings() {
    return openings;
  }

  @Override
  public void close() {
    store.close();
  }
}
