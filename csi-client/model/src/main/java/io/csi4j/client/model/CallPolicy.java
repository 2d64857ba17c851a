package io.csi4j.client.model;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.UnaryOperator;

/**
 * How patient and how persistent a call is. Each operation has a default; a connection or a single
 * call may change it. Immutable; compares by value.
 *
 * <p>The pause before retry <i>n</i> is drawn evenly between nothing and {@code backoff · 2ⁿ⁻¹},
 * but never above {@code backoffCap}. The budget cuts the last attempt short and forbids a retry
 * that could not begin within it.
 *
 * <p>A stream that makes progress may take as long as it likes: attempts and budget count only from
 * its last progress, and the time that its reader takes does not count.
 *
 * @since 1.0
 */
public final class CallPolicy {

  /** More than any caller waits, and still a number of nanoseconds. */
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

  /** Returns the policy of {@code operation} unless told otherwise. */
  public static CallPolicy defaultFor(CsiOperation operation) {
    return PolicyTable.policy(operation);
  }

  /** Begins with the usual pauses. */
  public static Builder builder(Duration attemptDeadline, int attempts, Duration budget) {
    return new Builder(attemptDeadline, attempts, budget);
  }

  /** Begins with this policy. */
  public Builder toBuilder() {
    return parts.copy();
  }

  /** Returns this policy after a change. */
  public CallPolicy with(UnaryOperator<Builder> change) {
    return change.apply(toBuilder()).build();
  }

  /** Returns how long one attempt may take; for streams, one message. */
  public Duration attemptDeadline() {
    return parts.attemptDeadline;
  }

  /** Returns how often the request is sent at the most; for streams, without progress. */
  public int attempts() {
    return parts.attempts;
  }

  /** Returns the longest first pause between two attempts. */
  public Duration backoff() {
    return parts.backoff;
  }

  /** Returns the longest pause of all. */
  public Duration backoffCap() {
    return parts.backoffCap;
  }

  /** Returns the pause that takes the place of {@code backoff} after ABORTED. */
  public Duration pendingBackoff() {
    return parts.pendingBackoff;
  }

  /** Returns how long all attempts and pauses may take together; for streams, without progress. */
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
      throw new IllegalArgumentException("The " + what + " has to be positive, not " + value + ".");
    }
  }

  private static void requireNotNegative(String what, Duration value) {
    if (value.isNegative()) {
      throw new IllegalArgumentException("The " + what + " is negative: " + value + ".");
    }
  }

  /** Collects the parts of a {@link CallPolicy}. A century is as good as any longer time. */
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

    /** Limits one attempt; for streams, one message. */
    public Builder attemptDeadline(Duration value) {
      attemptDeadline = bounded(value);
      return this;
    }

    /** Limits how often the request is sent; for streams, without progress. */
    public Builder attempts(int value) {
      attempts = value;
      return this;
    }

    /** Sets the longest first pause between two attempts. */
    public Builder backoff(Duration value) {
      backoff = bounded(value);
      return this;
    }

    /** Sets the longest pause of all. */
    public Builder backoffCap(Duration value) {
      backoffCap = bounded(value);
      return this;
    }

    /** Sets the pause that takes the place of {@code backoff} after ABORTED. */
    public Builder pendingBackoff(Duration value) {
      pendingBackoff = bounded(value);
      return this;
    }

    /** Limits all attempts and pauses together; for streams, without progress. */
    public Builder budget(Duration value) {
      budget = bounded(value);
      return this;
    }

    /**
     * Returns the policy.
     *
     * @throws IllegalArgumentException if a part makes no sense
     */
    public CallPolicy build() {
      return new CallPolicy(this);
    }

    private static Duration bounded(Duration value) {
      return value.compareTo(LONGEST) < 0 ? value : LONGEST;
    }
  }
}
