package io.csi4j.benchmarks.many;

import io.csi4j.benchmarks.Comparison;
import io.csi4j.benchmarks.Comparison.Goal;
import io.csi4j.benchmarks.Figures;
import io.csi4j.benchmarks.Machine;
import io.csi4j.benchmarks.Program;
import io.csi4j.benchmarks.Report;
import io.csi4j.benchmarks.Rounds;
import io.csi4j.benchmarks.Unit;
import io.csi4j.benchmarks.many.MountNamespace.Medians;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.ToDoubleFunction;

/**
 * Measures the costs of many volumes. The arguments are MEMORY DISK SOURCE RESULTS SECONDS BINDS
 * STRANGERS NEWER ARCHIVED SIZE.... MEMORY is a directory on tmpfs, DISK a directory on disk, and
 * SOURCE the directory that all binds show. BINDS is the number of binds, STRANGERS the number of
 * foreign mounts in a separate measurement. NEWER is the home of a newer JDK or {@code -}. ARCHIVED
 * is the size for which starts with class archives are also measured. Must run in its own mount
 * namespace.
 */
public final class ManyFamily {

  /**
   * Approximate total number of volumes over all JVMs that start with one size. There are at least
   * two JVMs for each size.
   */
  private static final int VOLUMES = 50_000;

  private static final int MOST_JVMS = 5;
  private static final int LEAST_JVMS = 2;

  /** Number of seconds below which each size has the minimum number of JVMs. */
  private static final int SHORT_SECONDS = 60;

  /** Number of starts in one JVM: the first start, and starts in a JVM that is already warm. */
  private static final int STARTS = 3;

  private static final String HEAP = "1g";

  /** Number of volumes above which the JVM has a larger heap, and makes only two starts. */
  private static final int GREAT = 100_000;

  private static final String GREAT_HEAP = "3g";

  /** The number of volumes of a busy node. */
  private static final int FEW_BINDS = 1000;

  private static final double SECOND = 1e9;
  private static final double OPENING_ARCHIVED = 0.6 * SECOND;
  private static final double OPENING_GREAT = 15 * SECOND;

  /** The first JDK whose cache contains more than classes. */
  private static final int FIRST_WITH_CACHE = 25;

  /**
   * The maximum exponent for linear growth: ten times as many volumes cost at most 14 times as
   * much.
   */
  private static final double LINEAR = 1.15;

  /**
   * The share of the time for measuring mounts among foreign mounts, without creating the foreign
   * mounts.
   */
  private static final double AMONG_STRANGERS = 0.4;

  private static final int WARM_UPS = 10;
  private static final int MOST_ROUNDS = 20;
  private static final double STRANGERS = 1.1;

  private final List<Comparison> rows = new ArrayList<>();
  private final List<String> notes = new ArrayList<>();

  /** The medians of the starts, by name and by number of volumes. */
  private final Map<String, Map<Integer, Double>> medians = new TreeMap<>();

  private final int mostJvms;

  private ManyFamily(int mostJvms) {
    this.mostJvms = mostJvms;
  }

  /** Runs all measurements, and writes the report. */
  public static void main(String[] words) throws Exception {
    int seconds = Integer.parseInt(words[4]);
    boolean isShort = seconds < SHORT_SECONDS;
    ManyFamily family = new ManyFamily(isShort ? LEAST_JVMS : MOST_JVMS);
    for (int i = 9; i < words.length; i++) {
      int count = Integer.parseInt(words[i]);
      Path directory = Path.of(words[0], words[i]);
      Files.createDirectory(directory);
      String table = directory.resolve("table").toString();
      family.measure("", count, directory.resolve("m"), "memory", table);
      if (words[i].equals(words[8])) {
        family.archived(count, directory, table, words[7]);
      }
      Program.run("rm", "-r", directory.toString());
    }
    family.grown();
    family.strangers(
        Math.min(Integer.parseInt(words[6]), MountNamespace.room()),
        words,
        Rounds.in(1000 * AMONG_STRANGERS * seconds, 2, WARM_UPS, MOST_ROUNDS));
    for (int binds : new int[] {FEW_BINDS, Integer.parseInt(words[5])}) {
      Path root = Path.of(words[1], "m" + binds);
      family.measure(", real binds", binds, root, "binds", words[2]);
      family.restarted(binds, root, words[2]);
    }
    Report report =
        new Report(
            "Many volumes",
            "Volumes are mounted through the real engine, and left mounted. Then a manager is"
                + " started over them, "
                + STARTS
                + " times in one JVM, which has a heap of "
                + HEAP
                + " at most ("
                + GREAT_HEAP
                + " and two starts with more than "
                + GREAT
                + " volumes): it is opened and adopts all of them, the host tells that it wants"
                + " them all and nothing is to do, all are listed, and the heap that is used more"
                + " than before is looked at after garbage was collected. The size is how many"
                + " volumes there are. The mount table is in memory, and the journal and the"
                + " directories are on tmpfs, but for the rows with real binds: there all is"
                + " real, on disk, and opened as a host opens it. The time to open counts from"
                + " the call in a new JVM that has not used the library before; with class data or"
                + " a cache that JVM has an archive which one start before it has made (see"
                + " docs/performance.md). Among mounts of"
                + " strangers one volume is mounted and unmounted again and again, by real binds"
                + " and with all else on disk, in a mount namespace with as many other binds as the"
                + " size, beside the same in a namespace without them, in turns; a figure is the"
                + " median of a window.",
            family.rows);
    family.notes.forEach(report::note);
    report.note(
        "What a start in a new JVM takes longer than the next one is the JVM's: classes are loaded,"
            + " and what is done for each volume is compiled while it is being done. The CPU that"
            + " is counted is that of all threads, so the compiler's is in it.");
    report.write(Path.of(words[3]), "many");
  }

  private void measure(String how, int count, Path root, String kernel, String path)
      throws IOException, InterruptedException {
    boolean isGreat = count > GREAT;
    String heap = isGreat ? GREAT_HEAP : HEAP;
    String number = Integer.toString(count);
    List<String> made =
        Program.java(heap, MakeVolumes.class, root.toString(), number, kernel, path);
    System.out.println(String.join("\n", made) + how);
    Map<String, List<Double>> first = new TreeMap<>();
    Map<String, List<Double>> later = new TreeMap<>();
    for (int jvm = 0; jvm < jvms(count); jvm++) {
      String starts = Integer.toString(isGreat ? 2 : STARTS);
      sort(
          Program.java(heap, AdoptVolumes.class, root.toString(), number, kernel, path, starts),
          first,
          later);
    }
    boolean isReal = !how.isEmpty();
    Optional<Goal> limit =
        count < 10_000
            ? Optional.empty()
            : Goal.most(isGreat ? OPENING_GREAT : SECOND * count / 10_000);
    row("open in a new JVM" + how, count, Unit.TIME, first, "open", limit);
    row("open again in that JVM" + how, count, Unit.TIME, later, "open", Optional.empty());
    row("CPU for the first open" + how, count, Unit.TIME, first, "cpu", Optional.empty());
    row("reconcile, nothing to do" + how, count, Unit.TIME, later, "told", Optional.empty());
    row("list all" + how, count, Unit.TIME, later, "list", Optional.empty());
    row("heap per idle volume" + how, count, Unit.BYTES, later, "heap", Goal.most(4096));
    row("threads" + how, count, Unit.COUNT, later, "threads", Optional.empty());
    if (!isReal) {
      later.forEach(
          (name, figures) ->
              medians
                  .computeIfAbsent(name, any -> new TreeMap<>())
                  .put(count, new Figures(figures).median()));
    }
  }

  /** Starts processes over real binds, alternately with a process that only reads the same data. */
  private void restarted(int count, Path root, String source)
      throws IOException, InterruptedException {
    List<Double> ours = new ArrayList<>();
    List<Double> bare = new ArrayList<>();
    String number = Integer.toString(count);
    for (int i = 0; i < mostJvms * 2; i++) {
      ours.add(
          Program.nanosUntil(
              AdoptVolumes.OPENED,
              HEAP,
              AdoptVolumes.class,
              root.toString(),
              number,
              "binds",
              source,
              "1"));
      bare.add(
          Program.nanosUntil(
              BareRead.DONE, HEAP, BareRead.class, root.toString(), "/proc/self/mountinfo"));
    }
    rows.add(
        Comparison.ofTimes(
            "process started until all are known, real binds",
            "a bare JVM that reads the same",
            count,
            ours,
            bare,
            Optional.empty()));
  }

  private int jvms(int count) {
    return Math.max(LEAST_JVMS, Math.min(mostJvms, VOLUMES / count));
  }

  /**
   * Adds the figures of the first start in a JVM, and of later starts, to the figures with the same
   * name.
   */
  private static void sort(
      List<String> lines, Map<String, List<Double>> first, Map<String, List<Double>> later) {
    for (String line : lines) {
      String[] words = line.split(" ", -1);
      (words[0].equals("0") ? first : later)
          .computeIfAbsent(words[1], name -> new ArrayList<>())
          .add(Double.valueOf(words[2]));
    }
  }

  /** Measures starts in JVMs with a class archive, and with the cache of a newer JDK. */
  private void archived(int count, Path directory, String table, String newer)
      throws IOException, InterruptedException {
    List<String> words =
        List.of(directory.resolve("m").toString(), Integer.toString(count), "memory", table, "1");
    Path data = directory.resolve("many.jsa");
    archived(
        "open in a new JVM, class data",
        Path.of(System.getProperty("java.home")),
        "-XX:ArchiveClassesAtExit=" + data,
        data,
        List.of("-XX:SharedArchiveFile=" + data, "-Xshare:on"),
        words);
    if (!newer.equals("-") && Machine.javaOf(Path.of(newer)) >= FIRST_WITH_CACHE) {
      Path cache = directory.resolve("many.aot");
      archived(
          "open in a new JVM, AOT cache, JDK " + Machine.javaOf(Path.of(newer)),
          Path.of(newer),
          "-XX:AOTCacheOutput=" + cache,
          cache,
          List.of("-XX:AOTCache=" + cache, "-XX:AOTMode=on"),
          words);
    }
  }

  private void archived(
      String operation,
      Path home,
      String making,
      Path archive,
      List<String> using,
      List<String> words)
      throws IOException, InterruptedException {
    List<String> options = List.of("-Xmx" + HEAP, "--enable-native-access=ALL-UNNAMED");
    List<String> with = new ArrayList<>(options);
    with.add(making);
    List<String> unused = Program.java(home, with, AdoptVolumes.class, words);
    if (!Files.exists(archive)) {
      // For example, a JDK without the default archive of its own classes creates no archive.
      System.out.println("The JVM made no archive, so there is no row of this: " + operation);
      return;
    }
    with = new ArrayList<>(options);
    with.addAll(using);
    Map<String, List<Double>> first = new TreeMap<>();
    int count = Integer.parseInt(words.get(1));
    for (int jvm = 0; jvm < jvms(count); jvm++) {
      sort(Program.java(home, with, AdoptVolumes.class, words), first, new TreeMap<>());
    }
    Optional<Goal> goal = count < 10_000 ? Optional.empty() : Goal.most(OPENING_ARCHIVED);
    row(operation, count, Unit.TIME, first, "open", goal);
  }

  /**
   * Mounts a volume alternately in two namespaces: one with this number of foreign mounts, and one
   * without.
   */
  private void strangers(int count, String[] words, Rounds rounds) throws IOException {
    Path memory = Path.of(words[0]);
    Path disk = Path.of(words[1]);
    String source = words[2];
    List<Medians> among = new ArrayList<>();
    List<Medians> alone = new ArrayList<>();
    long begun = System.nanoTime();
    try (MountNamespace crowded =
            MountNamespace.with(
                count, disk.resolve("crowded"), source, memory.resolve("strangers"), HEAP);
        MountNamespace empty =
            MountNamespace.with(0, disk.resolve("empty"), source, memory.resolve("none"), HEAP)) {
      System.out.printf("%d others bound in %.1f s%n", count, (System.nanoTime() - begun) / 1e9);
      for (int round = -WARM_UPS; round < rounds.count(); round++) {
        boolean isCrowdedFirst = round % 2 == 0;
        Medians first = (isCrowdedFirst ? crowded : empty).medians(rounds.millis());
        Medians second = (isCrowdedFirst ? empty : crowded).medians(rounds.millis());
        if (round >= 0) {
          among.add(isCrowdedFirst ? first : second);
          alone.add(isCrowdedFirst ? second : first);
        }
      }
    }
    strangers("mount", count, among, alone, Medians::mount);
    strangers("unmount", count, among, alone, Medians::unmount);
    notes.add(
        "The kernel allows "
            + MountNamespace.most()
            + " mounts in a namespace (`fs.mount-max`); strangers have "
            + count
            + " of them.");
  }

  private void strangers(
      String operation,
      int count,
      List<Medians> among,
      List<Medians> alone,
      ToDoubleFunction<Medians> figure) {
    rows.add(
        Comparison.ofTimes(
            operation + " among mounts of strangers",
            "the same without them",
            count,
            among.stream().mapToDouble(figure).boxed().toList(),
            alone.stream().mapToDouble(figure).boxed().toList(),
            Goal.ratio(STRANGERS)));
  }

  private void row(
      String operation,
      int count,
      Unit unit,
      Map<String, List<Double>> figures,
      String name,
      Optional<Goal> goal) {
    Comparison row =
        Comparison.alone(operation, count, unit, figures.getOrDefault(name, List.of()), goal);
    rows.add(row);
  }

  /**
   * Adds rows for the growth of the costs: the exponent of the power function of the number of
   * volumes that fits best.
   */
  private void grown() {
    List<String> fits = new ArrayList<>();
    Map.of("open", "open again", "told", "reconcile", "list", "list all")
        .forEach(
            (name, operation) -> fits.add(fit(operation, medians.getOrDefault(name, Map.of()))));
    notes.add(
        "An exponent of growth is the slope of the line that fits the medians in later starts"
            + " of a JVM, both axes logarithmic, by least squares: 1 is linear. "
            + String.join("; ", fits.stream().sorted().toList())
            + ". The heap is that of one volume, so it is linear where it does not grow.");
  }

  private String fit(String operation, Map<Integer, Double> figures) {
    int count = figures.size();
    double meanX = figures.keySet().stream().mapToDouble(Math::log).sum() / count;
    double meanY = figures.values().stream().mapToDouble(Math::log).sum() / count;
    double above = 0;
    double below = 0;
    for (Map.Entry<Integer, Double> each : figures.entrySet()) {
      double x = Math.log(each.getKey()) - meanX;
      above += x * (Math.log(each.getValue()) - meanY);
      below += x * x;
    }
    double exponent = above / below;
    int largest = figures.keySet().stream().mapToInt(it -> it).max().orElse(0);
    rows.add(
        Comparison.alone(
            operation + ", exponent of growth",
            largest,
            Unit.COUNT,
            List.of(exponent),
            Goal.most(LINEAR)));
    return String.format(
        Locale.ROOT,
        "%s: %.3g µs x n ^ %.2f",
        operation,
        Math.exp(meanY - exponent * meanX) / 1e3,
        exponent);
  }
}
