package io.csi4j.client.identity;

/** What a plugin answered to a probe. A plugin that is not healthy answers with a failure. */
public enum Readiness {
  /** It is ready. */
  READY,
  /** It did not say, which the spec counts as ready. */
  ASSUMED_READY,
  /** It is still starting: wait and probe again, there is no need for a restart. */
  NOT_READY;

  /** Whether controller and node calls may be made. */
  public boolean isReady() {
    return this != NOT_READY;
  }
}
