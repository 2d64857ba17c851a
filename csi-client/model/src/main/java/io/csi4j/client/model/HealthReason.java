package io.csi4j.client.model;

import io.csi4j.client.internal.text.SafeText;

/**
 * The kind of a health problem, as a single word such as {@code DiskFailing}. Each plugin chooses
 * its own words.
 *
 * @param word the word, escaped and cut to 1 KiB; empty if the plugin sent none
 * @since 1.0
 */
@Experimental
public record HealthReason(String word) {

  /** Makes the word safe to print. */
  public HealthReason {
    word = SafeText.escape(word);
  }

  /** Returns the reason with this word. */
  public static HealthReason of(String word) {
    return new HealthReason(word);
  }

  /** The word itself. */
  @Override
  public String toString() {
    return word;
  }
}
