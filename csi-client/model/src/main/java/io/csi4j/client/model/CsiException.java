package io.csi4j.client.model;

import io.csi4j.client.internal.text.OwnFrames;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A call to a plugin that failed. The subclasses differ in what the caller does next; {@link
 * #outcome()} says whether there is something to clean up.
 *
 * <p>Failures of earlier attempts of the same call are among the suppressed exceptions.
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

  /** Everything known about the failure. */
  public CsiFailure failure() {
    return failure;
  }

  /** Whether the plugin may still be working on it, or may have done it. */
  public Outcome outcome() {
    return failure.outcome();
  }

  /**
   * The status that the call ended with. One that was refused or ended on this side has the status
   * that a plugin would have given it; {@link #attempts()} is zero if it was not sent.
   */
  public StatusCode code() {
    return failure.code();
  }

  /** The call that failed; nothing if it was {@code CsiPlugin.connect} that failed. */
  public Optional<CsiOperation> operation() {
    return failure.operation();
  }

  /** The plugin, where its name was known. */
  public Optional<PluginName> plugin() {
    return failure.plugin();
  }

  /** Where the plugin was to be found. */
  public CsiEndpoint endpoint() {
    return failure.endpoint();
  }

  /** How often the call was sent; zero if it was refused before. */
  public int attempts() {
    return failure.attempts();
  }

  /** How long it took, with all its attempts. */
  public Duration elapsed() {
    return failure.elapsed();
  }

  /** Returns the advice, as a sentence. */
  public String advice() {
    return failure.advice();
  }
}
