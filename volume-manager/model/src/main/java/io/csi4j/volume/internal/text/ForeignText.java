package io.csi4j.volume.internal.text;

import io.csi4j.client.internal.text.SafeText;

/** Text of unknown origin in messages to operators. */
public final class ForeignText {

  private ForeignText() {}

  /** The text with everything unprintable escaped, at most 1 KiB of it; a cut shows. */
  public static String of(String text) {
    return SafeText.escape(text);
  }

  /** Returns the text with another limit, in bytes. */
  public static String of(String text, int limit) {
    return SafeText.escape(text, limit);
  }

  /** Returns the text as a clause: without the full stops and spaces at its end. */
  public static String clause(String text) {
    String line = of(text.strip());
    int end = line.length();
    while (end > 0 && (line.charAt(end - 1) == '.' || line.charAt(end - 1) == ' ')) {
      end--;
    }
    return line.substring(0, end);
  }
}
