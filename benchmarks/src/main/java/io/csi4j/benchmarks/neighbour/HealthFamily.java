package io.csi4j.benchmarks.neighbour;

import io.csi4j.benchmarks.Comparison;
import io.csi4j.benchmarks.Comparison.Goal;
import io.csi4j.benchmarks.Figures;
import io.csi4j.benchmarks.PluginProcess;
import io.csi4j.benchmarks.Report;
import io.csi4j.benchmarks.Unit;
import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.volume.model.MountPolicy;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * Measures how health checks of volumes slow down mounts and unmounts while one plugin hangs. The
 * arguments are DIRECTORY RESULTS SECONDS. DIRECTORY is on tmpfs.
 */
public final class HealthFamily {

  private static final int PLUGINS = 5;
  private static final int HUNG = PLUGINS - 1;
  private static final int VOLUMES = 1000;
  private static final int PAIRS = 4;
  private static final Duration INTERVAL = MountPolicy.defaults().healthInterval();

  /**
   * Minimum length of a window. A round of health checks begins in each window, because the pause
   * between rounds is at most a fifth longer than the interval.
   */
  private static final long LEAST_MILLIS = INTERVAL.toMillis() * 5 / 4;

  /**
   * Interval between the operations of a caller. Callers without pauses would fill the processors,
   * and then the slowest times would only show the length of the queue.
   */
  private static final Duration PACE = Duration.ofMillis(20);

  /** Approximate time for mounting the volumes, for each window. */
  private static final double STARTING_SECONDS = 2;

  private static final double MOST = 1.05;

  private final Path directory;
  private final PluginProcess four;
  private final PluginProcess fifth;
  private final Traffic traffic;
  private int opened;

  private HealthFamily(Path directory, PluginProcess four, PluginProcess fifth, Traffic traffic) {
    this.directory = directory;
    this.four = four;
    this.fifth = fifth;
    this.traffic = traffic;
  }

  /** Runs the measurements, and writes the report. */
  public static void main(String[] words) throws Exception {
    Path directory = Path.of(words[0]);
    double each = Double.parseDouble(words[2]) / (2 * PAIRS + 1) - STARTING_SECONDS;
    long millis = Math.max(LEAST_MILLIS, (long) (1000 * each));
    try (PluginProcess four =
            PluginProcess.startWithHealth(
                directory.resolve("one.sock"),
                directory.resolve("two.sock"),
                directory.resolve("three.sock"),
                directory.resolve("four.sock"));
        PluginProcess fifth = PluginProcess.startWithHealth(directory.resolve("five.sock"))) {
      new HealthFamily(directory, four, fifth, new Traffic(HUNG, millis, PACE))
          .measure(millis)
          .write(Path.of(words[1]), "health");
    }
  }

  /**
   * A window on a manager with or without health checks.
   *
   * @param times the durations of mounts and unmounts
   * @param threads the maximum number of threads of the JVM
   */
  private record Window(Traffic.Window times, double threads) {}

  private Window window(Duration healthInterval) throws Exception {
    fifth.goOn();
    List<CsiEndpoint> all = new ArrayList<>(four.endpoints());
    all.add(fifth.endpoint());
    Path root = Files.createDirectory(directory.resolve("manager-" + opened++));
    try (ManagerOfPlugins manager =
        ManagerOfPlugins.open(root, all, VOLUMES / PLUGINS, healthInterval)) {
      fifth.hang();
      ManagementFactory.getThreadMXBean().resetPeakThreadCount();
      Traffic.Window times = traffic.in(manager);
      return new Window(times, ManagementFactory.getThreadMXBean().getPeakThreadCount());
    }
  }

  private Report measure(long millis) throws Exception {
    Window warm = window(INTERVAL);
    List<Window> with = new ArrayList<>();
    List<Window> without = new ArrayList<>();
    for (int pair = 0; pair < PAIRS; pair++) {
      if (pair % 2 == 0) {
        with.add(window(INTERVAL));
        without.add(window(Duration.ZERO));
      } else {
        without.add(window(Duration.ZERO));
        with.add(window(INTERVAL));
      }
    }
    List<Comparison> rows =
        List.of(
            times("mount + unmount, p99", with, without, Traffic.Window::p99),
            times("mount + unmount, median", with, without, Traffic.Window::median),
            new Comparison(
                "threads, most",
                "without questions",
                VOLUMES,
                Unit.COUNT,
                new Figures(with.stream().map(Window::threads).toList()),
                new Figures(without.stream().map(Window::threads).toList()),
                Goal.ratio(MOST)));
    return new Report(
            "Questions for health",
            "A manager with "
                + VOLUMES
                + " volumes of "
                + PLUGINS
                + " plugins of CSI 1.13 that do nothing, in JVMs of their own. The manager asks"
                + " every plugin for the health of all its volumes and of its storage every "
                + INTERVAL.toSeconds()
                + " s, as by default; the limit is a manager that asks for"
                + " none. The fifth plugin hangs: its process was stopped. On the other four "
                + traffic.callers()
                + " callers mount and unmount volumes of their own, one each "
                + PACE.toMillis()
                + " ms, which leaves the processors half idle, in windows of "
                + millis
                + " ms, each on a new manager, with questions and without in turns, "
                + PAIRS
                + " of each. Journals are on tmpfs, so that no disk makes the noise.",
            rows)
        .note("A first window, of " + warm.times().count() + " times, only warms up.");
  }

  private static Comparison times(
      String operation,
      List<Window> with,
      List<Window> without,
      ToDoubleFunction<Traffic.Window> figure) {
    return Comparison.ofTimes(
        operation,
        "the same without questions",
        VOLUMES,
        with.stream().map(Window::times).map(figure::applyAsDouble).toList(),
        without.stream().map(Window::times).map(figure::applyAsDouble).toList(),
        Goal.ratio(MOST));
  }
}
