package io.csi4j.client.model;

import io.csi4j.client.internal.text.SafeText;

/**
 * The id of a node, as returned by NodeGetInfo of a plugin. It may differ from the orchestrator's
 * name of the node.
 *
 * <p>The id is opaque: csi4j compares it character by character, and never parses, trims or
 * normalises it. The text form is escaped and safe to print.
 *
 * @param value the id as returned by the plugin; not empty, at most 4 KiB, without NUL
 * @since 1.0
 */
public record NodeId(String value) {

  /** Refuses a value that cannot be an id. */
  public NodeId {
    IdRules.check("node id", value);
  }

  /** Returns the id with this value. */
  public static NodeId of(String value) {
    return new NodeId(value);
  }

  @Override
  public String toString() {
    return SafeText.escape(value);
  }
}
