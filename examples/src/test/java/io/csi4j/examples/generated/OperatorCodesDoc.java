package io.csi4j.examples.generated;

import io.csi4j.volume.internal.text.OperatorLines;
import io.csi4j.volume.model.OperatorCode;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Renders {@code docs/operator-codes.md} from the catalogue of codes. */
final class OperatorCodesDoc {

  private static final String INTRODUCTION =
      """
      # What an operator is told, and what to do

      Whatever the volume manager has to say to an operator, in an exception, an event, a report or an explanation, is one line
      of five parts: the code, what was being done and to what, what was seen, what is safe now, what happens next or what to do.

      ```
      (line)
      ```

      Names and numbers do not change, and a number is never used again. No message holds a secret, a mount option or a value
      of a context; a plugin's own words are quoted, made printable and cut to 1 KiB. A plugin that answered with an error has
      the status and the call in round brackets: [errors.md](errors.md) says more about those.

      **Care** says who has to do something: *INFO* nobody, *WARNING* somebody some day, as csi4j copes for now, *ERROR*
      somebody now, as what was asked for was not done or csi4j cannot put it right alone.

      Generated from the catalogue in the code; `OperatorCodesDocTest` fails when this page is stale and rewrites it with
      `mvn test -Dtest=OperatorCodesDocTest -Dsurefire.failIfNoSpecifiedTests=false -Dcsi4j.regenerate=true`.
      """;

  private static final Map<Integer, String> CHAPTERS =
      new TreeMap<>(
          Map.of(
              1, "Starting, and what is found then",
              2, "The state on disk",
              3, "The plugin",
              4, "The kernel's mount table",
              5, "Requests",
              6, "Directories and paths",
              7, "Calls to the plugin",
              8, "Claims across machines",
              9, "The manager itself"));

  private static final Map<Integer, String> NOTES =
      Map.of(
          2,
          "The names are those of `StateReason`; [state.md](state.md) says more about each.\n\n",
          7,
          "*In doubt* is what a path is in whose last call has no certain end. It stays so, over"
              + " restarts, until the same call or its opposite\n"
              + "has succeeded and the mount table agrees.\n\n");

  private OperatorCodesDoc() {}

  static String render() {
    StringBuilder page =
        new StringBuilder(
            INTRODUCTION.replace(
                "(line)",
                OperatorLines.line(OperatorCode.MOUNT_NOT_VISIBLE)
                    .replace(" at /", "\n  at /")
                    .replace("; no", ";\n  no")
                    .replace(": mount", ":\n  mount")));
    Set<String> told = ToldCodes.names();
    CHAPTERS.forEach(
        (hundred, title) -> {
          page.append("\n## ")
              .append(hundred)
              .append("xx: ")
              .append(title)
              .append("\n\n")
              .append(NOTES.getOrDefault(hundred, ""))
              .append("| code | care | it means | safe now | next |\n|---|---|---|---|---|\n");
          for (OperatorCode code : OperatorCode.values()) {
            if (code.number() / 100 == hundred && told.contains(code.name())) {
              page.append(row(code));
            }
          }
        });
    String kept =
        Arrays.stream(OperatorCode.values())
            .filter(code -> !told.contains(code.name()))
            .map(code -> "CSI-" + code.number() + " `" + code.name() + "`")
            .collect(Collectors.joining(",\n"));
    return kept.isEmpty()
        ? page.toString()
        : page
            + "\n## Kept\n\nThis version tells nobody of these; their numbers are taken.\n\n"
            + kept
            + ".\n";
  }

  private static String row(OperatorCode code) {
    return String.format(
        "| CSI-%d `%s` | %s | %s. | %s. | %s. |%n",
        code.number(),
        code.name(),
        code.severity(),
        code.meaning(),
        Character.toUpperCase(code.safe().charAt(0)) + code.safe().substring(1),
        code.next());
  }
}
