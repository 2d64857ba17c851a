package io.csi4j.examples.generated;

import io.csi4j.volume.model.OperatorCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;

/**
 * What can go wrong, row by row, and which tests show that it is survived. A test shows a row if it
 * asserts the row by name; {@link Evidence} says how.
 *
 * @param rows the rows, in order
 * @param open why a row has no test, by row
 */
record FaultMatrix(List<Row> rows, Map<String, String> open) {

  /** The form of the names of rows. */
  static final Pattern NAME = Pattern.compile("[A-HJ-L][0-9]+|I-[0-9]+");

  /** Where the lists are, as files of the project. */
  static final Path LISTS =
      Path.of(
          System.getProperty("csi4j.root", "."),
          "examples/src/test/resources/io/csi4j/examples/generated");

  /**
   * One thing that can go wrong.
   *
   * @param id its name in the matrix, and the tag of its tests
   * @param codes what an operator may be told
   * @param holds what must hold
   */
  record Row(String id, List<String> codes, String holds) {}

  static FaultMatrix load() throws IOException {
    List<Row> rows = new ArrayList<>();
    for (String[] cells : lines("rows.txt")) {
      List<String> codes =
          cells[1].equals("-") ? List.of() : Arrays.asList(cells[1].split(" ", -1));
      rows.add(new Row(cells[0], codes, cells[2]));
    }
    return new FaultMatrix(rows, pairs("open.txt"));
  }

  /** Everything that is wrong, in sentences; nothing if all is well. */
  List<String> problems(Evidence evidence) {
    Set<String> ids = new TreeSet<>();
    List<String> problems = new ArrayList<>(evidence.problems());
    for (Row row : rows) {
      String id = row.id();
      boolean isShown = evidence.shown().containsKey(id);
      if (!ids.add(id)) {
        problems.add("Row " + id + " is listed twice.");
      }
      if (isShown && open.containsKey(id)) {
        problems.add(
            "Row " + id + " has a test (" + evidence.classes(id) + "). Take it off open.txt.");
      } else if (!isShown && !open.containsKey(id)) {
        problems.add(
            "Row " + id + " has no test. Let one assert it, or say in open.txt why none does.");
      }
      for (String code : row.codes()) {
        if (Arrays.stream(OperatorCode.values()).noneMatch(each -> each.name().equals(code))) {
          problems.add("Row " + id + " names the code " + code + ", which there is not.");
        } else if (isShown && !evidence.names(id, code)) {
          problems.add("Row " + id + " has the code " + code + ", and no assertion of it has.");
        }
      }
    }
    evidence
        .shown()
        .forEach(
            (id, proofs) -> {
              if (!ids.contains(id)) {
                problems.add(evidence.classes(id) + " assert " + id + ", which is no row.");
              }
            });
    open.keySet().stream()
        .filter(id -> !ids.contains(id))
        .forEach(id -> problems.add("There is no row " + id + ", but a reason in open.txt."));
    return problems;
  }

  private static Map<String, String> pairs(String name) throws IOException {
    Map<String, String> pairs = new LinkedHashMap<>();
    for (String[] cells : lines(name)) {
      if (pairs.put(cells[0], cells[1]) != null) {
        throw new IOException(name + " has " + cells[0] + " twice.");
      }
    }
    return pairs;
  }

  private static List<String[]> lines(String name) throws IOException {
    List<String[]> lines = new ArrayList<>();
    for (String line : Files.readAllLines(LISTS.resolve(name))) {
      if (!line.isBlank() && !line.startsWith("#")) {
        lines.add(line.split(" \\| ", -1));
      }
    }
    return lines;
  }
}
