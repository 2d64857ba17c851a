package io.csi4j.benchmarks.journal;

import io.csi4j.volume.state.Durability;
import io.csi4j.volume.state.JournalSettings;
import io.csi4j.volume.state.StateEvent;
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
 * How long an append takes that finds its segment full, and writes all that is remembered to a new
 * one. The limit writes a file of that size under another name, syncs it, renames it, and syncs the
 * directory.
 */
final class Compactions implements AutoCloseable {

  private static final int SMALL = 50;
  private static final StateValue FILLER = StateValue.of(new byte[32 * 1024]);

  private final Path directory;
  private final JournalStateStore store;
  private final List<Double> pauses = new ArrayList<>();
  private final List<Double> appends = new ArrayList<>();
  private final List<Double> bare = new ArrayList<>();
  private final byte[] all;
  private boolean compacted;

  /** With so many records of so many bytes each. */
  Compactions(Path directory, int records, int bytes) throws IOException {
    this.directory = Files.createDirectories(directory);
    this.store =
        JournalStateStore.open(
            directory.resolve("state"), JournalSettings.builder().listener(this::told).build());
    StateValue value = StateValue.of(new byte[bytes]);
    for (int i = 0; i < records; i++) {
      store.put(Appends.key(i), value, Durability.BEST_EFFORT);
    }
    once(bytes);
    pauses.clear();
    appends.clear();
    this.all = new byte[Math.toIntExact(Files.size(newest()))];
  }

  private Path newest() throws IOException {
    try (var files = Files.list(directory.resolve("state"))) {
      return files
          .filter(file -> file.toString().endsWith(".j"))
          .max(Path::compareTo)
          .orElseThrow();
    }
  }

  private void told(StateEvent event) {
    compacted |= event instanceof StateEvent.Compacted;
  }

  /** Lets it happen so often. */
  void run(int rounds, int bytes) throws IOException {
    for (int i = 0; i < rounds; i++) {
      once(bytes);
      long begun = System.nanoTime();
      bare();
      bare.add((double) (System.nanoTime() - begun));
    }
  }

  private void once(int bytes) {
    StateValue value = StateValue.of(new byte[bytes]);
    List<Double> some = new ArrayList<>();
    for (int i = 0; i < SMALL; i++) {
      some.add(timed(value));
    }
    Collections.sort(some);
    appends.add(some.get(SMALL / 2));
    compacted = false;
    while (!compacted) {
      double time = timed(FILLER);
      if (compacted) {
        pauses.add(time);
      }
    }
  }

  private double timed(StateValue value) {
    long begun = System.nanoTime();
    store.put(Appends.key(0), value, Durability.REQUIRED);
    return System.nanoTime() - begun;
  }

  private void bare() throws IOException {
    Path unfinished = directory.resolve("bare.new");
    try (RandomAccessFile file = new RandomAccessFile(unfinished.toFile(), "rw")) {
      file.write(all);
      file.getFD().sync();
    }
    Files.move(unfinished, directory.resolve("bare"), StandardCopyOption.ATOMIC_MOVE);
    try (FileChannel open = FileChannel.open(directory, StandardOpenOption.READ)) {
      open.force(true);
    }
  }

  /** How long those took that compacted. */
  List<Double> pauses() {
    return pauses;
  }

  /** How long those took that did not: the median of some before each that did. */
  List<Double> appends() {
    return appends;
  }

  /** How long the limit took. */
  List<Double> limit() {
    return bare;
  }

  @Override
  public void close() {
    store.close();
  }
}
