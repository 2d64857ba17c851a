package io.csi4j.client.model;

import io.csi4j.client.internal.text.SafeText;

/**
 * The id of a snapshot as its plugin knows it; unique per plugin only.
 *
 * <p>Opaque: compared to the letter, never parsed, trimmed or normalised. Its text form is escaped
 * and safe to print.
 *
 * @param value the id as the plugin wrote it; not empty, 4 KiB at most, without NUL
 * @since 1.0
 */
public record SnapshotId(String value) {

  /** Refuses what cannot be an id. */
  public SnapshotId {
    IdRules.check("snapshot id", value);
  }

  /** The id with this value. */
  public static SnapshotId of(String value) {
    return new SnapshotId(value);
  }

  @Override
  public String toString() {
    return SafeText.escape(value);
  }
}
