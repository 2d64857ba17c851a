package io.csi4j.examples.generated;

import io.csi4j.volume.internal.lifecycle.CallMeaning;
import io.csi4j.volume.internal.record.Verb;
import io.csi4j.volume.internal.text.OperatorLines;
import io.csi4j.volume.model.OperatorCode;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Renders {@code docs/operator-codes.md} from the catalogue of codes and the table of calls. */
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

  private static final int CALLS_CHAPTER = 7;

  private static final Map<Integer, String> NOTES =
      Map.of(
          2,
          "The names are those of `StateException.Reason`; [state.md](state.md) says more about each.\n\n",
          CALLS_CHAPTER,
          "*In doubt* is what a path is in whose last call has no certain end. It stays so, over"
              + " restarts, until the same call or its opposite\n"
              + "has succeeded and the mount table agrees.\n\n");

  private static final String CALLS =
      """

      ### What follows a failed call

      A call that stages, publishes, unpublishes or unstages a volume is judged by its status, and by whether the plugin may have got it. The
      text of the plugin decides nothing. How often a call is made again, and how long the pauses are, says the mount policy;
      a long pause is ten times a short one. [errors.md](errors.md) says what the client makes of the same statuses.

      | end of the call | still working | same call again | mounting reports | releasing reports | a release is over |
      |---|---|---|---|---|---|
      """;

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
          if (hundred == CALLS_CHAPTER) {
            page.append(CALLS);
            CallMeaning.table().forEach((end, meaning) -> page.append(row(end, meaning)));
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

  private static String row(CallMeaning.Case end, CallMeaning meaning) {
    String again =
        switch (meaning.repeat()) {
          case SOON -> "after a short pause";
          case LATER -> "after a long pause";
          case NEVER -> "no";
        };
    String remedy =
        switch (meaning.remedy()) {
          case NONE -> "";
          case STAGE_AGAIN ->
              "; a volume that the plugin stages is staged once more, and published";
          case LOOK_UP ->
              "; under a claim the control plane is asked once whether the volume exists, and if not"
                  + " the mount ends with `VOLUME_GONE`";
          case ASK_AGAIN -> "; the plugin is asked what it offers before the next release";
        };
    String over =
        switch (meaning.belief()) {
          case NEVER -> "after OK only";
          case AT_ONCE -> "if nothing is mounted";
          case IN_THE_END -> "if nothing is mounted, and it was refused often and for long";
        };
    return String.format(
        "| %s | %s | %s | %s | %s | %s |%n",
        end(end) + meaning.reportedAs().map(status -> ", reported as " + status).orElse(""),
        meaning.goesOn() ? "maybe" : "no",
        again + remedy,
        codes(meaning, Verb.STAGE, Verb.PUBLISH),
        codes(meaning, Verb.UNPUBLISH, Verb.UNSTAGE),
        over);
  }

  private static String end(CallMeaning.Case end) {
    String status =
        switch (end.status()) {
          case "OK" -> "OK that cannot be used";
          case "any" -> "any other status";
          default -> end.status();
        };
    return switch (end.sending()) {
      case SENT -> status;
      case UNSENT -> "not sent: " + status;
      case UNOFFERED -> "not sent, as the plugin does not offer it: " + status;
      case UNSENT_AGAIN -> "not sent, and sent by an earlier try of the same operation";
    };
  }

  private static String codes(CallMeaning meaning, Verb first, Verb second) {
    return Stream.of(first, second)
        .map(meaning.codes()::get)
        .distinct()
        .map(code -> "`" + code + "`")
        .collect(Collectors.joining(", "));
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
