package io.csi4j.volume.state;

/**
 * The conditions under which a write returns.
 *
 * @since 1.0
 */
public enum Durability {
  /**
   * The value is on the medium, or the write was refused. For every intent to take something: no
   * caller may act on an intent that a power cut can erase.
   */
  REQUIRED,
  /**
   * The value is on the medium if the medium lets it, else in memory until it does. For everything
   * that gives something back: a broken disk must not keep a volume mounted.
   */
  BEST_EFFORT,
  /**
   * The value is written, and on the medium with the next write that waits for it, at the latest
   * when the store is closed. The end of the process does not take it. A power cut may, with all
   * that was deferred after it and nothing before it. For a step between two records that wait,
   * which means nothing once the host has started again. Where it cannot be written, it is kept as
   * best effort is.
   */
  DEFERRED
}
