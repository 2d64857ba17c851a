package io.csi4j.examples.generated;

import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** Renders {@code docs/fault-matrix.md} from the lists of rows and the tags of the tests. */
final class FaultMatrixDoc {

  private static final String INTRODUCTION =
      """
      # What can go wrong, and which tests show that it is survived

      Generated from the lists and the tags of the tests; `FaultMatrixTest` fails when this page is stale and rewrites it with
      `mvn test -Dtest=FaultMatrixTest -Dsurefire.failIfNoSpecifiedTests=false -Dcsi4j.regenerate=true`.

      Each row is one thing that can go wrong on a node, and what must hold nevertheless. The tests of a row carry its name as a
      tag: `mvn test -Dgroups=A7` runs those of row A7. The codes are what an operator may be told: [operator-codes.md](operator-codes.md)
      says what to do.

      """;

  private static final Map<Character, String> GROUPS =
      Map.ofEntries(
          Map.entry('A', "The process of the host dies"),
          Map.entry('B', "The host boots or loses power"),
          Map.entry('C', "The plugin's process has trouble"),
          Map.entry('D', "The plugin's answers"),
          Map.entry('E', "Several at once, and changing one's mind"),
          Map.entry('F', "Directories, disks, paths"),
          Map.entry('G', "The state on disk"),
          Map.entry('H', "The kernel's mount table"),
          Map.entry('I', "Clock, JVM, threads"),
          Map.entry('J', "Many of everything"),
          Map.entry('K', "Claims across machines"),
          Map.entry('L', "Names and changes"));

  private FaultMatrixDoc() {}

  static String render(FaultMatrix matrix, Map<String, Set<String>> linked) {
    StringBuilder page = new StringBuilder(INTRODUCTION);
    page.append("Of ")
        .append(matrix.rows().size())
        .append(" rows ")
        .append(linked.size())
        .append(" have a test.\n");
    Set<String> told = ToldCodes.names();
    char group = ' ';
    for (FaultMatrix.Row row : matrix.rows()) {
      if (row.id().charAt(0) != group) {
        group = row.id().charAt(0);
        page.append("\n## ")
            .append(group)
            .append(". ")
            .append(GROUPS.get(group))
            .append("\n\n| row | what must hold | codes | tests |\n|---|---|---|---|\n");
      }
      Set<String> tests = linked.get(row.id());
      page.append("| ")
          .append(row.id())
          .append(" | ")
          .append(row.holds())
          .append(". | ")
          .append(codes(row, told))
          .append(" | ")
          .append(tests == null ? "Open: " + matrix.open().get(row.id()) : String.join(", ", tests))
          .append(" |\n");
    }
    return page.toString();
  }

  private static String codes(FaultMatrix.Row row, Set<String> told) {
    String codes =
        row.codes().stream()
            .filter(told::contains)
            .map(code -> "`" + code + "`")
            .collect(Collectors.joining(", "));
    return codes.isEmpty() ? "-" : codes;
  }
}
