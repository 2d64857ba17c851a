package io.csi4j.client.internal;

import com.google.protobuf.Message;
import io.csi4j.client.internal.redaction.RedactedText;
import io.csi4j.client.internal.redaction.SensitiveValues;
import io.csi4j.client.model.CsiListener;
import java.lang.System.Logger.Level;
import java.util.function.UnaryOperator;

/**
 * Writes calls to the logger {@code io.csi4j.client.wire}: one line for each attempt at DEBUG, the
 * messages at TRACE. Omits secrets, mount flags and contexts.
 */
final class WireLog {

  private static final System.Logger LOGGER = System.getLogger("io.csi4j.client.wire");

  private WireLog() {}

  static void started(CsiListener.Started event, Message request) {
    if (LOGGER.isLoggable(Level.TRACE)) {
      LOGGER.log(
          Level.TRACE,
          "{0} -> {1}",
          head(event),
          RedactedText.of(request, UnaryOperator.identity()));
    }
  }

  /**
   * Logs an answer. Secrets that were sent to the plugin are removed from the texts of the answer.
   */
  static void received(
      CsiListener.Started event, Message message, SensitiveValues sensitive, Message request) {
    if (LOGGER.isLoggable(Level.TRACE)) {
      LOGGER.log(
          Level.TRACE,
          "{0} <- {1}",
          head(event),
          RedactedText.of(message, sensitive.scrubber(request)));
    }
  }

  static void ended(CsiListener.Ended event, String text) {
    LOGGER.log(
        Level.DEBUG,
        "{0} {1} after {2} ms{3}",
        head(event.started()),
        event.code(),
        String.valueOf(event.elapsed().toMillis()),
        text.isEmpty() ? "" : ": " + text);
  }

  /** Returns whether the lines of {@link #ended} are logged at all. */
  static boolean isOn() {
    return LOGGER.isLoggable(Level.DEBUG);
  }

  private static String head(CsiListener.Started event) {
    return event.operation().rpcName()
        + " #"
        + event.callId()
        + "."
        + event.attempt()
        + " "
        + event.endpoint();
  }
}
