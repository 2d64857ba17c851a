package io.csi4j.benchmarks.neighbour;

import com.sun.management.UnixOperatingSystemMXBean;
import io.csi4j.benchmarks.Comparison;
import io.csi4j.benchmarks.Figures;
import io.csi4j.benchmarks.PluginProcess;
import io.csi4j.benchmarks.Report;
import io.csi4j.benchmarks.Unit;
import io.csi4j.client.model.CsiEndpoint;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;

/**
 * Measures the costs of many plugins compared with one plugin that has the same number of volumes.
 * The arguments are DIRECTORY RESULTS SECONDS. DIRECTORY is on tmpfs.
 */
public final class PluginsFamily {

  private static final int PLUGINS = 64;
  private static final int VOLUMES = 1024;
  private static final int CALLERS = 8;
  private static final int ROUNDS = 20;
  private static final int WARMUPS = 4;

  /** Approximate time for starting everything and mounting the volumes. */
  private static final double STARTING_SECONDS = 8;

  private PluginsFamily() {}

  /** Runs the measurements, and writes the report. */
  public static void main(String[] words) throws Exception {
    Path directory = Path.of(words[0]);
    double measured = Double.parseDouble(words[2]) - STARTING_SECONDS;
    long millis = Math.max(100, (long) (1000 * measured / (2 * (ROUNDS + WARMUPS))));
    Path[] sockets =
        IntStream.range(0, PLUGINS)
            .mapToObj(i -> directory.resolve("p" + i + ".sock"))
            .toArray(Path[]::new);
    try (PluginProcess process = PluginProcess.start(sockets);
        ManagerOfPlugins other = open(directory.resolve("a"), process, 1)) {
      // After this window, all resources that the managers of a JVM share exist.
      Traffic.Window unused = new Traffic(1, CALLERS, millis, Duration.ZERO).in(other);
      Costs first = Costs.now();
      try (ManagerOfPlugins one = open(directory.resolve("b"), process, 1)) {
        Costs second = Costs.now();
        try (ManagerOfPlugins many = open(directory.resolve("c"), process, PLUGINS)) {
          Costs third = Costs.now();
          measure(one, many, second.beyond(first), third.beyond(second), millis)
              .write(Path.of(words[1]), "plugins");
        }
      }
    }
  }

  private static ManagerOfPlugins open(Path root, PluginProcess process, int plugins) {
    List<CsiEndpoint> endpoints = process.endpoints().subList(0, plugins);
    return ManagerOfPlugins.open(root, endpoints, VOLUMES / plugins);
  }

  /** The resources that the JVM uses. */
  private record Costs(double threads, double descriptors, double heap) {

    static Costs now() {
      for (int i = 0; i < 3; i++) {
        System.gc();
      }
      return new Costs(
          ManagementFactory.getThreadMXBean().getThreadCount(),
          ManagementFactory.getPlatformMXBean(UnixOperatingSystemMXBean.class)
              .getOpenFileDescriptorCount(),
          ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed());
    }

    Costs beyond(Costs before) {
      return new Costs(
          threads - before.threads, descriptors - before.descriptors, heap - before.heap);
    }
  }

  private static Report measure(
      ManagerOfPlugins one, ManagerOfPlugins many, Costs ofOne, Costs ofMany, long millis)
      throws Exception {
    Traffic onOne = new Traffic(1, CALLERS, millis, Duration.ZERO);
    Traffic onMany = new Traffic(PLUGINS, CALLERS, millis, Duration.ZERO);
    List<Traffic.Window> ours = new ArrayList<>();
    List<Traffic.Window> theirs = new ArrayList<>();
    for (int round = -WARMUPS; round < ROUNDS; round++) {
      boolean isManyFirst = round % 2 == 0;
      Traffic.Window first = isManyFirst ? onMany.in(many) : onOne.in(one);
      Traffic.Window second = isManyFirst ? onOne.in(one) : onMany.in(many);
      if (round >= 0) {
        ours.add(isManyFirst ? first : second);
        theirs.add(isManyFirst ? second : first);
      }
    }
    List<Comparison> rows =
        List.of(
            times("mount + unmount, median", ours, theirs, Traffic.Window::median),
            times("mount + unmount, p99", ours, theirs, Traffic.Window::p99),
            held("threads", Unit.COUNT, ofOne, ofMany, Costs::threads),
            each("threads, each further plugin", Unit.COUNT, ofOne, ofMany, Costs::threads),
            held("open files", Unit.COUNT, ofOne, ofMany, Costs::descriptors),
            each("open files, each further plugin", Unit.COUNT, ofOne, ofMany, Costs::descriptors),
            held("heap", Unit.BYTES, ofOne, ofMany, Costs::heap),
            each("heap, each further plugin", Unit.BYTES, ofOne, ofMany, Costs::heap));
    return new Report(
        "Many plugins",
        "Two managers in one JVM, one with "
            + PLUGINS
            + " plugins and one with one of them, each with "
            + VOLUMES
            + " volumes. The plugins do nothing, and are in a JVM of their own. "
            + CALLERS
            + " callers mount and unmount volumes of their own, on one plugin after the other where"
            + " there are many, on one manager and then on the other, in turns, in "
            + ROUNDS
            + " windows of "
            + millis
            + " ms on each. Threads, open files and heap are what the JVM has more of, after"
            + " garbage was collected, when a manager is open and its volumes are mounted; what all"
            + " managers share was there before, made by a third one. Journals are on tmpfs, so"
            + " that no disk makes the noise.",
        rows);
  }

  private static Comparison times(
      String operation,
      List<Traffic.Window> ours,
      List<Traffic.Window> theirs,
      ToDoubleFunction<Traffic.Window> figure) {
    return Comparison.ofTimes(
        operation,
        "the same with one plugin",
        PLUGINS,
        ours.stream().map(figure::applyAsDouble).toList(),
        theirs.stream().map(figure::applyAsDouble).toList(),
        Optional.empty());
  }

  private static Comparison held(
      String what, Unit unit, Costs ofOne, Costs ofMany, ToDoubleFunction<Costs> figure) {
    return new Comparison(
        what,
        "a manager with one plugin",
        PLUGINS,
        unit,
        new Figures(List.of(figure.applyAsDouble(ofMany))),
        new Figures(List.of(figure.applyAsDouble(ofOne))),
        Optional.empty());
  }

  private static Comparison each(
      String what, Unit unit, Costs ofOne, Costs ofMany, ToDoubleFunction<Costs> figure) {
    double more = figure.applyAsDouble(ofMany) - figure.applyAsDouble(ofOne);
    return Comparison.alone(what, PLUGINS, unit, List.of(more / (PLUGINS - 1)), Optional.empty());
  }
}
