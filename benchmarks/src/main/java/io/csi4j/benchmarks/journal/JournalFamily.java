package io.csi4j.benchmarks.journal;

import io.csi4j.benchmarks.Callers;
import io.csi4j.benchmarks.Comparison;
import io.csi4j.benchmarks.Comparison.Goal;
import io.csi4j.benchmarks.CountingDisk;
import io.csi4j.benchmarks.Report;
import io.csi4j.benchmarks.Unit;
import io.csi4j.volume.internal.disk.RealDisk;
import io.csi4j.volume.internal.journal.Journal;
import io.csi4j.volume.state.JournalSettings;
import io.csi4j.volume.state.journal.JournalStateStore;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Measures the journal, alternately with bare writes. The arguments are DIRECTORY MEMORY SOURCE
 * RESULTS SECONDS BYTES.... DIRECTORY is on a disk, MEMORY on tmpfs, SOURCE is a directory that
 * volumes show, and BYTES are the sizes of the values.
 */
public final class JournalFamily {

  private static final int ROUNDS = 12;
  private static final int WARM_UP = 3;
  private static final int MANY = 64;
  private static final int[] RECORDS = {100, 10_000, 100_000, 300_000};

  /** Number of records up to which a state is compacted more often. */
  private static final int FEW = 10_000;

  private static final double APPEND = 1.1;
  private static final Duration OPENING = Duration.ofSeconds(15);

  /** Approximate number of bytes of a volume's record. */
  private static final int TYPICAL = 400;

  private final Path directory;
  private final long windowMillis;
  private final List<Comparison> rows = new ArrayList<>();

  private JournalFamily(Path directory, long windowMillis) {
    this.directory = directory;
    this.windowMillis = windowMillis;
  }

  /** Runs the measurements, and writes the report. */
  public static void main(String[] args) throws Exception {
    List<Integer> sizes =
        List.of(args).subList(5, args.length).stream().map(Integer::valueOf).toList();
    // A third of the time is reserved for work outside the windows.
    long windows = (ROUNDS + WARM_UP) * (4L * sizes.size() + 5);
    JournalFamily family =
        new JournalFamily(
            Path.of(args[0]), Math.max(30, Long.parseLong(args[4]) * 1000 * 2 / 3 / windows));
    for (int size : sizes) {
      family.appends(family.directory, "", size);
    }
    family.appends(Path.of(args[1]), ", on tmpfs", TYPICAL);
    family.group();
    for (int records : RECORDS) {
      family.compactions(records);
    }
    family.mount(Path.of(args[2]));
    new Report("The journal", introduction(), family.rows).write(Path.of(args[3]), "journal");
  }

  private static String introduction() {
    return "A key gets a new value: a record with head and padding goes to the next place of a file"
        + " that was made beforehand, and is on the disk when the call returns. The limit writes as"
        + " many bytes to the next place of such a file, without looking at anything, and waits for"
        + " fdatasync; when many callers append, each of its records has a sync of its own. What a"
        + " full segment costs, which is written anew, is part of the journal's figures. On tmpfs,"
        + " where nothing waits for a disk, what is left is the work of the processors. Size is"
        + " the bytes of a record; where it is 64, the number of callers; in the rows on"
        + " compaction and opening, how many records of "
        + TYPICAL
        + " bytes are remembered. The limit beside a compaction is the median of fifty, without a"
        + " journal; how long the longest of these took has a row of its own.";
  }

  private void appends(Path below, String where, int size) throws Exception {
    JournalSettings settings = JournalSettings.builder().acceptAnyFilesystem(true).build();
    try (JournalStateStore store =
        JournalStateStore.open(below.resolve("append-" + size), settings)) {
      Appends ours = new Appends(store, size);
      int bytes = ours.bytes();
      try (BareLog bare = new BareLog(below.resolve("bare-" + size), bytes)) {
        compare("append, 1 caller" + where, bytes, 1, ours, bare);
        compare("append, 64 callers" + where, bytes, MANY, ours, bare);
      }
    }
  }

  /** Measures both sides alternately. The first window of each side is not counted. */
  private void compare(
      String operation, int bytes, int callers, Callers.Work ours, Callers.Work theirs)
      throws Exception {
    Callers crowd = new Callers(callers, windowMillis);
    List<Double> our = new ArrayList<>();
    List<Double> their = new ArrayList<>();
    for (int round = -WARM_UP; round < ROUNDS; round++) {
      boolean first = round % 2 == 0;
      double one = first ? crowd.nanosEach(ours) : 0;
      double other = crowd.nanosEach(theirs);
      one = first ? one : crowd.nanosEach(ours);
      if (round >= 0) {
        our.add(one);
        their.add(other);
      }
    }
    rows.add(
        Comparison.ofTimes(
            operation,
            "bare write and fdatasync for each record",
            bytes,
            our,
            their,
            Goal.ratio(APPEND)));
  }

  /** Measures the number of syncs that many concurrent callers need together. */
  private void group() throws Exception {
    CountingDisk counted = new CountingDisk(new RealDisk());
    try (Journal store =
        Journal.open(counted, directory.resolve("group"), JournalSettings.defaults())) {
      Appends work = new Appends(store, TYPICAL);
      Callers crowd = new Callers(MANY, windowMillis);
      List<Double> syncs = new ArrayList<>();
      for (int round = -WARM_UP; round < ROUNDS; round++) {
        long records = work.done();
        long before = counted.syncs();
        double nanos = crowd.nanosEach(work);
        if (round >= 0 && nanos > 0) {
          syncs.add((counted.syncs() - before) / (double) (work.done() - records));
        }
      }
      rows.add(
          Comparison.alone(
              "syncs for each record, 64 callers", MANY, Unit.COUNT, syncs, Goal.most(0.99)));
    }
  }

  private void compactions(int records) throws Exception {
    try (Compactions work =
        new Compactions(directory.resolve("full-" + records), records, TYPICAL)) {
      work.run(records > FEW ? 2 : ROUNDS / 2);
      String limit = "an append and two syncs: of a file grown by 64 KiB, and of names";
      beside("append beside a compaction, median", limit, records, work.medians(), work.limit());
      beside("append beside a compaction, p99", limit, records, work.slow(), work.limit());
      beside("append beside a compaction, longest", limit, records, work.slowest(), work.limit());
      rows.add(
          Comparison.alone(
              "longest of fifty times that limit",
              records,
              Unit.TIME,
              work.slowestLimit(),
              Optional.empty()));
      rows.add(
          Comparison.alone(
              "longest pause of the JVM's collector meanwhile",
              records,
              Unit.TIME,
              work.pauses(),
              Optional.empty()));
      rows.add(
          Comparison.alone(
              "opening",
              records,
              Unit.TIME,
              work.openings(),
              Goal.most((double) OPENING.toNanos())));
    }
  }

  private void beside(
      String operation, String limit, int records, List<Double> ours, List<Double> theirs) {
    rows.add(Comparison.ofTimes(operation, limit, records, ours, theirs, Goal.ratio(1)));
  }

  private void mount(Path source) throws Exception {
    OneMount mounts = new OneMount(directory.resolve("m"), source);
    rows.add(
        Comparison.alone(
            "bytes, mount + unmount", 1, Unit.BYTES, mounts.bytes(), Optional.empty()));
    rows.add(
        Comparison.alone(
            "records, mount + unmount", 1, Unit.COUNT, mounts.records(), Optional.empty()));
  }
}
