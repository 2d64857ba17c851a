package io.csi4j.client.model;

import io.csi4j.client.internal.text.SafeText;

/**
 * The id of a volume as its plugin knows it; unique per plugin only.
 *
 * <p>Opaque: compared to the letter, never parsed, trimmed or normalised. Its text form is escaped
 * and safe to print.
 *
 * @param value the id as the plugin wrote it; not empty, 4 KiB at most, without NUL
 * @since 1.0
 */
public record VolumeId(String value) {

  /** Refuses what cannot be an id. */
  public VolumeId {
    IdRules.check("volume id", value);
  }

  /** The id with this value. */
  public static VolumeId of(String value) {
    return new VolumeId(value);
  }

  @Override
  public String toString() {
    return SafeText.escape(value);
  }
}
