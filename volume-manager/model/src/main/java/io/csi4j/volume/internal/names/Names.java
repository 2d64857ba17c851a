package io.csi4j.volume.internal.names;

/** The rules for all names that a host chooses. */
public final class Names {

  /** Maximum length of a name, far longer than the names that hosts use. */
  static final int LONGEST = 1024;

  private Names() {}

  /**
   * Returns the text if it is a valid name: not empty, not too long, and without control
   * characters.
   */
  public static String check(String kind, String text) {
    if (text.isEmpty()) {
      throw new IllegalArgumentException(
          "The " + kind + " is empty. Give the name that the host uses.");
    }
    if (text.length() > LONGEST) {
      throw new IllegalArgumentException(
          "The " + kind + " has " + text.length() + " characters. Use " + LONGEST + " at most.");
    }
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c >= ' ' && c < 0x7f) {
        continue;
      }
      if (Character.isISOControl(c)) {
        throw new IllegalArgumentException(
            "The " + kind + " has a control character at " + i + ". Leave it out.");
      }
      boolean paired =
          Character.isHighSurrogate(c)
              ? i + 1 < text.length() && Character.isLowSurrogate(text.charAt(i + 1))
              : !Character.isLowSurrogate(c)
                  || (i > 0 && Character.isHighSurrogate(text.charAt(i - 1)));
      if (!paired) {
        throw new IllegalArgumentException(
            "The " + kind + " is not valid Unicode: lone surrogate at " + i + ".");
      }
    }
    return text;
  }
}
