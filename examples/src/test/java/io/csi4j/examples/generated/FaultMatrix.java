package io.csi4j.examples.generated;

import io.csi4j.volume.model.OperatorCode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Failures, row by row, and the tests that show that they are survived. A test shows a row if it
 * asserts the row by name, {@code .as("A7: the plugin is asked again")} or {@code .as("A7 A11:
 * ...")}; it carries the row as a tag as well, so that it is run by it.
 *
 * @param rows the rows, in order
 * @param open why a row has no test, by row
 * @param tests the tests of the project
 */
record FaultMatrix(List<Row> rows, Map<String, String> open, List<WrittenTest> tests) {

  static final Pattern NAME = Pattern.compile("[A-HJ-L][0-9]+|I-[0-9]+");

  /** Tests that play random histories: that one of them might have met a row shows nothing. */
  private static final Set<String> HISTORIES =
      Set.of(
          "SimulatorTest",
          "ClaimSimulationTest",
          "KillPointsTest",
          "KillCampaignTest",
          "EtcdContentionTest");

  private static final String INTRODUCTION =
      """
      # Faults, and the tests that show that they are survived

      Each row is a failure on a node and the required behavior. Its tests assert the row by name, with each of its codes, and have
      the row as a tag: `mvn test -Dgroups=A7` runs those of A7. [operator-codes.md](operator-codes.md) explains the codes. Classes
      in italics run in campaigns only.

      `FaultMatrixTest` generates this page:
      `mvn test -Dtest=FaultMatrixTest -Dsurefire.failIfNoSpecifiedTests=false -Dcsi4j.regenerate=true`.

      """;

  private static final Map<Character, String> GROUPS =
      Map.ofEntries(
          Map.entry('A', "The process of the host dies"),
          Map.entry('B', "The host boots or loses power"),
          Map.entry('C', "The plugin's process has trouble"),
          Map.entry('D', "The plugin's answers"),
          Map.entry('E', "Concurrent requests, and cancellation"),
          Map.entry('F', "Directories, disks, paths"),
          Map.entry('G', "The state on disk"),
          Map.entry('H', "The kernel's mount table"),
          Map.entry('I', "Clock, JVM, threads"),
          Map.entry('J', "Many of everything"),
          Map.entry('K', "Claims across machines"),
          Map.entry('L', "Names and changes"));

  /**
   * One failure.
   *
   * @param id its name in the matrix, and the tag of its tests
   * @param codes the codes that an operator may see
   * @param holds what must hold
   */
  record Row(String id, List<String> codes, String holds) {}

  static FaultMatrix load(List<WrittenTest> tests) throws IOException {
    List<Row> rows = new ArrayList<>();
    for (String[] cells : GeneratedPage.rows("rows.txt", 3)) {
      List<String> codes =
          cells[1].equals("-") ? List.of() : Arrays.asList(cells[1].split(" ", -1));
      rows.add(new Row(cells[0], codes, cells[2]));
    }
    Map<String, String> open = new LinkedHashMap<>();
    GeneratedPage.rows("open.txt", 2).forEach(cells -> open.put(cells[0], cells[1]));
    return new FaultMatrix(rows, open, tests);
  }

  /** Everything that is wrong, in sentences; nothing if all is well. */
  List<String> problems() {
    List<String> problems = new ArrayList<>();
    Map<String, Set<String>> codes = new TreeMap<>();
    for (WrittenTest test : tests) {
      Set<String> named = new TreeSet<>();
      for (WrittenTest.Assertion assertion : test.assertions(NAME)) {
        named.addAll(assertion.rows());
        assertion
            .rows()
            .forEach(
                row ->
                    codes.computeIfAbsent(row, each -> new HashSet<>()).addAll(assertion.codes()));
      }
      Set<String> tagged = new TreeSet<>(test.tags());
      tagged.removeIf(tag -> !NAME.matcher(tag).matches());
      if (!tagged.equals(named)) {
        problems.add(test.name() + " is tagged with " + tagged + " and asserts " + named + ".");
      }
      if (HISTORIES.contains(test.type()) && !named.isEmpty()) {
        problems.add(test.name() + " plays histories that need not meet " + named + ".");
      }
    }
    Set<String> ids = new HashSet<>();
    for (Row row : rows) {
      String id = row.id();
      if (!ids.add(id)) {
        problems.add("Row " + id + " is listed twice.");
      }
      if (codes.containsKey(id) == open.containsKey(id)) {
        problems.add("Row " + id + " needs either a test or a reason in open.txt.");
      }
      for (String code : row.codes()) {
        if (Arrays.stream(OperatorCode.values()).noneMatch(each -> each.name().equals(code))) {
          problems.add("Row " + id + " names the code " + code + ", which does not exist.");
        } else if (!codes.getOrDefault(id, Set.of()).contains(code) && !open.containsKey(id)) {
          problems.add("Row " + id + " has the code " + code + ", and no assertion of it has.");
        }
      }
    }
    Set<String> unknown = new TreeSet<>(codes.keySet());
    unknown.addAll(open.keySet());
    unknown.removeAll(ids);
    unknown.forEach(id -> problems.add("There is no row " + id + "."));
    return problems;
  }

  /** The page for people. */
  String page() {
    List<Row> shown = rows.stream().filter(row -> !open.containsKey(row.id())).toList();
    StringBuilder page = new StringBuilder(INTRODUCTION);
    page.append("Of " + rows.size() + " rows " + shown.size() + " have a test.\n");
    char group = ' ';
    for (Row row : rows) {
      if (row.id().charAt(0) != group) {
        group = row.id().charAt(0);
        page.append("\n## " + group + ". " + GROUPS.get(group))
            .append("\n\n| row | behavior | codes | tests |\n|---|---|---|---|\n");
      }
      String codes =
          row.codes().stream().map(code -> "`" + code + "`").collect(Collectors.joining(", "));
      String reason = open.get(row.id());
      page.append("| " + row.id() + " | " + row.holds() + " | ")
          .append(codes)
          .append(" | " + (reason == null ? classes(row.id()) : "Open: " + reason) + " |\n");
    }
    return page.toString();
  }

  /**
   * The classes with a test of a row, those of other modules than the volume manager with theirs,
   * and those that only the campaigns run in italics.
   */
  private String classes(String row) {
    Map<String, Boolean> classes = new TreeMap<>();
    for (WrittenTest test : tests) {
      if (test.tags().contains(row)) {
        String module = test.module();
        String name = module.startsWith("volume-manager/") ? "" : " of " + module;
        classes.merge(test.type() + name, test.isCampaign(), Boolean::logicalAnd);
      }
    }
    return classes.entrySet().stream()
        .map(each -> each.getValue() ? "*" + each.getKey() + "*" : each.getKey())
        .collect(Collectors.joining(", "));
  }
}
