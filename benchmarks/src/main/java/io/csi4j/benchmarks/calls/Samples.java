package io.csi4j.benchmarks.calls;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** The windows of every cell. One program passes them to another as lines of text. */
final class Samples {

  private static final String JDK = "jdk";

  private final Map<String, List<Double>> windows = new LinkedHashMap<>();

  private Samples() {}

  /** Creates an empty collection for windows of this JVM. */
  static Samples ofThisJvm() {
    Samples samples = new Samples();
    samples.windows.put(JDK, List.of((double) Runtime.version().feature()));
    return samples;
  }

  /** Parses the windows that another program has printed. */
  static Samples parse(List<String> lines) {
    Samples samples = new Samples();
    for (String line : lines) {
      List<String> parts = List.of(line.split("\t", -1));
      if (parts.size() == 2) {
        samples.windows.put(
            parts.get(0), Arrays.stream(parts.get(1).split(" ", -1)).map(Double::valueOf).toList());
      }
    }
    return samples;
  }

  void add(Cell cell, Cell.Measure measure, double value) {
    windows.computeIfAbsent(cell.key(measure), key -> new ArrayList<>()).add(value);
  }

  /** Returns the windows of a cell; empty if the cell was not measured. */
  List<Double> of(Cell cell, Cell.Measure measure) {
    return windows.getOrDefault(cell.key(measure), List.of());
  }

  /** Returns the version of the JVM in which the windows were measured. */
  int jdk() {
    return windows.getOrDefault(JDK, List.of(0.0)).get(0).intValue();
  }

  /** Returns the windows as lines for {@link #parse}. */
  List<String> lines() {
    return windows.entrySet().stream()
        .map(
            each ->
                each.getKey()
                    + "\t"
                    + each.getValue().stream()
                        .map(String::valueOf)
                        .collect(Collectors.joining(" ")))
        .toList();
  }
}
