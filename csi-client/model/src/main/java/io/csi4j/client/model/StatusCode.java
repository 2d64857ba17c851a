package io.csi4j.client.model;

/**
 * The status with which a call ended. A number outside this list is taken as {@link #UNKNOWN}.
 *
 * @since 1.0
 */
public enum StatusCode {
  /** Success. */
  OK(0),
  /** The call was cancelled. */
  CANCELLED(1),
  /** An unclassified failure. */
  UNKNOWN(2),
  /** The request is wrong. */
  INVALID_ARGUMENT(3),
  /** The time allowed ran out. */
  DEADLINE_EXCEEDED(4),
  /** Something that the request names does not exist. */
  NOT_FOUND(5),
  /** The thing exists already, but differently. */
  ALREADY_EXISTS(6),
  /** The identity in the secrets may not do this. */
  PERMISSION_DENIED(7),
  /** A quota, a limit or the space is used up. */
  RESOURCE_EXHAUSTED(8),
  /** The volume is in the wrong state for this. */
  FAILED_PRECONDITION(9),
  /** Another call for the same object is pending. */
  ABORTED(10),
  /** A value is outside what is possible. */
  OUT_OF_RANGE(11),
  /** The plugin does not serve this call. */
  UNIMPLEMENTED(12),
  /** The plugin failed internally. */
  INTERNAL(13),
  /** The plugin does not answer. */
  UNAVAILABLE(14),
  /** Data is lost beyond recovery. */
  DATA_LOSS(15),
  /** The request carries no secrets that authenticate it. */
  UNAUTHENTICATED(16);

  private static final StatusCode[] BY_VALUE = values();

  private final int value;

  StatusCode(int value) {
    this.value = value;
  }

  /** The number on the wire. */
  public int value() {
    return value;
  }

  /**
   * The code with this number on the wire; {@link #UNKNOWN} for a number that gRPC has not given.
   */
  public static StatusCode ofValue(int value) {
    return value >= 0 && value < BY_VALUE.length ? BY_VALUE[value] : UNKNOWN;
  }
}
