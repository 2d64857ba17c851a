package io.csi4j.client.model;

/**
 * The status with which a call ended. A number outside this list is read as {@link #UNKNOWN}.
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
  /** The request is not valid. */
  INVALID_ARGUMENT(3),
  /** The time limit expired. */
  DEADLINE_EXCEEDED(4),
  /** An object in the request does not exist. */
  NOT_FOUND(5),
  /** The object already exists with other properties. */
  ALREADY_EXISTS(6),
  /** The user that the secrets identify lacks the permission. */
  PERMISSION_DENIED(7),
  /** A quota, a limit or the space is exhausted. */
  RESOURCE_EXHAUSTED(8),
  /** The volume is in the wrong state for this call. */
  FAILED_PRECONDITION(9),
  /** Another call for the same object is pending. */
  ABORTED(10),
  /** A value is out of range. */
  OUT_OF_RANGE(11),
  /** The plugin does not serve this call. */
  UNIMPLEMENTED(12),
  /** The plugin failed internally. */
  INTERNAL(13),
  /** The plugin is not available. */
  UNAVAILABLE(14),
  /** Data is lost beyond recovery. */
  DATA_LOSS(15),
  /** The request contains no valid credentials. */
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
   * Returns the code with this number on the wire; {@link #UNKNOWN} for a number that gRPC does not
   * define.
   */
  public static StatusCode ofValue(int value) {
    return value >= 0 && value < BY_VALUE.length ? BY_VALUE[value] : UNKNOWN;
  }
}
