package io.csi4j.client.model;

import io.csi4j.client.internal.text.SafeText;

/**
 * The id of a snapshot, unique only within one plugin.
 *
 * <p>The id is opaque: csi4j compares it character by character, and never parses, trims or
 * normalises it. The text form is escaped and safe to print.
 *
 * @param value the id as returned by the plugin; not empty, at most 4 KiB, without NUL
 * @since 1.0
 */
public record SnapshotId(String value) {

  /** Refuses a value that cannot be an id. */
  public SnapshotId {
    IdRules.check("snapshot id", value);
  }

  /** Returns the id with this value. */
  public static SnapshotId of(String value) {
    return new SnapshotId(value);
  }

  @Override
  public String toString() {
    return SafeText.escape(value);
  }
}
