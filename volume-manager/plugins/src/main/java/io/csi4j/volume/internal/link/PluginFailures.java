package io.csi4j.volume.internal.link;

import io.csi4j.client.model.CsiException;
import io.csi4j.client.model.StatusCode;
import java.util.Optional;
import java.util.concurrent.CompletionException;

/** What failed questions and calls mean. */
public final class PluginFailures {

  private PluginFailures() {}

  /** The answer to a call that failed. */
  public static Answer.Failed answer(Throwable thrown) {
    Throwable cause = unwrap(thrown);
    return cause instanceof CsiException failed
        ? new Answer.Failed(
            code(failed),
            failed.attempts() > 0,
            String.valueOf(failed.getMessage()),
            Optional.of(failed))
        : new Answer.Failed(
            StatusCode.INTERNAL, true, "the call failed on this side: " + cause, Optional.empty());
  }

  /** The answer to the question what a plugin can do, if that failed. */
  public static PluginAnswer down(Throwable thrown) {
    Throwable cause = unwrap(thrown);
    return cause instanceof CsiException failed
        ? new PluginAnswer.Down(String.valueOf(failed.getMessage()), Optional.of(failed))
        : new PluginAnswer.Down("asking the plugin what it can do failed: " + cause);
  }

  /** Whether it may be that nobody answered: a connection that breaks ends calls like that. */
  public static boolean isLost(Throwable thrown) {
    return unwrap(thrown) instanceof CsiException failed
        && (failed.code() == StatusCode.UNAVAILABLE
            || (failed.code() == StatusCode.UNKNOWN && !failed.failure().answered()))
        && failed.failure().pluginText().isEmpty();
  }

  private static StatusCode code(CsiException failed) {
    if (failed.code() == StatusCode.OK) {
      // An answer that cannot be used is none.
      return StatusCode.INTERNAL;
    }
    // Where nobody answered the plugin may not have been heard: it may be working on it still.
    return isLost(failed) ? StatusCode.UNAVAILABLE : failed.code();
  }

  public static Throwable unwrap(Throwable thrown) {
    Throwable cause = thrown;
    while (cause instanceof CompletionException && cause.getCause() != null) {
      cause = cause.getCause();
    }
    return cause;
  }
}
