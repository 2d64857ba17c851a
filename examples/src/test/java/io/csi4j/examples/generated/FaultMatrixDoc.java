package io.csi4j.examples.generated;

import java.util.Map;
import java.util.stream.Collectors;

/** Renders {@code docs/fault-matrix.md} from the lists of rows and the tags of the tests. */
final class FaultMatrixDoc {

  private static final String INTRODUCTION =
      """
      # What can go wrong, and which tests show that it is survived

      Each row is one thing that can go wrong on a node, and what must hold nevertheless. A test counts for a row only if it asserts
      the row by name, `.as("A7: a staging without an answer is in doubt")`, in an assertion that it cannot pass without: not in a branch,
      a loop that may be empty, or a random history that might have met the case. \
      Each code of a row stands in such an assertion. The tests of
      a row carry its name as a tag as well: `mvn test -Dgroups=A7` runs those of row A7. The codes are what an operator may be told:
      [operator-codes.md](operator-codes.md) says what to do. Classes in italics run in the campaigns alone.

      Generated from the lists and the tags of the tests; `FaultMatrixTest` fails when this page is stale and rewrites it with
      `mvn test -Dtest=FaultMatrixTest -Dsurefire.failIfNoSpecifiedTests=false -Dcsi4j.regenerate=true`.

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

  static String render(FaultMatrix matrix, Evidence evidence) {
    StringBuilder page = new StringBuilder(INTRODUCTION);
    page.append("Of ")
        .append(matrix.rows().size())
        .append(" rows ")
        .append(evidence.shown().size())
        .append(" have a test that asserts them.\n");
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
      String tests = tests(evidence, row.id());
      page.append("| ")
          .append(row.id())
          .append(" | ")
          .append(row.holds())
          .append(". | ")
          .append(codes(row))
          .append(" | ")
          .append(tests.isEmpty() ? "Open: " + matrix.open().get(row.id()) : tests)
          .append(" |\n");
    }
    return page.toString();
  }

  private static String codes(FaultMatrix.Row row) {
    String codes =
        row.codes().stream().map(code -> "`" + code + "`").collect(Collectors.joining(", "));
    return codes.isEmpty() ? "-" : codes;
  }

  private static String tests(Evidence evidence, String row) {
    return evidence.classes(row).stream()
        .map(type -> evidence.isCampaign(row, type) ? "*" + type + "*" : type)
        .collect(Collectors.joining(", "));
  }
}
