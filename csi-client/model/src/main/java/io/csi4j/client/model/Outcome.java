package io.csi4j.client.model;

/**
 * Whether the plugin may have done the work of a failed call. Only the outcome decides whether
 * cleanup is needed.
 *
 * @since 1.0
 */
public enum Outcome {
  /** The plugin has not done the work, and is not working on it. */
  SETTLED,
  /** The plugin may have done the work, or may still be working on it. */
  UNCERTAIN;

  /** Returns the form used in messages. */
  @Override
  public String toString() {
    return this == SETTLED ? "settled" : "uncertain";
  }
}
