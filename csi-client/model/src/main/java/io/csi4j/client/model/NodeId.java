package io.csi4j.client.model;

import io.csi4j.client.internal.text.SafeText;

/**
 * The id of a node as NodeGetInfo of a plugin gave it; not the orchestrator's own node name.
 *
 * <p>Opaque: compared to the letter, never parsed, trimmed or normalised. Its text form is escaped
 * and safe to print.
 *
 * @param value the id as the plugin wrote it; not empty, 4 KiB at most, without NUL
 * @since 1.0
 */
public record NodeId(String value) {

  /** Refuses what cannot be an id. */
  public NodeId {
    IdRules.check("node id", value);
  }

  /** The id with this value. */
  public static NodeId of(String value) {
    return new NodeId(value);
  }

  @Override
  public String toString() {
    return SafeText.escape(value);
  }
}
