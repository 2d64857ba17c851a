package io.csi4j.client.model;

/**
 * The meaning of one status of one operation, and the next step for the caller. Each rule is a row
 * of the table that classifies all failures. The table has a row for every operation and every code
 * except OK, and further rows for codes that the client sets when no answer came.
 *
 * @param operation the call that failed
 * @param code the status of the failed call
 * @param meaning the meaning, as a clause
 * @param retry the condition under which the call can usefully be repeated
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
   * Returns the row for this operation and a code that the client set because no answer came (see
   * {@link CsiFailure#answered}).
   *
   * @throws IllegalArgumentException for {@link StatusCode#OK}, which is not a failure
   */
  public static FailureRule unanswered(CsiOperation operation, StatusCode code) {
    return FailureTable.rule(operation, code, false);
  }

  /**
   * The change that must happen before a failed call can usefully be repeated.
   *
   * @since 1.0
   */
  public enum Retry {
    /**
     * Only time must pass: the client repeats the identical request on its own, with growing
     * pauses.
     */
    BACKOFF,
    /**
     * Another call for the same object must end: the client repeats the request like {@link
     * #BACKOFF}, but more slowly.
     */
    AFTER_PENDING,
    /** The caller must change the request; the same request would fail again. */
    AFTER_REQUEST_CHANGE,
    /**
     * A change must happen outside the request: a volume is detached, space is freed, or a
     * permission is granted.
     */
    AFTER_FIX,
    /** No change helps: the call will never work with this plugin. */
    NEVER;

    /** Whether the client may repeat the identical request on its own. */
    public boolean isAutomatic() {
      return this == BACKOFF || this == AFTER_PENDING;
    }
  }
}
