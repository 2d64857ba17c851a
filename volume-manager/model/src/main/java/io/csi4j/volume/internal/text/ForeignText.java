package io.csi4j.volume.internal.text;

import io.csi4j.client.internal.text.SafeText;

/** Escapes text of unknown origin for messages to operators. */
public final class ForeignText {

  private ForeignText() {}

  /**
   * Returns the text with unprintable characters escaped, limited to 1 KiB. A mark shows where the
   * text was cut.
   */
  public static String of(String text) {
    return SafeText.escape(text);
  }

  /** Returns the text with unprintable characters escaped, limited to this number of bytes. */
  public static String of(String text, int limit) {
    return SafeText.escape(text, limit);
  }

  /** Returns the text as a clause, without full stops and spaces at its end. */
  public static String clause(String text) {
    String line = of(text.strip());
    int end = line.length();
    while (end > 0 && (line.charAt(end - 1) == '.' || line.charAt(end - 1) == ' ')) {
      end--;
    }
    return line.substring(0, end);
  }
}
