package io.csi4j.volume.node;

import java.util.List;
import java.util.stream.Collectors;

/**
 * What is being done with a volume or for a workload, what stands in the way, and what to do.
 *
 * @param subject what it is about
 * @param lines the parts, one for each volume and step, for people
 */
public record Explanation(String subject, List<String> lines) {

  /** Copies the list. */
  public Explanation {
    lines = List.copyOf(lines);
  }

  /** The whole text. */
  @Override
  public String toString() {
    return lines.stream().map(line -> "\n  " + line).collect(Collectors.joining("", subject, ""));
  }
}
