package io.csi4j.client.model;

/**
 * The meaning of one status of one operation, and the next step: a row of the table that classifies
 * all failures. There is a row for every operation and every code but OK, and further rows for a
 * status that stands for a missing answer.
 *
 * @param operation the call that failed
 * @param code the status of the failed call
 * @param meaning the meaning, as a clause
 * @param retry the condition under which repeating the call makes sense
 * @param outcome whether the plugin may have done the work
 * @param advice the next step, as a sentence
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
   * Returns the row for this operation and a code returned by the plugin.
   *
   * @throws IllegalArgumentException for {@link StatusCode#OK}, which is not a failure
   */
  public static FailureRule of(CsiOperation operation, StatusCode code) {
    return FailureTable.rule(operation, code, true);
  }

  /**
   * Returns the row for this operation and a code set by the client because no answer came ({@link
   * CsiFailure#answered}).
   *
   * @throws IllegalArgumentException for {@link StatusCode#OK}, which is not a failure
   */
  public static FailureRule unanswered(CsiOperation operation, StatusCode code) {
    return FailureTable.rule(operation, code, false);
  }

  /**
   * The change that must happen before repeating a failed call makes sense.
   *
   * @since 1.0
   */
  public enum Retry {
    /** Only time: the client repeats the identical request on its own, with growing pauses. */
    BACKOFF,
    /** The end of another call for the same object: repeated like {@link #BACKOFF}, more slowly. */
    AFTER_PENDING,
    /** Another request: the same one would fail again. */
    AFTER_REQUEST_CHANGE,
    /**
     * A change outside the request: a volume is detached, space is freed, a permission is granted.
     */
    AFTER_FIX,
    /** No change: the call will never work with this plugin. */
    NEVER;

    /** Whether the client may repeat the identical request on its own. */
    public boolean isAutomatic() {
      return this == BACKOFF || this == AFTER_PENDING;
    }
  }
}
