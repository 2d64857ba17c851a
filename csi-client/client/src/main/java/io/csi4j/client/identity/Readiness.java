package io.csi4j.client.identity;

/**
 * The answer of a plugin to a probe. A plugin that is not healthy answers with a failure.
 *
 * @since 1.0
 */
public enum Readiness {
  /** The plugin is ready. */
  READY,
  /** The plugin did not say, which the spec counts as ready. */
  ASSUMED_READY,
  /** The plugin is still starting: wait and probe again, there is no need for a restart. */
  NOT_READY;

  /** Whether controller and node calls may be made. */
  public boolean isReady() {
    return this != NOT_READY;
  }
}
