package io.csi4j.examples.generated;

import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Renders {@code docs/hostile-inputs.md} from the lists of rows, tests and decisions. */
final class HostileInputsDoc {

  private static final String INTRODUCTION =
      """
      # Hostile inputs, and which tests show what is done about them

      Names and options come from tenants, answers from plugins, files from disks, and each of them may mean harm. The host is trusted, its
      operator too. A plugin has the rights to harm the mounts of its own node; it must not crash, blind, hang or mislead the program that
      calls it, read what belongs to another plugin, or make that program act outside of its own directory.

      The gate behind this page reads the source of every test that it names: the test is run, and a statement of it asserts the code or the
      outcome of the row.

      Generated from the lists; `HostileInputsTest` fails when this page is stale and rewrites it with
      `mvn test -Dtest=HostileInputsTest -Dsurefire.failIfNoSpecifiedTests=false -Dcsi4j.regenerate=true`.

      """;

  /** The chapters, by the number of their first row. */
  private static final Map<Integer, String> CHAPTERS =
      new TreeMap<>(
          Map.of(
              1, "Names and ids",
              16, "Options, contexts, secrets",
              32, "What a plugin says about itself",
              47, "The wire",
              61, "Lists and values from plugins",
              77, "Filesystems",
              96, "State files",
              102, "Hosts"));

  private HostileInputsDoc() {}

  static String render(HostileInputs inputs) {
    StringBuilder page = new StringBuilder(INTRODUCTION);
    page.append("Of ")
        .append(inputs.rows().size())
        .append(" rows ")
        .append(inputs.rows().size() - inputs.open().size())
        .append(" are answered.\n");
    for (HostileInputs.Row row : inputs.rows()) {
      String chapter = CHAPTERS.get(row.number());
      if (chapter != null) {
        page.append("\n## ")
            .append(chapter)
            .append("\n\n| row | what comes | what must hold | tests |\n|---|---|---|---|\n");
      }
      page.append("| ")
          .append(row.number())
          .append(" | ")
          .append(row.input())
          .append(". | ")
          .append(row.holds())
          .append(". | ")
          .append(answer(inputs, row))
          .append(" |\n");
    }
    return page.toString();
  }

  private static String answer(HostileInputs inputs, HostileInputs.Row row) {
    String open = inputs.open().get(row.number());
    if (open != null) {
      return "Open: " + open + ".";
    }
    String decision = inputs.decided().get(row.number());
    return Stream.concat(
            decision == null ? Stream.of() : Stream.of(decision + "."),
            inputs.tests(row).stream()
                .map(each -> "`" + each.type() + "." + each.method() + "`")
                .distinct())
        .collect(Collectors.joining(" "));
  }
}
