package io.csi4j.volume.state;

/** The conditions under which a write returns. */
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
  BEST_EFFORT
}
