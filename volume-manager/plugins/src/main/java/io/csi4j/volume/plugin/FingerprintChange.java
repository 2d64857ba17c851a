package io.csi4j.volume.plugin;

/**
 * One thing that a plugin says of itself now, and did not before.
 *
 * @since 1.0
 */
public sealed interface FingerprintChange {

  /** Which part of the fingerprint. */
  enum Part {
    /** The vendor's version. */
    VERSION,
    /** The id of the node: what is attached under the old one has to be looked after. */
    NODE_ID,
    /** How many volumes the node takes. */
    MAX_VOLUMES,
    /** Where the node is. */
    TOPOLOGY
  }

  /**
   * A value is another one.
   *
   * @param part which
   * @param values both, for people, as in {@code 'a' -> 'b'}
   */
  record Value(Part part, PluginHealth.Text values) implements FingerprintChange {}

  /**
   * The plugin has gained a capability.
   *
   * @param capability the name of the capability
   */
  record Gained(Enum<?> capability) implements FingerprintChange {}

  /**
   * The plugin has lost a capability.
   *
   * @param capability the name of the capability
   */
  record Lost(Enum<?> capability) implements FingerprintChange {}
}
