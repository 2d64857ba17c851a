package io.csi4j.mount.model;

import io.csi4j.mount.internal.text.PrintableText;
import java.util.Locale;

/**
 * Which mounts a container and its host show each other below a mount.
 *
 * @since 1.0
 */
public enum Propagation {
  /** None ({@code rprivate}). */
  PRIVATE("private", "rprivate"),
  /** The container sees the mounts of the host ({@code rslave}). */
  HOST_TO_CONTAINER("host-to-container", "rslave"),
  /** Each sees the mounts of the other ({@code rshared}). */
  BIDIRECTIONAL("bidirectional", "rshared");

  private final String word;
  private final String kernelWord;

  Propagation(String word, String kernelWord) {
    this.word = word;
    this.kernelWord = kernelWord;
  }

  /**
   * Reads {@link #word()} or {@link #kernelWord()}, in any case, {@code host-to-task}, or nothing,
   * which means private.
   *
   * @throws IllegalArgumentException for any other word, naming those there are
   */
  public static Propagation parse(String text) {
    String asked = text.toLowerCase(Locale.ROOT);
    if (asked.isEmpty()) {
      return PRIVATE;
    }
    for (Propagation each : values()) {
      if (asked.equals(each.word) || asked.equals(each.kernelWord)) {
        return each;
      }
    }
    if (asked.equals("host-to-task") || asked.equals("hosttocontainer")) {
      return HOST_TO_CONTAINER;
    }
    throw new IllegalArgumentException(
        "'"
            + PrintableText.escape(text)
            + "' is no mount propagation. Use private, host-to-container or bidirectional.");
  }

  /** The word of a job description, such as {@code host-to-container}. */
  public String word() {
    return word;
  }

  /** The word of mount(8), such as {@code rslave}. */
  public String kernelWord() {
    return kernelWord;
  }
}
