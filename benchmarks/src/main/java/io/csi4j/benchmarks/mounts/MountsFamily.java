package io.csi4j.benchmarks.mounts;

import io.csi4j.benchmarks.Comparison;
import io.csi4j.benchmarks.Comparison.Goal;
import io.csi4j.benchmarks.Machine;
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
import java.util.TreeSet;
import java.util.stream.Stream;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.Options;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/**
 * Measures operations on mounts, in a mount namespace that {@code benchmarks/run} created.
 *
 * <p>Arguments: a directory with {@code source} and {@code volumes} mounted in it, the C program or
 * {@code -}, the directory for results, the total seconds, the home of a newer JDK or {@code -},
 * and the numbers of volumes.
 */
public final class MountsFamily {

  /**
   * Maximum number of rounds. JVMs compile code differently in each run, so several JVMs with short
   * measurements are better than one JVM with a long measurement.
   */
  private static final int MOST_ROUNDS = 6;

  /**
   * Length of a window: short enough that most windows are not disturbed, and long enough that the
   * cost of starting a window is small in comparison.
   */
  private static final long WINDOW_MILLIS = 40;

  private static final int FEWEST_WINDOWS = 5;

  /**
   * Approximate time to read a mount table, for each mount. A window contains at least one read of
   * the table.
   */
  private static final double MILLIS_PER_ROW = 0.004;

  /** Maximum number of volumes to which goals in units of time apply. */
  private static final int LARGEST_WITH_A_TIME = 10_000;

  /** Number of warm-up iterations until the JVM has compiled the code of an operation. */
  private static final int WARMUPS = 5;

  /** Number of warm-up iterations if there is little time. */
  private static final int FEWEST_WARMUPS = 2;

  private static final TimeValue WARMUP = TimeValue.milliseconds(400);

  /**
   * Length of a warm-up iteration for operations that read tables. Code that runs once for each
   * table is compiled only after hundreds of tables.
   */
  private static final TimeValue WARMUP_OF_TABLES = TimeValue.seconds(2);

  /** Mean time in which a JVM starts and warms up. */
  private static final double STARTING_SECONDS = 4.5;

  /** Minimum measured time of a round, over all sides. */
  private static final double SHORTEST_ROUND_SECONDS = 1.5;

  /**
   * The measured operations.
   *
   * @param name the method of {@link MountBenchmarks}
   * @param text the description for people
   * @param limits the operations of the C program that serve as limits, with their names
   */
  private record Operation(String name, String text, List<Limit> limits, Jvm jvm) {

    Operation(String name, String text, List<Limit> limits) {
      this(name, text, limits, Jvm.at(System.getProperty("java.home"), "", List.of()));
    }

    boolean isWholeTable() {
      return name.equals("table");
    }

    /** Returns the operation in another JVM, with another goal. */
    Operation in(Jvm other, Optional<Goal> goal) {
      List<Limit> same =
          limits.stream().map(limit -> new Limit(limit.name, limit.text, goal)).toList();
      return new Operation(name, text + ", " + other.text, same, other);
    }
  }

  /**
   * A JVM in which operations are measured.
   *
   * @param java the path of its program
   * @param text its description for people
   */
  private record Jvm(String java, String text, List<String> options) {

    static Jvm at(String home, String text, List<String> options) {
      return new Jvm(Path.of(home, "bin", "java").toString(), text, options);
    }
  }

  private record Limit(String name, String text, Optional<Goal> goal) {}

  private static final List<Operation> OPERATIONS =
      List.of(
          new Operation(
              "probe",
              "probe of a mount point",
              List.of(new Limit("probe", "C: statx", Goal.ratio(1.4)))),
          new Operation(
              "probePlain",
              "probe of a plain directory",
              List.of(new Limit("probePlain", "C: statx", Goal.ratio(1.4)))),
          new Operation(
              "find",
              "full record of a path",
              List.of(new Limit("find", "C: statx, statmount", Goal.ratio(1.25)))),
          new Operation(
              "table",
              "whole table",
              List.of(
                  new Limit(
                      "table", "C: listmount, mountinfo parsed, listmount", Goal.ratio(1.05)))),
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

  /**
   * The operations that depend on the binding of the system calls, with their goals for the newer
   * binding.
   */
  private static final Map<String, Optional<Goal>> ON_NEWER =
      Map.of(
          "probe", Goal.ratio(1.15),
          "probePlain", Goal.ratio(1.15),
          "find", Goal.ratio(1.1));

  /** The system property with the program that starts a JVM in a slave mount namespace. */
  private static final String SLAVE_PROPERTY = "csi4j.benchmarks.slave";

  /** Numbers of volumes with which a slave mount namespace is measured. */
  private static final List<Integer> SIZES_OF_SLAVES = List.of(1000, 8000);

  /**
   * Maximum number of volumes on the newer JDK. The binding of system calls does not depend on the
   * number of volumes.
   */
  private static final int LARGEST_ON_NEWER = 1000;

  private final Layout layout;
  private final Optional<String> c;
  private final List<Operation> newer;
  private final int warmUps;
  private final int rounds;
  private final double millisPerSide;

  /**
   * A run of the family.
   *
   * @param newer the operations that are measured in other JVMs, too
   * @param secondsEach the total time for all rounds of one operation
   */
  private MountsFamily(
      Layout layout, Optional<String> c, List<Operation> newer, double secondsEach) {
    this.layout = layout;
    this.c = c;
    this.newer = newer;
    this.rounds = rounds(secondsEach);
    warmUps = secondsEach < STARTING_SECONDS ? FEWEST_WARMUPS : WARMUPS;
    // The time is shared by three sides: Java, and up to two limits.
    this.millisPerSide = Math.max(0, 1000 * (secondsEach / rounds - STARTING_SECONDS) / 3);
  }

  /**
   * Returns an even number of rounds, so that each side is first and second equally often; one
   * round if time is short.
   */
  private static int rounds(double secondsEach) {
    int rounds = (int) (secondsEach / (STARTING_SECONDS + SHORTEST_ROUND_SECONDS));
    return Math.max(1, Math.min(MOST_ROUNDS, rounds) / 2 * 2);
  }

  /**
   * The windows of one side in one round.
   *
   * @param count the number of windows
   * @param millis the length of each window
   */
  private record Windows(int count, long millis) {}

  private Windows windows(Operation operation, int size) {
    double table = operation.isWholeTable() ? MILLIS_PER_ROW * size : 0;
    long millis = Math.max(WINDOW_MILLIS, Math.round(table));
    return new Windows((int) Math.max(FEWEST_WINDOWS, millisPerSide / millis), millis);
  }

  /** Runs all measurements, and writes the report. */
  public static void main(String[] words) throws Exception {
    Layout layout = new Layout(MountPath.of(words[0]));
    Optional<String> c = Optional.of(words[1]).filter(program -> !program.equals("-"));
    List<Integer> sizes = new ArrayList<>();
    for (int i = 5; i < words.length; i++) {
      sizes.add(Integer.parseInt(words[i]));
    }
    List<Operation> newer = words[4].equals("-") ? List.of() : onNewer(words[4]);
    long measured =
        (long) sizes.size() * OPERATIONS.size()
            + 2L * sizesOfSlaves(c, sizes).size()
            + newer.size() * sizes.stream().filter(size -> size <= LARGEST_ON_NEWER).count();
    MountsFamily family =
        new MountsFamily(layout, c, newer, Double.parseDouble(words[3]) / measured);
    List<Comparison> rows = family.measure(sizes);
    new Report("Mounts", family.introduction(), rows).write(Path.of(words[2]), "mounts");
  }

  /** Returns the operations on the newer JDK, first with one binding and then with the other. */
  private static List<Operation> onNewer(String home) throws IOException {
    String java = "Java " + Machine.javaOf(Path.of(home));
    String access = "--enable-native-access=ALL-UNNAMED";
    Jvm foreign = Jvm.at(home, java, List.of(access));
    Jvm jna = Jvm.at(home, java + " by JNA", List.of(access, "-Dcsi4j.mount.binding=jna"));
    List<Operation> operations = new ArrayList<>();
    for (Operation operation : OPERATIONS) {
      if (ON_NEWER.containsKey(operation.name())) {
        operations.add(operation.in(foreign, ON_NEWER.get(operation.name())));
        operations.add(operation.in(jna, Optional.empty()));
      }
    }
    return operations;
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
        + " the machine's own mounts. JMH 1.37, JNA 5.19.1."
        + " A slave namespace has its volumes in one peer group of the namespace that it is a slave"
        + " of."
        + (newer.isEmpty()
            ? ""
            : " Rows with another Java are of a newer JDK, by `java.lang.foreign` where they do not"
                + " say JNA.");
  }

  private List<Comparison> measure(List<Integer> sizes) throws Exception {
    List<Comparison> rows = new ArrayList<>();
    List<Operation> all = Stream.concat(OPERATIONS.stream(), newer.stream()).toList();
    Map<Operation, List<Comparison>> byOperation = new HashMap<>();
    List<Integer> ofSlaves = sizesOfSlaves(c, sizes);
    List<Comparison> slaves = new ArrayList<>();
    int mounted = 0;
    for (int size : new TreeSet<>(Stream.concat(sizes.stream(), ofSlaves.stream()).toList())) {
      mount(mounted, size);
      mounted = size;
      if (ofSlaves.contains(size)) {
        slaves.add(slave(size));
      }
      for (Operation operation : sizes.contains(size) ? all : List.<Operation>of()) {
        if (size > LARGEST_ON_NEWER && newer.contains(operation)) {
          continue;
        }
        byOperation
            .computeIfAbsent(operation, key -> new ArrayList<>())
            .addAll(measure(operation, size));
      }
    }
    all.forEach(operation -> rows.addAll(byOperation.getOrDefault(operation, List.of())));
    rows.addAll(slaves);
    return rows;
  }

  /**
   * Returns no sizes without the C program, because it mounts the volumes in the slave namespace.
   */
  private static List<Integer> sizesOfSlaves(Optional<String> c, List<Integer> sizes) {
    int largest = sizes.stream().max(Integer::compare).orElse(0);
    return c.isEmpty()
        ? List.of()
        : SIZES_OF_SLAVES.stream().filter(size -> size <= largest).toList();
  }

  /**
   * Compares the table of a slave mount namespace with the table of this private namespace,
   * alternately.
   */
  private Comparison slave(int size) throws RunnerException {
    Operation here = OPERATIONS.stream().filter(Operation::isWholeTable).findFirst().orElseThrow();
    List<String> volumes =
        List.of(
            "-Dcsi4j.benchmarks.slaves=" + size, "-Dcsi4j.benchmarks.mounts=" + c.orElseThrow());
    Jvm java = new Jvm(System.getProperty(SLAVE_PROPERTY), "in a slave namespace", volumes);
    Operation there = here.in(java, Optional.empty());
    Windows windows = windows(here, size);
    List<Double> ours = new ArrayList<>();
    List<Double> theirs = new ArrayList<>();
    for (int round = 0; round < rounds; round++) {
      boolean isSlaveFirst = round % 2 == 0;
      if (isSlaveFirst) {
        ours.addAll(java(there, size, windows));
      }
      theirs.addAll(java(here, size, windows));
      if (!isSlaveFirst) {
        ours.addAll(java(there, size, windows));
      }
    }
    return Comparison.ofTimes(
        there.text(), "in a private namespace", size, ours, theirs, Goal.ratio(1.2));
  }

  private List<Comparison> measure(Operation operation, int size) throws Exception {
    List<Double> ours = new ArrayList<>();
    Map<Limit, List<Double>> theirs = new HashMap<>();
    Windows windows = windows(operation, size);
    for (int round = 0; round < rounds; round++) {
      // The order alternates as A B, B A, so that a gradual change of the machine's speed affects
      // both sides equally.
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
                  .filter(goal -> goal instanceof Goal.Ratio || size <= LARGEST_WITH_A_TIME)));
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
            .jvm(operation.jvm().java())
            .forks(1)
            .warmupIterations(warmUps)
            .warmupTime(operation.isWholeTable() ? WARMUP_OF_TABLES : WARMUP)
            .measurementIterations(windows.count())
            .measurementTime(TimeValue.milliseconds(windows.millis()))
            .jvmArgsAppend(jvmArguments(operation))
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

  private String[] jvmArguments(Operation operation) {
    List<String> all = new ArrayList<>(operation.jvm().options());
    all.add("-D" + Layout.PROPERTY + "=" + layout.directory());
    all.addAll(List.of("-Xms1g", "-Xmx1g", "-XX:+AlwaysPreTouch"));
    return all.toArray(String[]::new);
  }

  /** Mounts the volumes with the numbers in this range. */
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
