package io.csi4j.examples.generated;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Inputs and plugins that mean harm, row by row, with the tests that show what is done about each.
 *
 * @param rows the rows, in order
 * @param evidence the tests, in order of the rows
 * @param decided what was decided where no test can show it, by row
 */
record HostileInputs(List<Row> rows, List<Evidence> evidence, Map<Integer, String> decided) {

  private static final String INTRODUCTION =
      """
      # Hostile inputs, and their tests

      Names and options come from tenants, answers from plugins, files from disks: each may be hostile. The host and its operator are
      trusted. A plugin may harm the mounts of its node. It must not crash, blind, hang or mislead its caller, read another plugin's
      data, or make the caller act outside its directory. Each named test asserts its row's code or outcome.

      `HostileInputsTest` generates this page:
      `mvn test -Dtest=HostileInputsTest -Dsurefire.failIfNoSpecifiedTests=false -Dcsi4j.regenerate=true`.

      """;

  /** The chapters, by the number of their first row. */
  private static final Map<Integer, String> CHAPTERS =
      Map.of(
          1, "Names and ids",
          16, "Options, contexts, secrets",
          32, "What a plugin says about itself",
          47, "The wire",
          61, "Lists and values from plugins",
          77, "Filesystems",
          96, "State files",
          102, "Hosts");

  /**
   * One hostile input.
   *
   * @param number its number
   * @param input what comes
   * @param holds what must hold
   */
  record Row(int number, String input, String holds) {}

  /**
   * A test of a row.
   *
   * @param row the number of the row
   * @param test path and method
   * @param words the code or the outcome of the row, as the test has it
   */
  record Evidence(int row, String test, String words) {

    /** Class and method, as surefire takes them. */
    String name() {
      return test.substring(test.lastIndexOf('/') + 1).replace(".java#", "#");
    }

    boolean isIn(WrittenTest written) {
      return test.startsWith(written.module() + "/src/") && name().equals(written.name());
    }
  }

  static HostileInputs load() throws IOException {
    List<Row> rows = new ArrayList<>();
    for (String[] cells : GeneratedPage.rows("hostile-rows.txt", 3)) {
      rows.add(new Row(Integer.parseInt(cells[0]), cells[1], cells[2]));
    }
    List<Evidence> evidence = new ArrayList<>();
    for (String[] cells : GeneratedPage.rows("hostile-tests.txt", 3)) {
      evidence.add(new Evidence(Integer.parseInt(cells[0]), cells[1], cells[2]));
    }
    Map<Integer, String> decided = new TreeMap<>();
    for (String[] cells : GeneratedPage.rows("hostile-decided.txt", 2)) {
      decided.put(Integer.parseInt(cells[0]), cells[1]);
    }
    return new HostileInputs(rows, evidence, decided);
  }

  /**
   * Everything that is wrong, in sentences; nothing if all is well.
   *
   * @param written the tests of the project
   */
  List<String> problems(List<WrittenTest> written) {
    List<String> problems = new ArrayList<>();
    Set<Integer> answered = new HashSet<>(decided.keySet());
    for (Evidence each : evidence) {
      answered.add(each.row());
      if (written.stream().noneMatch(test -> each.isIn(test) && test.says(each.words()))) {
        problems.add("Row " + each.row() + ": " + each.test() + " does not say " + each.words());
      }
    }
    int last = 0;
    for (Row row : rows) {
      if (row.number() != ++last) {
        problems.add("Row " + row.number() + " stands where row " + last + " should.");
      }
      if (!answered.remove(row.number())) {
        problems.add("Row " + row.number() + " has neither a test nor a decision.");
      }
    }
    answered.forEach(number -> problems.add("There is no row " + number + "."));
    return problems;
  }

  /** The page for people. */
  String page() {
    StringBuilder page = new StringBuilder(INTRODUCTION);
    page.append(rows.size() + " rows, each with a test or a decision.\n");
    for (Row row : rows) {
      String chapter = CHAPTERS.get(row.number());
      if (chapter != null) {
        page.append("\n## " + chapter)
            .append("\n\n| row | input | behavior | tests |\n|---|---|---|---|\n");
      }
      page.append("| " + row.number() + " | " + row.input() + " | " + row.holds() + " | ")
          .append(answer(row.number()) + " |\n");
    }
    return page.toString();
  }

  private String answer(int row) {
    String decision = decided.get(row);
    return Stream.concat(
            decision == null ? Stream.of() : Stream.of(decision + "."),
            evidence.stream()
                .filter(each -> each.row() == row)
                .map(each -> "`" + each.name().replace('#', '.') + "`")
                .distinct())
        .collect(Collectors.joining(" "));
  }
}
