package io.csi4j.volume.internal.text;

import io.csi4j.client.model.CsiFailure;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.OperatorMessage;

/**
 * Creates messages for operators. The code of a message determines what is safe and the next step.
 * The caller provides the subject and the observation. Text of unknown origin is escaped, so a
 * message fits on one line.
 *
 * <p>A message has only one next step, because steps from several sources could contradict each
 * other.
 */
public final class Messages {

  private static final System.Logger LOG = System.getLogger("io.csi4j.volume");

  private Messages() {}

  /**
   * Logs a message that no listener of the host handles. The log level follows from the severity of
   * the message.
   */
  public static void log(OperatorMessage message) {
    LOG.log(
        switch (message.code().severity()) {
          case INFO -> System.Logger.Level.INFO;
          case WARNING -> System.Logger.Level.WARNING;
          case ERROR -> System.Logger.Level.ERROR;
        },
        message.line());
  }

  /** Returns a message with the next step of its code. */
  public static OperatorMessage of(OperatorCode code, Subject subject, String seen) {
    return of(code, subject, seen, new OperatorMessage.Part(code.next()));
  }

  /** Returns a message with a next step that is more specific than the next step of its code. */
  public static OperatorMessage of(
      OperatorCode code, Subject subject, String seen, OperatorMessage.Part next) {
    String clause = ForeignText.clause(seen);
    return compose(
        code,
        subject,
        clause.isEmpty() ? lower(code.meaning()) : clause,
        ForeignText.clause(next.text()));
  }

  /**
   * Returns a message about a failed call. The failure provides the observation and, for some
   * codes, the next step.
   */
  public static OperatorMessage answered(OperatorCode code, Subject subject, CsiFailure answer) {
    return compose(
        code,
        subject,
        answer.why() + " (" + status(answer) + ")",
        isForTheAnswerToSay(code) ? ForeignText.clause(answer.advice()) : code.next());
  }

  /**
   * Returns the status of a failed call, with the name of the call if it was sent, and with the
   * plugin's own message.
   */
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
   * Whether the next step of a message is taken from the failed call instead of the code. For work
   * that continues automatically, the next step of the code is better.
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
