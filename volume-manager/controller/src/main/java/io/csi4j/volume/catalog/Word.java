package io.csi4j.volume.catalog;

import java.util.Objects;

/**
 * A word of a job description, before it is known whether it means something.
 *
 * @param value the word, as it was written
 * @since 1.0
 */
public record Word(String value) {

  /** Checks that it is there. */
  public Word {
    Objects.requireNonNull(value, "value");
  }

  /** This word. */
  public static Word of(String value) {
    return new Word(value);
  }

  @Override
  public String toString() {
    return value;
  }
}
