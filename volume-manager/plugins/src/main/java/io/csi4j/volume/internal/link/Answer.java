package io.csi4j.volume.internal.link;

import io.csi4j.client.model.CsiException;
import io.csi4j.client.model.CsiFailure;
import io.csi4j.client.model.StatusCode;
import io.csi4j.volume.internal.time.Unwrapped;
import java.util.Optional;

/**
 * How one call to a plugin ended: the plugin said OK, or there is a failure in the client's form.
 *
 * @param value what the plugin said beside OK, if the call has a result
 * @param failure why the call failed, if it did; never sent if it has no attempts
 * @param thrown the exception that the client threw; nothing for a call that did not get to it
 */
public record Answer(
    Optional<Object> value, Optional<CsiFailure> failure, Optional<CsiException> thrown) {

  /** OK, and nothing else. */
  public static Answer ok() {
    return ok(Optional.empty());
  }

  /** OK, with the result of a call that has one. */
  public static Answer ok(Optional<Object> value) {
    return new Answer(value, Optional.empty(), Optional.empty());
  }

  /** The answer to a call that failed without the client. */
  public static Answer failed(CsiFailure failure) {
    return new Answer(Optional.empty(), Optional.of(failure), Optional.empty());
  }

  /** The answer to a call for which the client threw this. */
  public static Answer failed(CsiException thrown) {
    return new Answer(Optional.empty(), Optional.of(thrown.failure()), Optional.of(thrown));
  }

  /** Whether the plugin said OK. */
  public boolean isOk() {
    return failure.isEmpty();
  }

  /** Whether the plugin may have got the call; false only when it certainly did not. */
  public boolean isSent() {
    return failure.isEmpty() || isSent(failure.get());
  }

  /** Whether the plugin may have got a call that failed like this. */
  public static boolean isSent(CsiFailure failure) {
    return failure.attempts() > 0;
  }

  /**
   * Returns why a call failed, as a clause: the line that tells of it names the volume and the
   * plugin, and has an advice already.
   */
  public static String text(CsiFailure failure) {
    return failure.why()
        + failure.pluginText().map(words -> "; the plugin says: \"" + words + "\"").orElse("");
  }

  /** Whether there may have been no answer: a connection that breaks ends calls like that. */
  public static boolean isLost(Throwable thrown) {
    return Unwrapped.of(thrown) instanceof CsiException failed && isLost(failed.failure());
  }

  /** Whether there may have been no answer to a call that failed like this. */
  public static boolean isLost(CsiFailure failure) {
    return (failure.code() == StatusCode.UNAVAILABLE
            || (failure.code() == StatusCode.UNKNOWN && !failure.answered()))
        && failure.pluginText().isEmpty();
  }
}
