package io.csi4j.volume.internal.text;

import io.csi4j.client.model.CsiFailure;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.OperatorMessage;

/**
 * Creates messages: the code provides what is safe and the next step; the caller provides the
 * subject and what was seen. All foreign text is escaped to fit on one line.
 *
 * <p>A message has one next step. Steps of several sources contradict each other.
 */
public final class Messages {

  private static final System.Logger LOG = System.getLogger("io.csi4j.volume");

  private Messages() {}

  /** Logs a message that no listener of the host handles, at the level of its severity. */
  public static void log(OperatorMessage message) {
    LOG.log(
        switch (message.code().severity()) {
          case INFO -> System.Logger.Level.INFO;
          case WARNING -> System.Logger.Level.WARNING;
          case ERROR -> System.Logger.Level.ERROR;
        },
        message.line());
  }

  /** Returns the message for an operator. */
  public static OperatorMessage of(OperatorCode code, Subject subject, String seen) {
    return of(code, subject, seen, new OperatorMessage.Part(code.next()));
  }

  /** Returns the message with a more specific next step than that of its code. */
  public static OperatorMessage of(
      OperatorCode code, Subject subject, String seen, OperatorMessage.Part next) {
    String clause = ForeignText.clause(seen);
    return compose(
        code,
        subject,
        clause.isEmpty() ? lower(code.meaning()) : clause,
        ForeignText.clause(next.text()));
  }

  /** Returns the message with the meaning, and often the next step, from the answer to a call. */
  public static OperatorMessage answered(OperatorCode code, Subject subject, CsiFailure answer) {
    return compose(
        code,
        subject,
        answer.why() + " (" + status(answer) + ")",
        isForTheAnswerToSay(code) ? ForeignText.clause(answer.advice()) : code.next());
  }

  /** The status, with the call if it was sent, and with the plugin's own message. */
  private static String status(CsiFailure answer) {
    String call = answer.operation().map(CsiOperation::rpcName).orElse("the connection");
    String text = answer.pluginText().map(ForeignText::clause).orElse("");
    if (!text.isEmpty()) {
      return answer.code() + (answer.answered() ? " to " + call : "") + ": " + text;
    } else if (answer.answered()) {
      return answer.code() + " to " + call + ", but the plugin gave no reason";
    }
    return answer.code() + (answer.attempts() > 0 ? ", no answer to " + call : "");
  }

  /**
   * Whether the next step is taken from the answer to a call: a message has only one next step, and
   * for work that continues automatically the code has the better one.
   */
  private static boolean isForTheAnswerToSay(OperatorCode code) {
    return switch (code) {
      case REFUSED_BY_PLUGIN,
          FAILED_IN_DOUBT,
          CALL_FAILED,
          CONTROLLER_CALL_REFUSED,
          CONTROLLER_CALL_NOT_OFFERED,
          CONTROLLER_CALL_IN_DOUBT ->
          true;
      default -> false;
    };
  }

  private static OperatorMessage compose(
      OperatorCode code, Subject subject, String seen, String next) {
    return new OperatorMessage(
        code,
        new OperatorMessage.Part(subject.phrase()),
        new OperatorMessage.Part(seen),
        new OperatorMessage.Part(code.safe()),
        new OperatorMessage.Part(next));
  }

  private static String lower(String sentence) {
    return Character.toLowerCase(sentence.charAt(0)) + sentence.substring(1);
  }
}
