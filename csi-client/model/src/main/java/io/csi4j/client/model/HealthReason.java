package io.csi4j.client.model;

import io.csi4j.client.internal.text.SafeText;

/**
 * The kind of a fault, as one word of a plugin such as {@code DiskFailing}. Which words there are
 * is left to plugins.
 *
 * @param word the word; empty if the plugin gave none; escaped and cut to 1 KiB
 * @since 1.0
 */
@Experimental
public record HealthReason(String word) {

  /** Makes the word fit to print. */
  public HealthReason {
    word = SafeText.escape(word);
  }

  /** The kind of fault that a plugin calls by this word. */
  public static HealthReason of(String word) {
    return new HealthReason(word);
  }

  /** The word itself. */
  @Override
  public String toString() {
    return word;
  }
}
