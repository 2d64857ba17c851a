package io.csi4j.examples.generated;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Inputs and plugins that mean harm, row by row, with the tests that show what is done about each.
 *
 * @param rows the rows, in order
 * @param evidence the tests, in order of the rows
 * @param decided what was decided where no test can show it, by row
 * @param open what is missing yet, by row
 */
record HostileInputs(
    List<Row> rows,
    List<Evidence> evidence,
    Map<Integer, String> decided,
    Map<Integer, String> open) {

  private static final Path ROOT = Path.of(System.getProperty("csi4j.root", "."));

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
   * @param words the words in it that assert the row's code or outcome
   */
  record Evidence(int row, String test, String words) {

    String file() {
      return test.substring(0, test.indexOf('#'));
    }

    String method() {
      return test.substring(test.indexOf('#') + 1);
    }

    /** Returns the name of the test's class. */
    String type() {
      return file().substring(file().lastIndexOf('/') + 1, file().length() - ".java".length());
    }
  }

  static HostileInputs load() throws IOException {
    List<Row> rows = new ArrayList<>();
    for (String[] cells : lines("hostile-rows.txt", 3)) {
      rows.add(new Row(Integer.parseInt(cells[0]), cells[1], cells[2]));
    }
    List<Evidence> evidence = new ArrayList<>();
    for (String[] cells : lines("hostile-tests.txt", 3)) {
      evidence.add(new Evidence(Integer.parseInt(cells[0]), cells[1], cells[2]));
    }
    return new HostileInputs(
        rows, evidence, reasons("hostile-decided.txt"), reasons("hostile-open.txt"));
  }

  /**
   * Everything that is wrong, in sentences; nothing if all is well.
   *
   * @param written the tests of the project
   */
  List<String> problems(List<WrittenTest> written) {
    List<String> problems = new ArrayList<>();
    Set<Integer> numbers = new TreeSet<>();
    for (Row row : rows) {
      if (row.number() != numbers.size() + 1) {
        problems.add("Row " + row.number() + " does not follow row " + numbers.size() + ".");
      }
      numbers.add(row.number());
      boolean hasTest = evidence.stream().anyMatch(each -> each.row() == row.number());
      boolean isOpen = open.containsKey(row.number());
      if (isOpen && (hasTest || decided.containsKey(row.number()))) {
        problems.add("Row " + row.number() + " has an answer. Take it off hostile-open.txt.");
      } else if (!isOpen && !hasTest && !decided.containsKey(row.number())) {
        problems.add(
            "Row "
                + row.number()
                + " has neither a test in hostile-tests.txt nor a decision in"
                + " hostile-decided.txt.");
      }
    }
    for (Evidence each : evidence) {
      if (!numbers.contains(each.row())) {
        problems.add("There is no row " + each.row() + ", but a test of it: " + each.test());
      }
      problem(each, written)
          .ifPresent(
              wrong ->
                  problems.add("Row " + each.row() + ", test " + each.test() + ": " + wrong + "."));
    }
    for (Map<Integer, String> reasons : List.of(decided, open)) {
      reasons.keySet().stream()
          .filter(number -> !numbers.contains(number))
          .forEach(number -> problems.add("There is no row " + number + ", but a reason for it."));
    }
    return problems;
  }

  /** Returns the tests of a row. */
  List<Evidence> tests(Row row) {
    return evidence.stream().filter(each -> each.row() == row.number()).toList();
  }

  private static Optional<String> problem(Evidence evidence, List<WrittenTest> written) {
    Path file = ROOT.resolve(evidence.file());
    if (!Files.isRegularFile(file)) {
      return Optional.of("there is no such file");
    }
    Optional<WrittenTest> test =
        written.stream()
            .filter(each -> evidence.file().startsWith(each.module() + "/"))
            .filter(each -> each.name().equals(evidence.type() + "#" + evidence.method()))
            .findFirst();
    if (test.isEmpty() || !test.get().idle().isEmpty()) {
      return Optional.of(test.map(WrittenTest::idle).orElse("there is no such test"));
    }
    try {
      return new AssertedWords(Files.readString(file), evidence.method()).problem(evidence.words());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Map<Integer, String> reasons(String name) throws IOException {
    Map<Integer, String> reasons = new TreeMap<>();
    for (String[] cells : lines(name, 2)) {
      if (reasons.put(Integer.parseInt(cells[0]), cells[1]) != null) {
        throw new IOException(name + " has " + cells[0] + " twice.");
      }
    }
    return new LinkedHashMap<>(reasons);
  }

  private static List<String[]> lines(String name, int cells) throws IOException {
    List<String[]> lines = new ArrayList<>();
    for (String line : Files.readAllLines(FaultMatrix.LISTS.resolve(name))) {
      if (!line.isBlank() && !line.startsWith("#")) {
        lines.add(line.split(" \\| ", cells));
      }
    }
    return lines;
  }
}
