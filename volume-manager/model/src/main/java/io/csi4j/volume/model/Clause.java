package io.csi4j.volume.model;

import java.util.Objects;

/**
 * A reason in words, to be read within a sentence.
 *
 * @param text the words, without a full stop
 * @since 1.0
 */
public record Clause(String text) {

  /** Checks that there are words. */
  public Clause {
    Objects.requireNonNull(text, "text");
  }

  @Override
  public String toString() {
    return text;
  }
}
