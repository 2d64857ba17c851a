package io.csi4j.volume.state;

/**
 * The kinds of things that a key names. A store keeps the kinds apart: one id may be used once in
 * each.
 *
 * @since 1.0
 */
public enum StateKind {
  /** A volume: what is meant, and how far it is. */
  VOLUME,
  /** A volume that was given back, kept so that a late effect can be attributed to it. */
  TOMBSTONE,
  /** A plugin: where it was, and what it could. */
  PLUGIN,
  /** A claim that this host holds on a volume. */
  CLAIM,
  /** A volume of a storage system: what was asked for, and how far it is. */
  CATALOG
}
