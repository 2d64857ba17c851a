package io.csi4j.client.model;

import io.csi4j.client.internal.text.OwnFrames;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Thrown when a call to a plugin fails. The subclasses differ in the action that the caller takes
 * next; {@link #outcome()} shows whether cleanup may be needed.
 *
 * <p>The suppressed exceptions include the failures of earlier attempts of the same call.
 *
 * @since 1.0
 */
public abstract sealed class CsiException extends RuntimeException
    permits CsiAnswerException,
        CsiCancelledException,
        CsiConditionException,
        CsiConnectException,
        CsiRequestException,
        CsiTransientException,
        CsiUnsupportedException {

  private static final long serialVersionUID = 1L;

  private final transient CsiFailure failure;

  CsiException(CsiFailure failure, @Nullable Throwable cause) {
    super(failure.message(), cause);
    this.failure = failure;
    OwnFrames.keep(this);
  }

  /** All known details of the failure. */
  public CsiFailure failure() {
    return failure;
  }

  /** Whether the plugin may have done the work, or may still be doing it. */
  public Outcome outcome() {
    return failure.outcome();
  }

  /**
   * The final status of the call. If the client refused or ended the call, this is the status that
   * a plugin would have used. If the call was never sent, {@link #attempts()} is zero.
   */
  public StatusCode code() {
    return failure.code();
  }

  /** The call that failed; empty if {@code CsiPlugin.connect} failed. */
  public Optional<CsiOperation> operation() {
    return failure.operation();
  }

  /** The name of the plugin, if it was known. */
  public Optional<PluginName> plugin() {
    return failure.plugin();
  }

  /** The endpoint of the plugin. */
  public CsiEndpoint endpoint() {
    return failure.endpoint();
  }

  /** The number of attempts; zero if the call was refused before it was sent. */
  public int attempts() {
    return failure.attempts();
  }

  /** The duration of the call, with all its attempts. */
  public Duration elapsed() {
    return failure.elapsed();
  }

  /** Returns the next step, as a sentence. */
  public String advice() {
    return failure.advice();
  }
}
