package io.csi4j.conformance.internal.plugin;

import com.google.protobuf.Message;
import io.csi4j.client.internal.redaction.RedactedText;
import io.csi4j.client.internal.text.SafeText;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.StatusCode;
import java.time.Duration;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/**
 * The plugin's answer to a call.
 *
 * @param operation the call
 * @param code the status code
 * @param text the status message, unchanged
 * @param messages the messages of the answer: one message, several for a stream, or none
 * @param took the duration of the call
 * @param lost whether the connection broke before the answer, or could not be established
 */
record Reply(
    CsiOperation operation,
    StatusCode code,
    String text,
    List<Message> messages,
    Duration took,
    boolean lost) {

  Reply {
    messages = List.copyOf(messages);
  }

  String rpcName() {
    return operation.rpcName();
  }

  boolean isOk() {
    return code == StatusCode.OK;
  }

  /** Returns whether the plugin may have done the work, although it did not answer OK. */
  boolean isUncertain() {
    return switch (code) {
      case CANCELLED, UNKNOWN, DEADLINE_EXCEEDED, INTERNAL, UNAVAILABLE, DATA_LOSS, ABORTED -> true;
      default -> false;
    };
  }

  /** Returns the answer as one line, without secrets. */
  String shown(UnaryOperator<String> scrubber) {
    if (isOk()) {
      return "OK "
          + messages.stream()
              .map(each -> RedactedText.of(each, scrubber))
              .collect(Collectors.joining(" "));
    }
    String words = SafeText.escape(scrubber.apply(text), 256);
    return code + " (" + code.value() + ")" + (words.isEmpty() ? "" : ": '" + words + "'");
  }
}
