package io.csi4j.volume.internal.text;

import io.csi4j.client.internal.text.SafeText;

/** Text of unknown origin in messages to operators. */
public final class ForeignText {

  private ForeignText() {}

  /** Returns the text with everything unprintable escaped, limited to 1 KiB; a cut is marked. */
  public static String of(String text) {
    return SafeText.escape(text);
  }

  /** Returns the text with another limit, in bytes. */
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
