package io.csi4j.volume.internal.link;

import io.csi4j.client.model.CsiException;
import io.csi4j.client.model.CsiFailure;
import io.csi4j.client.model.StatusCode;
import io.csi4j.volume.internal.time.Unwrapped;
import java.util.Optional;

/**
 * The result of one call to a plugin: OK, or a failure as the client reports it.
 *
 * @param value the value that the plugin returned with OK, if the call has a result
 * @param failure the failure, if the call failed; if it has no attempts, the call was never sent
 * @param thrown the exception that the client threw; empty for a call that did not reach the client
 */
public record Answer(
    Optional<Object> value, Optional<CsiFailure> failure, Optional<CsiException> thrown) {

  /** Returns OK without a value. */
  public static Answer ok() {
    return ok(Optional.empty());
  }

  /** Returns OK with the value that the call returned, if it has one. */
  public static Answer ok(Optional<Object> value) {
    return new Answer(value, Optional.empty(), Optional.empty());
  }

  /** Returns the answer to a call that failed before it reached the client. */
  public static Answer failed(CsiFailure failure) {
    return new Answer(Optional.empty(), Optional.of(failure), Optional.empty());
  }

  /** Returns the answer to a call for which the client threw this exception. */
  public static Answer failed(CsiException thrown) {
    return new Answer(Optional.empty(), Optional.of(thrown.failure()), Optional.of(thrown));
  }

  /** Returns whether the plugin answered OK. */
  public boolean isOk() {
    return failure.isEmpty();
  }

  /** Returns whether the plugin may have received the call; false only if it certainly did not. */
  public boolean isSent() {
    return failure.isEmpty() || isSent(failure.get());
  }

  /** Returns whether the plugin may have received a call with this failure. */
  public static boolean isSent(CsiFailure failure) {
    return failure.attempts() > 0;
  }

  /**
   * Returns why a call failed, as a clause. The clause omits the volume, the plugin and the advice,
   * because the surrounding message already contains them.
   */
  public static String text(CsiFailure failure) {
    return failure.why()
        + failure.pluginText().map(words -> "; the plugin says: \"" + words + "\"").orElse("");
  }

  /**
   * Returns whether the plugin may have sent no answer, because a broken connection ends a call
   * with the same failure.
   */
  public static boolean isLost(Throwable thrown) {
    return Unwrapped.of(thrown) instanceof CsiException failed && isLost(failed.failure());
  }

  /** Returns whether the plugin may have sent no answer to a call with this failure. */
  public static boolean isLost(CsiFailure failure) {
    return (failure.code() == StatusCode.UNAVAILABLE
            || (failure.code() == StatusCode.UNKNOWN && !failure.answered()))
        && failure.pluginText().isEmpty();
  }
}
