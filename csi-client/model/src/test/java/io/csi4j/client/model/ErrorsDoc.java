package io.csi4j.client.model;

import java.time.Duration;
import java.util.Locale;
import java.util.Map;

/** Renders {@code docs/errors.md} from the tables that calls are judged and paced by. */
final class ErrorsDoc {

  private static final String INTRODUCTION =
      """
      # What can fail, what it means, what to do

      For each call of CSI and each code that a plugin may answer with: what it means, whether csi4j repeats the call, what may be
      left behind, and what to do.

      Generated from the tables in the code; `ErrorsDocTest` fails when this page is stale and rewrites it with
      `mvn test -Dtest=ErrorsDocTest -Dsurefire.failIfNoSpecifiedTests=false -Dcsi4j.regenerate=true`.

      ## Finding a row

      Every failure is one line:

      ```
      Staging volume 'vol-1' on plugin 'disk.example' failed: the plugin does not know the volume (NOT_FOUND).
      Check that ... [NodeStageVolume, unix:///run/csi/disk.sock, 12 ms, settled]
      ```

      The code stands in round brackets, the operation is the first word in square brackets. Look for the code in
      the section of the [operation](#operations); if it has no row there, the [general row](#every-operation) holds. In a
      program, `FailureRule.of(operation, code)` gives the same row.

      Failures of another kind have no row here: a call that was refused before it was sent (`not sent` in the square
      brackets), an answer that breaks the rules of CSI, a connection that did not come about. Their message says all
      there is to know.

      ## Reading a row

      **Outcome** is what the failure left behind.

      - *settled*: the plugin refused. It is not working on the call and has not done it; there is nothing to undo.
      - *uncertain*: the plugin may still be working on it, or may have done it. Keep on record whatever the call would
        have made, until the same call or its opposite has succeeded.

      A call that was repeated is settled only if all its attempts were.

      A request that meets the end of its connection before a byte of it has left is sent over the next connection at once,
      whatever the policy says: the plugin knows nothing of it.

      **Retry** is what has to happen before the call makes sense again.

      | retry | meaning |
      |---|---|
      | BACKOFF | Only time has to pass. The client repeats the identical request by itself, with growing pauses. |
      | AFTER_PENDING | Another call for the same object has to end. The client repeats, with longer pauses. |
      | AFTER_REQUEST_CHANGE | The request has to change; the same one fails again. The client does not repeat it. |
      | AFTER_FIX | Something outside the request has to change first. The client cannot see that, so it does not repeat. |
      | NEVER | It will never work here. |

      How often and how patiently the client repeats is the **policy** of the operation. The pause before a retry is drawn
      evenly between nothing and a limit that starts at the pause named and doubles, up to 10 s. The budget is what all
      attempts and pauses may take together. All of it can be changed for a connection or a single call.

      ## Every operation

      """;

  private static final String UNANSWERED =
      """

      ## Without an answer

      The rows of the operations are about what a plugin answers. If no answer came, the client itself gives the failure a code, and
      `CsiFailure.answered()` is false. Then these rows hold, and the general ones for all other codes; in a program, `FailureRule.unanswered(operation, code)`.

      | code | outcome | retry | it means | what to do |
      |---|---|---|---|---|
      """;

  private ErrorsDoc() {}

  static String render() {
    StringBuilder page = new StringBuilder(INTRODUCTION);
    page.append("| code | outcome | retry | it means | what to do |\n|---|---|---|---|---|\n");
    for (StatusCode code : StatusCode.values()) {
      if (code != StatusCode.OK) {
        row(page, code, FailureTable.general(code));
      }
    }
    page.append(UNANSWERED);
    FailureTable.unanswered().forEach((code, row) -> row(page, code, row));
    page.append("\n## Operations\n");
    for (CsiOperation operation : CsiOperation.values()) {
      section(page, operation);
    }
    return page.toString();
  }

  private static void section(StringBuilder page, CsiOperation operation) {
    String name = operation.rpcName();
    page.append("\n### <a id=\"").append(name).append("\"></a>").append(name).append("\n\n");
    policy(page, CallPolicy.defaultFor(operation));
    FailureTable.leftBehind(operation)
        .ifPresent(text -> page.append("\nWhere the retry is BACKOFF: ").append(text).append('\n'));
    Map<StatusCode, FailureTable.Row> own = FailureTable.own(operation);
    if (own.isEmpty()) {
      page.append("\nThe general rows hold for all codes.\n");
      return;
    }
    page.append("\n| code | outcome | retry | it means | what to do |\n|---|---|---|---|---|\n");
    own.forEach((code, row) -> row(page, code, row));
  }

  private static void policy(StringBuilder page, CallPolicy policy) {
    page.append("Policy: ").append(text(policy.attemptDeadline())).append(" per attempt, ");
    if (policy.attempts() == 1) {
      page.append("never repeated.\n");
      return;
    }
    page.append(policy.attempts())
        .append(" attempts, pauses from ")
        .append(text(policy.backoff()))
        .append(" (after ABORTED from ")
        .append(text(policy.pendingBackoff()))
        .append(") up to ")
        .append(text(policy.backoffCap()))
        .append(", budget ")
        .append(text(policy.budget()))
        .append(".\n");
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
