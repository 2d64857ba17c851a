package io.csi4j.volume.internal.link;

import io.csi4j.client.model.CsiException;
import io.csi4j.client.model.StatusCode;
import io.csi4j.volume.internal.time.Unwrapped;
import java.util.Optional;

/** How one call to a plugin ended. */
public sealed interface Answer {

  /**
   * The plugin said OK.
   *
   * @param value what else it said, if the call has a result
   */
  record Ok(Optional<Object> value) implements Answer {}

  /**
   * The call failed: with an answer of the plugin, or without one.
   *
   * @param code the status
   * @param sent whether the plugin may have got it; false only when it certainly did not
   * @param text what it says to people: one line, without secrets
   * @param cause the exception, where there is one
   */
  record Failed(StatusCode code, boolean sent, String text, Optional<CsiException> cause)
      implements Answer {}

  /** OK, and nothing else. */
  static Answer ok() {
    return new Ok(Optional.empty());
  }

  /** The answer to a call that failed. */
  static Failed failed(Throwable thrown) {
    Throwable cause = Unwrapped.of(thrown);
    return cause instanceof CsiException failed
        ? new Failed(code(failed), failed.attempts() > 0, text(failed), Optional.of(failed))
        : new Failed(
            StatusCode.INTERNAL, true, "the call failed on this side: " + cause, Optional.empty());
  }

  /**
   * Returns why a call failed, as a clause: the line that tells of it names the volume and the
   * plugin, and has an advice already.
   */
  static String text(CsiException failed) {
    return failed.failure().why()
        + failed
            .failure()
            .pluginText()
            .map(words -> "; the plugin says: \"" + words + "\"")
            .orElse("");
  }

  private static StatusCode code(CsiException failed) {
    if (failed.code() == StatusCode.OK) {
      // An answer that cannot be used is none.
      return StatusCode.INTERNAL;
    }
    // Without an answer the plugin may not have been heard: it may be working on it still.
    return isLost(failed) ? StatusCode.UNAVAILABLE : failed.code();
  }

  /** Whether there may have been no answer: a connection that breaks ends calls like that. */
  static boolean isLost(Throwable thrown) {
    return Unwrapped.of(thrown) instanceof CsiException failed
        && (failed.code() == StatusCode.UNAVAILABLE
            || (failed.code() == StatusCode.UNKNOWN && !failed.failure().answered()))
        && failed.failure().pluginText().isEmpty();
  }
}
