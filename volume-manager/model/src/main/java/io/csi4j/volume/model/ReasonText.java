package io.csi4j.volume.model;

import java.util.Objects;

/**
 * A reason, as text that can continue a sentence.
 *
 * @param text the reason, without a full stop
 * @since 1.0
 */
public record ReasonText(String text) {

  /** Checks that the text is not null. */
  public ReasonText {
    Objects.requireNonNull(text, "text");
  }

  @Override
  public String toString() {
    return text;
  }
}
