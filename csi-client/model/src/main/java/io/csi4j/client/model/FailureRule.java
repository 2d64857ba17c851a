package io.csi4j.client.model;

/**
 * The meaning of one status of one operation, and what to do about it: a row of the table that all
 * failures are judged by. There is a row for every operation and every code but OK, and others for
 * a status that stands for a missing answer.
 *
 * @param operation the call that failed
 * @param code the status it failed with
 * @param meaning what it means, as a clause
 * @param retry what has to happen before it makes sense again
 * @param outcome what such a failure leaves behind
 * @param advice what to do next, as a sentence
 * @since 1.0
 */
public record FailureRule(
    CsiOperation operation,
    StatusCode code,
    String meaning,
    Retry retry,
    Outcome outcome,
    String advice) {

  /**
   * The row for this operation and a code that the plugin answered.
   *
   * @throws IllegalArgumentException for {@link StatusCode#OK}, which is no failure
   */
  public static FailureRule of(CsiOperation operation, StatusCode code) {
    return FailureTable.rule(operation, code, true);
  }

  /**
   * The row for this operation and a code that this side gave, as no answer came ({@link
   * CsiFailure#answered}).
   *
   * @throws IllegalArgumentException for {@link StatusCode#OK}, which is no failure
   */
  public static FailureRule unanswered(CsiOperation operation, StatusCode code) {
    return FailureTable.rule(operation, code, false);
  }

  /**
   * The change that has to happen before a failed call makes sense again.
   *
   * @since 1.0
   */
  public enum Retry {
    /** Only time: the client repeats the identical request by itself, with growing pauses. */
    BACKOFF,
    /** The end of another call for the same object: repeated like {@link #BACKOFF}, more slowly. */
    AFTER_PENDING,
    /** Another request: the same one would fail again. */
    AFTER_REQUEST_CHANGE,
    /** A change outside the request: a volume detached, space freed, a permission given. */
    AFTER_FIX,
    /** Nothing: it will never work here. */
    NEVER;

    /** Whether the client may repeat the identical request by itself. */
    public boolean isAutomatic() {
      return this == BACKOFF || this == AFTER_PENDING;
    }
  }
}
