package io.csi4j.volume.controller;

/**
 * Which controller calls of one plugin wait for each other.
 *
 * @since 1.0
 */
public enum ControllerConcurrency {
  /** Those for one volume. */
  PER_VOLUME,
  /** Those for one volume, and those for one node. */
  PER_NODE,
  /** All of them: for storage systems whose calls for two volumes disturb each other. */
  PER_PLUGIN
}
