package io.csi4j.benchmarks.mounts;

import io.csi4j.benchmarks.Comparison;
import io.csi4j.benchmarks.Comparison.Goal;
import io.csi4j.benchmarks.Program;
import io.csi4j.benchmarks.Report;
import io.csi4j.mount.Mounts;
import io.csi4j.mount.model.BindRequest;
import io.csi4j.mount.model.MountPath;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.Options;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/**
 * Measures the mounts, inside a mount namespace that {@code benchmarks/run} made.
 *
 * <p>Arguments: a directory with {@code source} and {@code volumes} mounted in it, the C program or
 * {@code -}, the directory for results, seconds to spend, and the numbers of volumes.
 */
public final class MountsFamily {

  /** JVMs differ by what they compiled when, so a few are better than one that measures long. */
  private static final int MOST_ROUNDS = 6;

  /** So short that many are not disturbed, and so long that starting one is nothing. */
  private static final long WINDOW_MILLIS = 40;

  private static final int FEWEST_WINDOWS = 5;

  /** About what a table costs for each of its mounts; a window has one table at least. */
  private static final double MILLIS_PER_ROW = 0.004;

  /** Goals that are times are for this many volumes. */
  private static final int LARGEST_WITH_A_TIME = 10_000;

  /** Until the compilers of the JVM are done with operations of a microsecond, and of more. */
  private static final int WARMUPS = 5;

  /** Where there is less time than it takes to start. */
  private static final int FEWEST_WARMUPS = 2;

  private static final TimeValue WARMUP = TimeValue.milliseconds(400);

  /** What is called once for a whole table is compiled after hundreds of tables. */
  private static final TimeValue WARMUP_OF_TABLES = TimeValue.seconds(2);

  /** What a JVM needs to start and to warm up, as a mean of all operations. */
  private static final double STARTING_SECONDS = 4.5;

  /** What is measured in a round at least, on all sides. */
  private static final double SHORTEST_ROUND_SECONDS = 1.5;

  /**
   * What is measured.
   *
   * @param name the method of {@link MountBenchmarks}
   * @param text for people
   * @param limits the operations of the C program that it is compared with, with their names
   */
  private record Operation(String name, String text, List<Limit> limits) {
    boolean isWholeTable() {
      return name.equals("table");
    }
  }

  private record Limit(String name, String text, Optional<Goal> goal) {}

  private static final List<Operation> OPERATIONS =
      List.of(
          new Operation(
              "probe",
              "probe of a mount point",
              List.of(new Limit("probe", "C: statx", Goal.bestRatio(1.4)))),
          new Operation(
              "probePlain",
              "probe of a plain directory",
              List.of(new Limit("probePlain", "C: statx", Goal.bestRatio(1.4)))),
          new Operation(
              "find",
              "full record of a path",
              List.of(new Limit("find", "C: statx, statmount", Goal.bestRatio(1.25)))),
          new Operation(
              "table",
              "whole table",
              List.of(
                  new Limit(
                      "table", "C: listmount, mountinfo parsed, listmount", Goal.bestRatio(1.05)))),
          new Operation(
              "refresh",
              "refresh after one change",
              List.of(
                  new Limit("refresh", "C: listmount, statmount of the new one", Goal.most(1e6)))),
          new Operation(
              "bindUnmount",
              "bind + unmount",
              List.of(
                  new Limit("bindUnmount", "C: the same by descriptors", Optional.empty()),
                  new Limit("bindUnmountBare", "C: mount, umount2", Optional.empty()))));

  private final Layout layout;
  private final Optional<String> c;
  private final int warmUps;
  private final int rounds;
  private final double millisPerSide;

  /**
   * A run of the family.
   *
   * @param secondsEach how long all rounds of an operation may take
   */
  private MountsFamily(Layout layout, Optional<String> c, double secondsEach) {
    this.layout = layout;
    this.c = c;
    this.rounds = rounds(secondsEach);
    warmUps = secondsEach < STARTING_SECONDS ? FEWEST_WARMUPS : WARMUPS;
    // Java, and up to two limits.
    this.millisPerSide = Math.max(0, 1000 * (secondsEach / rounds - STARTING_SECONDS) / 3);
  }

  /** An even number, so that each side is as often first as it is second; one if time is short. */
  private static int rounds(double secondsEach) {
    int rounds = (int) (secondsEach / (STARTING_SECONDS + SHORTEST_ROUND_SECONDS));
    return Math.max(1, Math.min(MOST_ROUNDS, rounds) / 2 * 2);
  }

  /**
   * The windows of one side in one round.
   *
   * @param count how many there are
   * @param millis how long each is
   */
  private record Windows(int count, long millis) {}

  private Windows windows(Operation operation, int size) {
    double table = operation.isWholeTable() ? MILLIS_PER_ROW * size : 0;
    long millis = Math.max(WINDOW_MILLIS, Math.round(table));
    return new Windows((int) Math.max(FEWEST_WINDOWS, millisPerSide / millis), millis);
  }

  /** Measures everything and writes the report. */
  public static void main(String[] words) throws Exception {
    Layout layout = new Layout(MountPath.of(words[0]));
    Optional<String> c = Optional.of(words[1]).filter(program -> !program.equals("-"));
    List<Integer> sizes = new ArrayList<>();
    for (int i = 4; i < words.length; i++) {
      sizes.add(Integer.parseInt(words[i]));
    }
    double secondsEach = Double.parseDouble(words[3]) / (sizes.size() * OPERATIONS.size());
    MountsFamily family = new MountsFamily(layout, c, secondsEach);
    List<Comparison> rows = family.measure(sizes);
    new Report("Mounts", family.introduction(), rows).write(Path.of(words[2]), "mounts");
  }

  private String introduction() throws IOException {
    return "Each operation of mount-linux beside a C program that makes the same system calls"
        + " (`src/main/c/mounts.c`), in turns, in "
        + rounds
        + " rounds of many windows of "
        + WINDOW_MILLIS
        + " ms each (longer where a whole table takes longer), in every second round C first;"
        + " every round of Java is a new JVM that has touched its heap already, as C has its"
        + " memory. The size is how many volumes are bound beside"
        + " the machine's own mounts. The best window of each side is the one that other work on"
        + " the machine disturbed least; goals are judged by it. JMH 1.37, JNA"
        + " 5.19.1.";
  }

  private List<Comparison> measure(List<Integer> sizes) throws Exception {
    List<Comparison> rows = new ArrayList<>();
    Map<Operation, List<Comparison>> byOperation = new HashMap<>();
    int mounted = 0;
    for (int size : sizes) {
      mount(mounted, size);
      mounted = size;
      for (Operation operation : OPERATIONS) {
        byOperation
            .computeIfAbsent(operation, key -> new ArrayList<>())
            .addAll(measure(operation, size));
      }
    }
    OPERATIONS.forEach(operation -> rows.addAll(byOperation.getOrDefault(operation, List.of())));
    return rows;
  }

  private List<Comparison> measure(Operation operation, int size) throws Exception {
    List<Double> ours = new ArrayList<>();
    Map<Limit, List<Double>> theirs = new HashMap<>();
    Windows windows = windows(operation, size);
    for (int round = 0; round < rounds; round++) {
      // In turns as A B, B A: what gets slower or faster meanwhile does so for both.
      boolean isJavaFirst = round % 2 == 1;
      if (isJavaFirst) {
        ours.addAll(java(operation, size, windows));
      }
      for (Limit limit : operation.limits()) {
        theirs.computeIfAbsent(limit, key -> new ArrayList<>()).addAll(c(limit, size, windows));
      }
      if (!isJavaFirst) {
        ours.addAll(java(operation, size, windows));
      }
    }
    List<Comparison> rows = new ArrayList<>();
    for (Limit limit : operation.limits()) {
      rows.add(
          Comparison.ofTimes(
              operation.text(),
              limit.text(),
              size,
              ours,
              theirs.getOrDefault(limit, List.of()),
              limit
                  .goal()
                  .filter(goal -> goal instanceof Goal.BestRatio || size <= LARGEST_WITH_A_TIME)));
    }
    return rows;
  }

  private List<Double> c(Limit limit, int size, Windows windows)
      throws IOException, InterruptedException {
    if (c.isEmpty()) {
      return List.of();
    }
    return Program.run(
            c.get(),
            limit.name(),
            layout.directory().toString(),
            Integer.toString(size),
            Integer.toString(windows.count()),
            Long.toString(windows.millis()))
        .stream()
        .map(Double::valueOf)
        .toList();
  }

  private List<Double> java(Operation operation, int size, Windows windows) throws RunnerException {
    Options options =
        new OptionsBuilder()
            .include("^" + MountBenchmarks.class.getName() + "\\." + operation.name() + "$")
            .param("size", Integer.toString(size))
            .forks(1)
            .warmupIterations(warmUps)
            .warmupTime(operation.isWholeTable() ? WARMUP_OF_TABLES : WARMUP)
            .measurementIterations(windows.count())
            .measurementTime(TimeValue.milliseconds(windows.millis()))
            .jvmArgsAppend(
                "-D" + Layout.PROPERTY + "=" + layout.directory(),
                "-Xms1g",
                "-Xmx1g",
                "-XX:+AlwaysPreTouch")
            .verbosity(VerboseMode.SILENT)
            .shouldFailOnError(true)
            .build();
    List<Double> scores = new ArrayList<>();
    for (RunResult result : new Runner(options).run()) {
      result.getBenchmarkResults().stream()
          .flatMap(fork -> fork.getIterationResults().stream())
          .map(IterationResult::getPrimaryResult)
          .forEach(window -> scores.add(window.getScore()));
    }
    return scores;
  }

  /** Binds the volumes from one number up to another. */
  private void mount(int from, int to) throws IOException, InterruptedException {
    Files.createDirectories(layout.spare().toPath());
    if (c.isPresent()) {
      Program.run(
          c.get(),
          "setup",
          layout.directory().toString(),
          Integer.toString(from),
          Integer.toString(to));
      return;
    }
    for (int i = from; i < to; i++) {
      Files.createDirectories(layout.volume(i).toPath());
      Mounts.system().bind(BindRequest.builder(layout.source(), layout.volume(i)).build());
    }
  }
}
