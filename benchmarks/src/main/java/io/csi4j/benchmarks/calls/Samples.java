package io.csi4j.benchmarks.calls;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** The windows of every cell, as lines from one program to another. */
final class Samples {

  private static final String JDK = "jdk";

  private final Map<String, List<Double>> windows = new LinkedHashMap<>();

  private Samples() {}

  /** None yet, of this JVM. */
  static Samples ofThisJvm() {
    Samples samples = new Samples();
    samples.windows.put(JDK, List.of((double) Runtime.version().feature()));
    return samples;
  }

  /** Those that another program has printed. */
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

  /** The windows of a cell; none if it was not measured. */
  List<Double> of(Cell cell, Cell.Measure measure) {
    return windows.getOrDefault(cell.key(measure), List.of());
  }

  /** The version of the JVM that they are of. */
  int jdk() {
    return windows.getOrDefault(JDK, List.of(0.0)).get(0).intValue();
  }

  /** For {@link #parse}. */
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
