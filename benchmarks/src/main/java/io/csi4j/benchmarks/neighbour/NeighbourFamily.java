package io.csi4j.benchmarks.neighbour;

import io.csi4j.benchmarks.Comparison;
import io.csi4j.benchmarks.Comparison.Goal;
import io.csi4j.benchmarks.Figures;
import io.csi4j.benchmarks.PluginProcess;
import io.csi4j.benchmarks.Report;
import io.csi4j.benchmarks.Unit;
import io.csi4j.client.model.CsiEndpoint;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.ToDoubleFunction;

/**
 * Measures how a hanging plugin slows down the volumes of other plugins. The arguments are
 * DIRECTORY RESULTS SECONDS. DIRECTORY is on tmpfs.
 */
public final class NeighbourFamily {

  private static final int PLUGINS = 5;
  private static final int HUNG = PLUGINS - 1;
  private static final int VOLUMES = 1000;
  private static final int ROUNDS = 20;
  private static final int WARMUPS = 4;

  /** Approximate time for starting everything and mounting the volumes. */
  private static final double STARTING_SECONDS = 6;

  private static final double MOST = 1.05;

  private final ManagerOfPlugins well;
  private final ManagerOfPlugins shared;
  private final Traffic traffic;

  private NeighbourFamily(ManagerOfPlugins well, ManagerOfPlugins shared, Traffic traffic) {
    this.well = well;
    this.shared = shared;
    this.traffic = traffic;
  }

  /** Runs the measurements, and writes the report. */
  public static void main(String[] words) throws Exception {
    Path directory = Path.of(words[0]);
    double measured = Double.parseDouble(words[2]) - STARTING_SECONDS;
    long millis = Math.max(100, (long) (1000 * measured / (2 * (ROUNDS + WARMUPS))));
    Path other = Files.createDirectory(directory.resolve("other"));
    try (PluginProcess four =
            PluginProcess.start(
                directory.resolve("one.sock"),
                directory.resolve("two.sock"),
                directory.resolve("three.sock"),
                directory.resolve("four.sock"));
        PluginProcess fifth = PluginProcess.start(directory.resolve("five.sock"));
        PluginProcess hanging = PluginProcess.start(other.resolve("five.sock"));
        ManagerOfPlugins well = open(directory.resolve("a"), four, fifth);
        ManagerOfPlugins shared = open(directory.resolve("b"), four, hanging)) {
      new NeighbourFamily(well, shared, new Traffic(HUNG, millis))
          .measure(hanging, millis)
          .write(Path.of(words[1]), "neighbour");
    }
  }

  private static ManagerOfPlugins open(Path root, PluginProcess four, PluginProcess fifth) {
    List<CsiEndpoint> all = new ArrayList<>(four.endpoints());
    all.add(fifth.endpoint());
    return ManagerOfPlugins.open(root, all, VOLUMES / PLUGINS);
  }

  private Report measure(PluginProcess hanging, long millis) throws Exception {
    for (int i = 0; i < WARMUPS; i++) {
      traffic.in(i % 2 == 0 ? well : shared);
    }
    double threadsBefore = mostThreads();
    double heapBefore = heap();
    hanging.hang();
    int wanted = shared.want(HUNG);
    for (int i = 0; i < WARMUPS; i++) {
      traffic.in(i % 2 == 0 ? well : shared);
    }
    double heapSoon = heap();
    ManagementFactory.getThreadMXBean().resetPeakThreadCount();
    List<Traffic.Window> with = new ArrayList<>();
    List<Traffic.Window> without = new ArrayList<>();
    for (int round = 0; round < ROUNDS; round++) {
      boolean isSharedFirst = round % 2 == 0;
      for (ManagerOfPlugins manager :
          isSharedFirst ? List.of(shared, well) : List.of(well, shared)) {
        (manager == shared ? with : without).add(traffic.in(manager));
      }
    }
    double threads = ManagementFactory.getThreadMXBean().getPeakThreadCount();
    double heap = heap();
    List<Comparison> rows =
        List.of(
            times("mount + unmount, p99", with, without, Traffic.Window::p99),
            times("mount + unmount, median", with, without, Traffic.Window::median),
            row("threads, most", "before it hung", Unit.COUNT, threads, threadsBefore),
            row("heap at the end", "soon after it hung", Unit.BYTES, heap, heapSoon),
            row("heap at the end, with what is wanted", "before", Unit.BYTES, heap, heapBefore));
    return new Report(
            "Noise from a neighbour",
            "Two managers in one JVM, each with "
                + VOLUMES
                + " volumes of "
                + PLUGINS
                + " plugins that do nothing, in JVMs of their own. On four plugins "
                + traffic.callers()
                + " callers mount and unmount volumes of their own, on one manager and then on the"
                + " other, in turns, in "
                + ROUNDS
                + " windows of "
                + millis
                + " ms on each. The fifth plugin of one manager hangs: its process was stopped,"
                + " and takes what it is sent without an answer ever; "
                + wanted
                + " operations have been asked of its volumes and wait. The fifth plugin of the"
                + " other manager, which is the limit, is well. Journals are on tmpfs, so that no"
                + " disk makes the noise.",
            rows)
        .note(
            "A window's p99 is that of all times in it. Windows had from "
                + least(with, without)
                + " times on. Threads are all that the JVM has, callers too; heap is what is used"
                + " after garbage was collected, of both managers.");
  }

  private static long least(List<Traffic.Window> with, List<Traffic.Window> without) {
    List<Traffic.Window> all = new ArrayList<>(with);
    all.addAll(without);
    return all.stream().mapToLong(Traffic.Window::count).min().orElse(0);
  }

  private static Comparison times(
      String operation,
      List<Traffic.Window> with,
      List<Traffic.Window> without,
      ToDoubleFunction<Traffic.Window> figure) {
    return Comparison.ofTimes(
        operation,
        "the same without a plugin that hangs",
        VOLUMES,
        with.stream().map(figure::applyAsDouble).toList(),
        without.stream().map(figure::applyAsDouble).toList(),
        Goal.ratio(MOST));
  }

  private static Comparison row(
      String operation, String limit, Unit unit, double now, double before) {
    return new Comparison(
        operation,
        limit,
        VOLUMES,
        unit,
        new Figures(List.of(now)),
        new Figures(List.of(before)),
        limit.equals("before") ? Optional.empty() : Goal.ratio(MOST));
  }

  /** Returns the maximum number of threads of the JVM in a window on each manager. */
  private double mostThreads() throws Exception {
    ManagementFactory.getThreadMXBean().resetPeakThreadCount();
    traffic.in(well);
    traffic.in(shared);
    return ManagementFactory.getThreadMXBean().getPeakThreadCount();
  }

  private static double heap() {
    for (int i = 0; i < 3; i++) {
      System.gc();
    }
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
  }
}
