package io.csi4j.client.model;

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
