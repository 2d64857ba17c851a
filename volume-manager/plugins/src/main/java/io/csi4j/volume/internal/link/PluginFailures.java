package io.csi4j.volume.internal.link;

import io.csi4j.client.model.CsiException;
import io.csi4j.client.model.StatusCode;
import io.csi4j.volume.internal.time.Unwrapped;
import java.util.Optional;

/** The meaning of failed questions and calls. */
public final class PluginFailures {

  private PluginFailures() {}

  /** The answer to a call that failed. */
  public static Answer.Failed answer(Throwable thrown) {
    Throwable cause = Unwrapped.of(thrown);
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
    Throwable cause = Unwrapped.of(thrown);
    return cause instanceof CsiException failed
        ? new PluginAnswer.Down(String.valueOf(failed.getMessage()), Optional.of(failed))
        : new PluginAnswer.Down("asking the plugin what it can do failed: " + cause);
  }

  /** Whether there may have been no answer: a connection that breaks ends calls like that. */
  public static boolean isLost(Throwable thrown) {
    return Unwrapped.of(thrown) instanceof CsiException failed
        && (failed.code() == StatusCode.UNAVAILABLE
            || (failed.code() == StatusCode.UNKNOWN && !failed.failure().answered()))
        && failed.failure().pluginText().isEmpty();
  }

  private static StatusCode code(CsiException failed) {
    if (failed.code() == StatusCode.OK) {
      // An answer that cannot be used is none.
      return StatusCode.INTERNAL;
    }
    // Without an answer the plugin may not have been heard: it may be working on it still.
    return isLost(failed) ? StatusCode.UNAVAILABLE : failed.code();
  }
}
