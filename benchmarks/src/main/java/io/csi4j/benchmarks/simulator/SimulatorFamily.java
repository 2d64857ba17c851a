package io.csi4j.benchmarks.simulator;

import io.csi4j.benchmarks.Comparison;
import io.csi4j.benchmarks.Report;
import io.csi4j.benchmarks.Unit;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Creates a report from the simulator's output. The arguments are TOLD RESULTS. TOLD is a file with
 * one line for each run; each line begins with the number of threads.
 */
public final class SimulatorFamily {

  private static final Pattern LINE =
      Pattern.compile(
          "(\\d+) .* ([\\d,]+) events/s, ([\\d,.]+) simulated hours/s, violations none");
  private static final double NANOS = 1e9;

  private SimulatorFamily() {}

  /** Writes the report. */
  public static void main(String[] args) throws IOException {
    Map<Integer, List<Double>> events = new TreeMap<>();
    Map<Integer, List<Double>> hours = new TreeMap<>();
    for (String line : Files.readAllLines(Path.of(args[0]))) {
      Matcher told = LINE.matcher(line);
      if (!told.matches()) {
        throw new IllegalStateException("Not what a run of the simulator tells: " + line);
      }
      Integer threads = Integer.valueOf(told.group(1));
      events
          .computeIfAbsent(threads, it -> new ArrayList<>())
          .add(1000 * NANOS / number(told.group(2)));
      hours.computeIfAbsent(threads, it -> new ArrayList<>()).add(NANOS / number(told.group(3)));
    }
    List<Comparison> rows = new ArrayList<>();
    events.forEach((threads, times) -> rows.add(row("1 000 events", threads, times)));
    hours.forEach((threads, times) -> rows.add(row("simulated hour", threads, times)));
    new Report(
            "The simulator",
            "Random histories of the volume manager's engine on a simulated host, with crashes,"
                + " faults and a failing disk, as `volume-manager/node/simulate --seeds` plays"
                + " them: all invariants are looked at after each event. Each figure is of a new"
                + " JVM with seeds of its own, its start and warm-up included. Size is the number"
                + " of threads, each of which plays histories of its own.",
            rows)
        .write(Path.of(args[1]), "simulator");
  }

  private static double number(String text) {
    return Double.parseDouble(text.replace(",", ""));
  }

  private static Comparison row(String operation, int threads, List<Double> times) {
    return Comparison.alone(operation, threads, Unit.TIME, times, Optional.empty());
  }
}
