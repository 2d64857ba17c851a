package io.csi4j.conformance.internal.plugin;

import io.csi4j.client.model.StatusCode;
import java.util.List;

/** Why a case failed, in lines for people. */
final class FailureStory {

  private FailureStory() {}

  static String of(SuiteCase about, CaseEndedException.Failed ending, Trial trial) {
    StringBuilder out = new StringBuilder(1 << 10);
    line(out, "expected", ending.expected());
    line(out, "got", ending.text());
    line(out, "the spec", about.place() + ": " + about.expectation());
    line(out, "look at", hint(ending, trial.lastCode()));
    List<String> calls = trial.calls();
    out.append("calls:");
    for (int i = 0; i < calls.size(); i++) {
      out.append("\n  ").append(i + 1).append("  ").append(calls.get(i));
    }
    return out.toString();
  }

  private static void line(StringBuilder out, String name, String text) {
    out.append(String.format(java.util.Locale.ROOT, "%-10s", name + ":")).append(text).append('\n');
  }

  private static String hint(CaseEndedException.Failed ending, StatusCode last) {
    return switch (last) {
      case DEADLINE_EXCEEDED ->
          "the plugin's log: the call was not answered in time. It may hang on its storage, or the"
              + " deadline is too short for it.";
      case UNAVAILABLE -> "whether the plugin still runs and listens on the socket.";
      case UNIMPLEMENTED -> "the capabilities that it declares: this call is not served.";
      case UNKNOWN, INTERNAL ->
          "how the plugin turns its own errors into gRPC codes: callers decide by the code alone.";
      case OK ->
          ending.expected().contains("INVALID_ARGUMENT")
              ? "the checks of the request, which come before any work is done."
              : "what the plugin remembers of earlier calls, and compares with this one.";
      default -> "which of the plugin's checks made this answer, and in which order they come.";
    };
  }
}
