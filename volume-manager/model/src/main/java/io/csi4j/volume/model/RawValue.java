package io.csi4j.volume.model;

import java.util.Objects;

/**
 * A value from a job description that has not been checked yet.
 *
 * @param value the text
 * @since 1.0
 */
public record RawValue(String value) {

  /** Checks that the text is not null. */
  public RawValue {
    Objects.requireNonNull(value, "value");
  }

  /** Returns the value with this text. */
  public static RawValue of(String value) {
    return new RawValue(value);
  }

  @Override
  public String toString() {
    return value;
  }
}
