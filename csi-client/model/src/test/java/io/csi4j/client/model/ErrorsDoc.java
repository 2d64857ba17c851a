package io.csi4j.client.model;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** Renders {@code docs/errors.md} from the tables that calls are judged and paced by. */
final class ErrorsDoc {

  private static final String INTRODUCTION =
      """
      # What can fail, what it means, what to do

      For each call of CSI and each code that a plugin may answer with: what it means, whether the client repeats the call, and what to
      do. Generated from the tables in the code: `mvn test -Dtest=ErrorsDocTest -Dsurefire.failIfNoSpecifiedTests=false -Dcsi4j.regenerate=true`.

      ## Finding a row

      ```
      Staging volume 'vol-1' on plugin 'disk.example' failed: the plugin does not know the volume (NOT_FOUND).
      Check that ... [NodeStageVolume, unix:///run/csi/disk.sock, 12 ms, settled]
      ```

      The code is in round brackets, the call is the first word in square brackets. Look for the code in the rows of the
      [call](#calls), then in the [general rows](#every-call). In a program, `FailureRule.of(operation, code)` gives the same row. A call
      that was refused before it was sent (`not sent`), an invalid answer and a failed connection have no row: their message says all.

      **Outcome** depends on the code only:

      - *settled*: the plugin refused. It has not done the call; there is nothing to undo.
      - *uncertain*: the plugin may have done it, or may still be working on it. Keep on record what the call would have made, until the
        same call or its opposite has succeeded.

      A call that was repeated is settled only if all its attempts were.

      **Retry** is what has to happen before the call makes sense again. The client itself repeats only the first two.

      | retry | wait for |
      |---|---|
      | BACKOFF | time |
      | AFTER_PENDING | the end of another call for the same object |
      | AFTER_REQUEST_CHANGE | another request |
      | AFTER_FIX | a change outside the request |
      | NEVER | nothing: it will never work here |

      ## Time limits and repeats

      The pause before a repeat is random, up to a limit that starts at the given pause and doubles, up to 10 s. The budget covers all
      attempts and pauses. A connection or a single call can [change each](client.md). A request whose connection
      ends before a byte was sent goes over the next connection at once.

      """;

  private static final String GENERAL =
      """

      ## Every call

      | code | outcome | retry | it means | what to do |
      |---|---|---|---|---|
      """;

  private static final String UNANSWERED =
      """

      ## Without an answer

      If no answer came, the client gives the failure a code, and `CsiFailure.answered()` is false. Then this row holds
      (`FailureRule.unanswered`), and the general ones for all other codes.

      | code | outcome | retry | it means | what to do |
      |---|---|---|---|---|
      """;

  private static final String CALLS =
      """

      ## Calls

      Retry is that of the general row, unless it follows the code. The row without a code says what the call may have left behind: it
      adds to all rows with BACKOFF.
      """;

  private ErrorsDoc() {}

  static String render() {
    StringBuilder page = new StringBuilder(INTRODUCTION);
    policies(page);
    page.append(GENERAL);
    for (StatusCode code : StatusCode.values()) {
      if (code != StatusCode.OK) {
        row(page, code, FailureTable.general(code));
      }
    }
    page.append(UNANSWERED);
    FailureTable.unanswered().forEach((code, row) -> row(page, code, row));
    page.append(CALLS);
    for (CsiOperation.Service service : CsiOperation.Service.values()) {
      section(page, service);
    }
    return page.toString();
  }

  /** One row for all operations with the same limits. */
  private static void policies(StringBuilder page) {
    Map<CallPolicy, List<CsiOperation>> policies = new LinkedHashMap<>();
    for (CsiOperation operation : CsiOperation.values()) {
      policies
          .computeIfAbsent(CallPolicy.defaultFor(operation), policy -> new ArrayList<>())
          .add(operation);
    }
    page.append("| calls | an attempt | attempts | pause, after ABORTED | budget |\n");
    page.append("|---|---|---|---|---|\n");
    policies.forEach(
        (policy, operations) ->
            page.append("| ")
                .append(names(operations))
                .append(" | ")
                .append(text(policy.attemptDeadline()))
                .append(" | ")
                .append(policy.attempts())
                .append(policy.attempts() == 1 ? " | | |\n" : limits(policy)));
  }

  private static String limits(CallPolicy policy) {
    return " | "
        + text(policy.backoff())
        + ", "
        + text(policy.pendingBackoff())
        + " | "
        + text(policy.budget())
        + " |\n";
  }

  /** The rows of a service: those of operations that fail alike are shown once. */
  private static void section(StringBuilder page, CsiOperation.Service service) {
    Map<List<String>, List<CsiOperation>> alike = new LinkedHashMap<>();
    for (CsiOperation operation : CsiOperation.values()) {
      if (operation.service() == service) {
        alike.computeIfAbsent(rows(operation), rows -> new ArrayList<>()).add(operation);
      }
    }
    page.append("\n### ").append(title(service)).append("\n\n");
    page.append("| call | code | it means | what to do |\n|---|---|---|---|\n");
    alike.forEach(
        (rows, operations) -> {
          String call =
              operations.stream()
                  .map(each -> "<a id=\"" + each.rpcName() + "\"></a>" + each.rpcName())
                  .collect(Collectors.joining(", "));
          for (String row : rows) {
            page.append("| ").append(call).append(call.isEmpty() ? "" : " ").append(row);
            call = "";
          }
        });
  }

  private static List<String> rows(CsiOperation operation) {
    List<String> rows = new ArrayList<>();
    FailureTable.own(operation)
        .forEach(
            (code, row) ->
                rows.add(
                    "| "
                        + code
                        + (row.retry() == FailureTable.general(code).retry()
                            ? ""
                            : ", " + row.retry())
                        + " | "
                        + row.meaning()
                        + " | "
                        + row.advice()
                        + " |\n"));
    FailureTable.leftBehind(operation).ifPresent(text -> rows.add("| | | " + text + " |\n"));
    return rows.isEmpty() ? List.of("| | | The general rows hold. |\n") : rows;
  }

  private static String names(List<CsiOperation> operations) {
    return operations.stream().map(CsiOperation::rpcName).collect(Collectors.joining(", "));
  }

  /** {@code GROUP_CONTROLLER} becomes {@code Group controller}. */
  private static String title(CsiOperation.Service service) {
    String words = service.name().toLowerCase(Locale.ROOT).replace('_', ' ');
    return words.substring(0, 1).toUpperCase(Locale.ROOT) + words.substring(1);
  }

  private static void row(StringBuilder page, StatusCode code, FailureTable.Row row) {
    page.append("| ")
        .append(code)
        .append(" | ")
        .append(FailureTable.outcome(code))
        .append(" | ")
        .append(row.retry())
        .append(" | ")
        .append(row.meaning())
        .append(" | ")
        .append(row.advice())
        .append(" |\n");
  }

  /** A duration as people write it: {@code 2 min}, {@code 6 min 30 s}, {@code 100 ms}. */
  private static String text(Duration duration) {
    if (duration.toMillis() < 1000) {
      return duration.toMillis() + " ms";
    }
    String minutes = duration.toMinutes() == 0 ? "" : duration.toMinutes() + " min";
    String seconds = duration.toSecondsPart() == 0 ? "" : duration.toSecondsPart() + " s";
    return String.format(Locale.ROOT, "%s %s", minutes, seconds).trim();
  }
}
