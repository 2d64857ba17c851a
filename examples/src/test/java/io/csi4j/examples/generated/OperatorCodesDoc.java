package io.csi4j.examples.generated;

import io.csi4j.volume.internal.lifecycle.CallMeaning;
import io.csi4j.volume.internal.record.Verb;
import io.csi4j.volume.internal.text.OperatorLines;
import io.csi4j.volume.model.OperatorCode;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Renders {@code docs/operator-codes.md} from the catalogue of codes and the table of calls. */
final class OperatorCodesDoc {

  private static final String INTRODUCTION =
      """
      # Operator codes

      Every message of csi4j to an operator begins with a code: look it up here. For situations, see the [runbook](runbook.md).
      A message is one line: the code, the operation, what was observed, what is safe now, and the next step.

      ```
      (line)
      ```

      - A code without a mark is an **ERROR**: act now, as a request failed or csi4j needs help. `WARNING`: csi4j copes for now,
        but act some day. `INFO`: no action needed.
      - **Safe now**: unless this column says otherwise, nothing was changed, existing mounts and claims stay, and a workload
        that waited did not get the volume.
      - **Next**: an empty cell means that no action is needed. csi4j retries only where the text says so.

      Names and numbers never change. Messages contain no secrets, mount options or context values. A plugin's status
      and text stand in brackets, the text cut to 1 KiB ([errors.md](errors.md)).

      `OperatorCodesDocTest` generates this page from the code.
      """;

  private static final Map<Integer, String> CHAPTERS =
      new TreeMap<>(
          Map.of(
              1, "Starts",
              2, "State on disk",
              3, "Plugins",
              4, "Mount table",
              5, "Requests",
              6, "Directories and paths",
              7, "Calls to the plugin",
              8, "Claims across machines",
              9, "Managers, volumes and control planes"));

  private static final int CALLS_CHAPTER = 7;

  private static final Map<Integer, String> NOTES =
      Map.of(
          2,
          "The names are those of `StateException.Reason`; see [state.md](state.md).\n\n",
          CALLS_CHAPTER,
          "`…_IN_DOUBT`: the result of the last call is uncertain. This lasts, also over restarts,"
              + " until the same call or its opposite\n"
              + "succeeds and the mount table agrees.\n\n");

  private static final String CALLS =
      """

      ### After a failed call

      The status decides, not the plugin's text. *Not sent*: the plugin certainly did not get the call. After `STAGE_IN_DOUBT`
      and `PUBLISH_IN_DOUBT` it may still be working. The mount policy sets the number of attempts and the short pause; a long
      pause is ten times as long.

      | result | repeated | a mount fails with | a release fails with | release ends without OK |
      |---|---|---|---|---|
      """;

  /** Clauses of what is safe that the introduction says for all rows. */
  private static final Set<String> USUAL =
      Set.of(
          "existing mounts stay",
          "existing volumes stay",
          "it keeps its claim",
          "no call was sent",
          "no file was changed",
          "no record is changed",
          "no volume call was sent",
          "no workload got a volume",
          "no workload got it",
          "no workload got the volume",
          "nothing is recorded",
          "nothing was added",
          "nothing was begun",
          "nothing was begun for it",
          "nothing was changed",
          "nothing was changed or deleted",
          "nothing was done",
          "nothing was done there",
          "nothing was forgotten",
          "nothing was mounted",
          "nothing was released",
          "nothing was written",
          "present uses stay",
          "the call was not sent",
          "the claim stays",
          "the holder keeps it",
          "the holders keep it",
          "the message had no effect",
          "the new use was not begun",
          "the plugin was not called",
          "the present use stays",
          "the refused change was not made",
          "the state is unchanged",
          "the task did not get the volume",
          "the workload did not get it",
          "the workload did not get the volume",
          "the workload keeps its claim");

  private static final String NOT_SENT = "not sent: ";

  private static final String NO_ACTION = "No action needed";

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
    Set<String> reported = ToldCodes.names();
    CHAPTERS.forEach(
        (hundred, title) -> {
          page.append("\n## ")
              .append(hundred)
              .append("xx: ")
              .append(title)
              .append("\n\n")
              .append(NOTES.getOrDefault(hundred, ""))
              .append("| code | it means | safe now | next |\n|---|---|---|---|\n");
          for (OperatorCode code : OperatorCode.values()) {
            if (code.number() / 100 == hundred && reported.contains(code.name())) {
              page.append(row(code));
            }
          }
          if (hundred == CALLS_CHAPTER) {
            page.append(CALLS);
            Map<String, List<String>> rows = new LinkedHashMap<>();
            CallMeaning.table()
                .forEach(
                    (end, meaning) ->
                        rows.computeIfAbsent(
                                isSent(end) + cells(meaning), cells -> new ArrayList<>())
                            .add(end(end, meaning)));
            rows.forEach(
                (cells, ends) ->
                    page.append("| ")
                        .append(ends(ends))
                        .append(cells.substring(cells.indexOf(' ')))
                        .append('\n'));
          }
        });
    String kept =
        Arrays.stream(OperatorCode.values())
            .filter(code -> !reported.contains(code.name()))
            .map(code -> "CSI-" + code.number() + " `" + code.name() + "`")
            .collect(Collectors.joining(",\n"));
    return kept.isEmpty()
        ? page.toString()
        : page + "\n## Reserved\n\nThis version does not report these codes:\n\n" + kept + ".\n";
  }

  private static boolean isSent(CallMeaning.Case end) {
    return end.sending() == CallMeaning.Sending.SENT;
  }

  private static String cells(CallMeaning meaning) {
    String again =
        switch (meaning.repeat()) {
          case SOON -> "after a short pause";
          case LATER -> "after a long pause";
          case NEVER -> "no";
        };
    String remedy =
        switch (meaning.remedy()) {
          case NONE -> "";
          case STAGE_AGAIN -> ", but a volume with staging is staged and published once more";
          case LOOK_UP ->
              "; with a claim, the control plane looks for the volume once (`VOLUME_GONE`)";
          case ASK_AGAIN -> ", but capabilities are read again before the next release";
        };
    String over =
        switch (meaning.belief()) {
          case NEVER -> "no";
          case AT_ONCE -> "if nothing is mounted";
          case IN_THE_END -> "after many refusals with nothing mounted";
        };
    return String.format(
        " | %s | %s | %s | %s |",
        again + remedy,
        codes(meaning, Verb.STAGE, Verb.PUBLISH),
        codes(meaning, Verb.UNPUBLISH, Verb.UNSTAGE),
        over);
  }

  private static String end(CallMeaning.Case end, CallMeaning meaning) {
    String status =
        switch (end.status()) {
          case "OK" -> "unusable OK";
          case "any" -> "any other status";
          default -> end.status();
        };
    String sent =
        switch (end.sending()) {
          case SENT -> status;
          case UNSENT -> NOT_SENT + status;
          case UNOFFERED -> NOT_SENT + "not offered by the plugin";
          case UNSENT_AGAIN -> NOT_SENT + "but an earlier attempt was";
        };
    return sent + meaning.reportedAs().map(code -> " (reported as " + code + ")").orElse("");
  }

  private static String ends(List<String> ends) {
    String first = ends.get(0);
    return ends.stream()
        .map(
            end ->
                end.equals(first) || !end.startsWith(NOT_SENT)
                    ? end
                    : end.substring(NOT_SENT.length()))
        .collect(Collectors.joining(", "));
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
        "| CSI-%d `%s`%s | %s | %s | %s |%n",
        code.number(),
        code.name(),
        code.severity() == OperatorCode.Severity.ERROR ? "" : " " + code.severity(),
        capitalized(code.meaning()),
        capitalized(
            Stream.of(code.safe().split("; "))
                .filter(clause -> !USUAL.contains(clause))
                .collect(Collectors.joining("; "))),
        code.next().equals(NO_ACTION) ? "" : capitalized(code.next()));
  }

  private static String capitalized(String text) {
    return text.isEmpty() || text.startsWith("csi4j ")
        ? text
        : Character.toUpperCase(text.charAt(0)) + text.substring(1);
  }
}
