package io.csi4j.testkit.cli;

import io.csi4j.testkit.TestPlugin;
import io.csi4j.testkit.fault.Fault;
import io.csi4j.testkit.fault.When;
import java.util.ArrayList;
import java.util.List;

/**
 * The faults that a file asks for, one rule a line:
 *
 * <pre>
 * # comment
 * NodeStageVolume volume=v1 nth=2: delay 5s, fail ABORTED "busy"
 * any from=10: drop
 * </pre>
 *
 * @param rules in the order of the file
 */
record FaultScript(List<Rule> rules) {

  FaultScript {
    rules = List.copyOf(rules);
  }

  /**
   * One line.
   *
   * @param when to which calls
   * @param fault what happens
   */
  record Rule(When when, Fault fault) {}

  /**
   * Reads a script.
   *
   * @param name what the script is called in messages
   * @throws CommandFailure naming line and column of each line that makes no sense
   */
  static FaultScript parse(String name, List<String> lines) {
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
      throw CommandFailure.usage(String.join(System.lineSeparator(), wrong));
    }
    return new FaultScript(rules);
  }

  /** Makes a plugin misbehave as the script says. */
  void applyTo(TestPlugin plugin) {
    rules.forEach(rule -> plugin.inject(rule.fault(), rule.when()));
  }
}
