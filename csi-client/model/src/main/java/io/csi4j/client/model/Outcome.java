package io.csi4j.client.model;

/**
 * The remains of a failed call. This alone decides whether cleaning up is owed.
 *
 * @since 1.0
 */
public enum Outcome {
  /** The plugin is not working on it, and has not done it. */
  SETTLED,
  /** The plugin may still be working on it, or may have done it. */
  UNCERTAIN;

  /** How it is written in messages. */
  @Override
  public String toString() {
    return this == SETTLED ? "settled" : "uncertain";
  }
}
