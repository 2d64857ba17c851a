package io.csi4j.testkit.fault;

import java.util.ArrayList;
import java.util.List;

/**
 * Faults as text, with one rule on each line. If several rules select a call, only the first one
 * acts:
 *
 * <pre>
 * # the second staging of v1 takes 5 seconds and fails
 * NodeStageVolume volume=v1 nth=2: delay 5s, fail ABORTED "busy"
 * any from=10: drop
 * </pre>
 *
 * <p>{@code @FakeCsi(faults = …)} and {@code serve --faults} read a script from a file. {@code
 * script.rules().forEach(rule -> plugin.inject(rule.fault(), rule.when()))} applies it to a plugin.
 *
 * @param rules the rules, in the order of the text
 * @since 1.0
 */
public record FaultScript(List<Rule> rules) {

  /** Copies the list. */
  public FaultScript {
    rules = List.copyOf(rules);
  }

  /** The rule of one line: the calls that it selects, and the fault. */
  public record Rule(When when, Fault fault) {}

  /**
   * Parses a script.
   *
   * @param name the name of the script in messages, such as the path of its file
   * @throws IllegalArgumentException if a line of the script is invalid; for each such line, the
   *     message states the position of the mistake and the allowed values
   */
  public static FaultScript parse(String name, List<String> lines) {
    List<Rule> rules = new ArrayList<>();
    List<String> wrong = new ArrayList<>();
    for (int i = 0; i < lines.size(); i++) {
      FaultLine line = new FaultLine(lines.get(i));
      try {
        line.read().ifPresent(rules::add);
      } catch (FaultLine.Mistake mistake) {
        wrong.add(name + ":" + (i + 1) + ":" + mistake.column() + ": " + mistake.getMessage());
      }
    }
    if (!wrong.isEmpty()) {
      throw new IllegalArgumentException(String.join(System.lineSeparator(), wrong));
    }
    return new FaultScript(rules);
  }
}
