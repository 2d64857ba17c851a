package io.csi4j.client.model;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.UnaryOperator;

/**
 * The time limits and retries of a call. Each operation has a default policy, which a connection or
 * a single call can change. A policy is immutable, and policies with equal values are equal.
 *
 * <p>The pause before retry <i>n</i> is drawn evenly between zero and {@code backoff · 2ⁿ⁻¹},
 * limited by {@code backoffCap}. The budget limits the total time: it shortens the last attempt,
 * and prevents a retry that could not begin in time.
 *
 * <p>A stream may continue without limit while it makes progress. The number of attempts and the
 * budget are counted from the last progress, without the time that the reader of the stream takes.
 *
 * @since 1.0
 */
public final class CallPolicy {

  /**
   * The longest time limit. It is longer than any caller waits, and fits into a number of
   * nanoseconds.
   */
  private static final Duration LONGEST = Duration.ofDays(36_500);

  private final Builder parts;

  private CallPolicy(Builder parts) {
    if (parts.attempts < 1) {
      throw new IllegalArgumentException(
          "A call needs at least one attempt, not " + parts.attempts + ".");
    }
    requirePositive("attempt deadline", parts.attemptDeadline);
    requirePositive("budget", parts.budget);
    requireNotNegative("back-off", parts.backoff);
    requireNotNegative("back-off cap", parts.backoffCap);
    requireNotNegative("pending back-off", parts.pendingBackoff);
    this.parts = parts.copy();
  }

  /** Returns the default policy of {@code operation}. */
  public static CallPolicy defaultFor(CsiOperation operation) {
    return PolicyTable.policy(operation);
  }

  /** Returns a builder with the default pauses. */
  public static Builder builder(Duration attemptDeadline, int attempts, Duration budget) {
    return new Builder(attemptDeadline, attempts, budget);
  }

  /** Returns a builder with the values of this policy. */
  public Builder toBuilder() {
    return parts.copy();
  }

  /** Returns a copy of this policy with a change. */
  public CallPolicy with(UnaryOperator<Builder> change) {
    return change.apply(toBuilder()).build();
  }

  /** Returns the time limit of one attempt; for a stream, the time limit of one message. */
  public Duration attemptDeadline() {
    return parts.attemptDeadline;
  }

  /** Returns the maximum number of attempts; for a stream, the maximum without progress. */
  public int attempts() {
    return parts.attempts;
  }

  /** Returns the maximum of the first pause between two attempts. */
  public Duration backoff() {
    return parts.backoff;
  }

  /** Returns the maximum of all pauses. */
  public Duration backoffCap() {
    return parts.backoffCap;
  }

  /** Returns the pause that replaces {@code backoff} after ABORTED. */
  public Duration pendingBackoff() {
    return parts.pendingBackoff;
  }

  /**
   * Returns the time limit for all attempts and pauses together; for a stream, the time limit
   * without progress.
   */
  public Duration budget() {
    return parts.budget;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof CallPolicy that && named().equals(that.named());
  }

  @Override
  public int hashCode() {
    return named().hashCode();
  }

  @Override
  public String toString() {
    return "CallPolicy" + named();
  }

  private Map<String, Object> named() {
    Map<String, Object> all = new LinkedHashMap<>();
    all.put("attemptDeadline", parts.attemptDeadline);
    all.put("attempts", parts.attempts);
    all.put("backoff", parts.backoff);
    all.put("backoffCap", parts.backoffCap);
    all.put("pendingBackoff", parts.pendingBackoff);
    all.put("budget", parts.budget);
    return all;
  }

  private static void requirePositive(String what, Duration value) {
    if (value.isZero() || value.isNegative()) {
      throw new IllegalArgumentException("The " + what + " must be positive, not " + value + ".");
    }
  }

  private static void requireNotNegative(String what, Duration value) {
    if (value.isNegative()) {
      throw new IllegalArgumentException("The " + what + " must not be negative: " + value + ".");
    }
  }

  /**
   * Collects the parts of a {@link CallPolicy}. A time of more than a century is reduced to a
   * century.
   */
  public static final class Builder {
    private Duration attemptDeadline;
    private int attempts;
    private Duration backoff = Duration.ofMillis(100);
    private Duration backoffCap = Duration.ofSeconds(10);
    private Duration pendingBackoff = Duration.ofSeconds(1);
    private Duration budget;

    private Builder(Duration attemptDeadline, int attempts, Duration budget) {
      this.attemptDeadline = bounded(attemptDeadline);
      this.attempts = attempts;
      this.budget = bounded(budget);
    }

    private Builder copy() {
      Builder copy = new Builder(attemptDeadline, attempts, budget);
      copy.backoff = backoff;
      copy.backoffCap = backoffCap;
      copy.pendingBackoff = pendingBackoff;
      return copy;
    }

    /** Sets the time limit of one attempt; for a stream, the time limit of one message. */
    public Builder attemptDeadline(Duration value) {
      attemptDeadline = bounded(value);
      return this;
    }

    /** Sets the maximum number of attempts; for a stream, the maximum without progress. */
    public Builder attempts(int value) {
      attempts = value;
      return this;
    }

    /** Sets the maximum of the first pause between two attempts. */
    public Builder backoff(Duration value) {
      backoff = bounded(value);
      return this;
    }

    /** Sets the maximum of all pauses. */
    public Builder backoffCap(Duration value) {
      backoffCap = bounded(value);
      return this;
    }

    /** Sets the pause that replaces {@code backoff} after ABORTED. */
    public Builder pendingBackoff(Duration value) {
      pendingBackoff = bounded(value);
      return this;
    }

    /**
     * Sets the time limit for all attempts and pauses together; for a stream, the time limit
     * without progress.
     */
    public Builder budget(Duration value) {
      budget = bounded(value);
      return this;
    }

    /**
     * Builds the policy.
     *
     * @throws IllegalArgumentException if a value is not valid
     */
    public CallPolicy build() {
      return new CallPolicy(this);
    }

    private static Duration bounded(Duration value) {
      return value.compareTo(LONGEST) < 0 ? value : LONGEST;
    }
  }
}
