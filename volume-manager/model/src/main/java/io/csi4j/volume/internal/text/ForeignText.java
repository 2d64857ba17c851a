package io.csi4j.volume.internal.text;

import java.util.Locale;

/** Text of unknown origin, made fit for one line: nothing unprintable, and no more than a limit. */
public final class ForeignText {

  /** The most that is kept of one text, in characters. */
  static final int LIMIT = 1024;

  private ForeignText() {}

  /** The text with everything unprintable escaped; a cut shows. */
  public static String of(String text) {
    return of(text, LIMIT);
  }

  /** Returns the text with another limit, in characters. */
  public static String of(String text, int limit) {
    StringBuilder out = new StringBuilder(Math.min(text.length(), limit));
    for (int i = 0; i < text.length(); ) {
      int c = text.codePointAt(i);
      String printed = isPrintable(c) ? Character.toString(c) : escaped(c);
      if (out.length() + printed.length() > limit) {
        return out + "… (" + text.length() + " characters in all)";
      }
      out.append(printed);
      i += Character.charCount(c);
    }
    return out.toString();
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

  private static boolean isPrintable(int c) {
    return switch (Character.getType(c)) {
      case Character.CONTROL,
          Character.FORMAT,
          Character.SURROGATE,
          Character.PRIVATE_USE,
          Character.UNASSIGNED,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR ->
          false;
      default -> true;
    };
  }

  private static String escaped(int c) {
    return switch (c) {
      case '\n' -> "\\n";
      case '\r' -> "\\r";
      case '\t' -> "\\t";
      default -> String.format(Locale.ROOT, c > 0xFFFF ? "\\U%06x" : "\\u%04x", c);
    };
  }
}
