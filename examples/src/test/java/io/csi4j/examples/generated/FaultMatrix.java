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
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * What can go wrong, row by row, and which tests show that it is survived.
 *
 * @param rows the rows, in order
 * @param open why a row has no test, by row
 * @param elsewhere a test of another module, by row: path and method
 */
record FaultMatrix(List<Row> rows, Map<String, String> open, Map<String, String> elsewhere) {

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
    return new FaultMatrix(rows, pairs("open.txt"), pairs("elsewhere.txt"));
  }

  /** The names of the classes that test a row, in this module or in another. */
  SortedMap<String, Set<String>> linked(Map<String, Set<String>> tags) {
    SortedMap<String, Set<String>> linked = new TreeMap<>();
    for (Row row : rows) {
      Set<String> classes = new TreeSet<>();
      tags.getOrDefault(row.id(), Set.of())
          .forEach(test -> classes.add(test.substring(0, test.indexOf('#'))));
      String other = elsewhere.get(row.id());
      if (other != null) {
        String file = other.substring(other.lastIndexOf('/') + 1, other.indexOf(".java#"));
        classes.add(file + " of " + other.substring(0, other.indexOf('/')));
      }
      if (!classes.isEmpty()) {
        linked.put(row.id(), classes);
      }
    }
    return linked;
  }

  /** Everything that is wrong, in sentences; nothing if all is well. */
  List<String> problems(Map<String, Set<String>> tags) {
    Set<String> ids = new TreeSet<>();
    List<String> problems = new ArrayList<>();
    for (Row row : rows) {
      if (!ids.add(row.id())) {
        problems.add("Row " + row.id() + " is listed twice.");
      }
      for (String code : row.codes()) {
        if (Arrays.stream(OperatorCode.values()).noneMatch(each -> each.name().equals(code))) {
          problems.add("Row " + row.id() + " names the code " + code + ", which there is not.");
        }
      }
    }
    Map<String, Set<String>> linked = linked(tags);
    for (String id : ids) {
      if (linked.containsKey(id) && open.containsKey(id)) {
        problems.add("Row " + id + " has a test (" + linked.get(id) + "). Take it off open.txt.");
      } else if (!linked.containsKey(id) && !open.containsKey(id)) {
        problems.add(
            "Row " + id + " has no test. Tag one with it, or say in open.txt why there is none.");
      }
    }
    tags.forEach(
        (tag, tests) -> {
          if (!ids.contains(tag)) {
            problems.add(
                "The tag " + tag + " of " + tests + " is no row. Rows of group I are written I-7.");
          }
        });
    open.keySet().stream()
        .filter(id -> !ids.contains(id))
        .forEach(id -> problems.add("There is no row " + id + ", but a reason in open.txt."));
    elsewhere.forEach(
        (id, test) -> {
          if (!ids.contains(id) || !exists(test)) {
            problems.add("Row " + id + " of elsewhere.txt, or its test " + test + ", is missing.");
          }
        });
    return problems;
  }

  private static boolean exists(String test) {
    int hash = test.indexOf('#');
    Path file = Path.of(System.getProperty("csi4j.root", "."), test.substring(0, hash));
    try {
      return Files.readString(file).contains("void " + test.substring(hash + 1) + "(");
    } catch (IOException e) {
      return false;
    }
  }

  /** By row: a test, and the words in it that assert the outcome. */
  static Map<String, List<String>> outcomes() throws IOException {
    Map<String, List<String>> outcomes = new LinkedHashMap<>();
    for (String[] cells : lines("outcomes.txt")) {
      outcomes.put(cells[0], List.of(cells[1], cells[2]));
    }
    return outcomes;
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
