package io.csi4j.client.model;

import java.time.Duration;

/**
 * How patient and how persistent a call is. Each operation has a default; a connection or a single
 * call may change it.
 *
 * <p>The pause before retry <i>n</i> is drawn evenly between nothing and {@code backoff · 2ⁿ⁻¹},
 * but never above {@code backoffCap}. The budget cuts the last attempt short and forbids a retry
 * that could not begin within it.
 *
 * <p>A stream that makes progress may take as long as it likes: attempts and budget count only from
 * its last progress, and the time that its reader takes does not count.
 *
 * @param attemptDeadline how long one attempt may take; for streams, one message
 * @param attempts how often the request is sent at the most; for streams, without progress
 * @param backoff the longest first pause between two attempts
 * @param backoffCap the longest pause of all
 * @param pendingBackoff takes the place of {@code backoff} after ABORTED
 * @param budget how long all attempts and pauses may take together; for streams, without progress
 */
public record CallPolicy(
    Duration attemptDeadline,
    int attempts,
    Duration backoff,
    Duration backoffCap,
    Duration pendingBackoff,
    Duration budget) {

  /** More than any caller waits, and still a number of nanoseconds. */
  private static final Duration LONGEST = Duration.ofDays(36_500);

  /** Refuses what makes no sense; a century is as good as any longer time. */
  public CallPolicy {
    if (attempts < 1) {
      throw new IllegalArgumentException(
          "A call needs at least one attempt, not " + attempts + ".");
    }
    requirePositive("attempt deadline", attemptDeadline);
    requirePositive("budget", budget);
    requireNotNegative("back-off", backoff);
    requireNotNegative("back-off cap", backoffCap);
    requireNotNegative("pending back-off", pendingBackoff);
    attemptDeadline = bounded(attemptDeadline);
    backoff = bounded(backoff);
    backoffCap = bounded(backoffCap);
    pendingBackoff = bounded(pendingBackoff);
    budget = bounded(budget);
  }

  private static Duration bounded(Duration value) {
    return value.compareTo(LONGEST) < 0 ? value : LONGEST;
  }

  /** Returns the policy of {@code operation} unless told otherwise. */
  public static CallPolicy defaultFor(CsiOperation operation) {
    return PolicyTable.policy(operation);
  }

  /** This policy with another limit for one attempt. */
  public CallPolicy withAttemptDeadline(Duration value) {
    return new CallPolicy(value, attempts, backoff, backoffCap, pendingBackoff, budget);
  }

  /** This policy with another number of attempts. */
  public CallPolicy withAttempts(int value) {
    return new CallPolicy(attemptDeadline, value, backoff, backoffCap, pendingBackoff, budget);
  }

  /** This policy with another first pause. */
  public CallPolicy withBackoff(Duration value) {
    return new CallPolicy(attemptDeadline, attempts, value, backoffCap, pendingBackoff, budget);
  }

  /** This policy with another longest pause. */
  public CallPolicy withBackoffCap(Duration value) {
    return new CallPolicy(attemptDeadline, attempts, backoff, value, pendingBackoff, budget);
  }

  /** This policy with another first pause after ABORTED. */
  public CallPolicy withPendingBackoff(Duration value) {
    return new CallPolicy(attemptDeadline, attempts, backoff, backoffCap, value, budget);
  }

  /** This policy with another limit for everything together. */
  public CallPolicy withBudget(Duration value) {
    return new CallPolicy(attemptDeadline, attempts, backoff, backoffCap, pendingBackoff, value);
  }

  private static void requirePositive(String what, Duration value) {
    if (value.isZero() || value.isNegative()) {
      throw new IllegalArgumentException("The " + what + " has to be positive, not " + value + ".");
    }
  }

  private static void requireNotNegative(String what, Duration value) {
    if (value.isNegative()) {
      throw new IllegalArgumentException("The " + what + " is negative: " + value + ".");
    }
  }
}
