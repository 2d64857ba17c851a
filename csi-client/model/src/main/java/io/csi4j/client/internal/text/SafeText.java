package io.csi4j.client.internal.text;

import java.util.HexFormat;
import java.util.Map;

/** Makes text of unknown origin safe for one line of a message or a log. */
public final class SafeText {

  /** Maximum number of bytes that are kept of a plugin's text. */
  public static final int FOREIGN_TEXT_LIMIT = 1024;

  private static final HexFormat HEX = HexFormat.of();

  private SafeText() {}

  /**
   * Escapes control characters, line separators, text-direction marks and lone surrogates, so that
   * the result is one printable line. Text beyond {@code limit} UTF-8 bytes of output is cut, and
   * the cut is shown.
   */
  public static String escape(String text, int limit) {
    StringBuilder out = new StringBuilder(Math.min(text.length(), limit) + 16);
    int bytes = 0;
    for (int i = 0; i < text.length(); ) {
      int c = text.codePointAt(i);
      int from = out.length();
      appendEscaped(out, c);
      bytes += utf8Length(out, from);
      if (bytes > limit) {
        out.setLength(from);
        return out.append("… (").append(text.length()).append(" characters in all)").toString();
      }
      i += Character.charCount(c);
    }
    return out.toString();
  }

  /** {@link #escape(String, int)} with the limit for foreign text. */
  public static String escape(String text) {
    return escape(text, FOREIGN_TEXT_LIMIT);
  }

  /** Returns the text escaped and in single quotes, as messages show ids. */
  public static String quote(String text) {
    return "'" + escape(text) + "'";
  }

  private static void appendEscaped(StringBuilder out, int c) {
    switch (c) {
      case '\n' -> out.append("\\n");
      case '\r' -> out.append("\\r");
      case '\t' -> out.append("\\t");
      default -> {
        if (isPrintable(c)) {
          out.appendCodePoint(c);
        } else if (c <= 0xFFFF) {
          out.append("\\u").append(HEX.toHexDigits((char) c));
        } else {
          out.append("\\U").append(HEX.toHexDigits(c, 6));
        }
      }
    }
  }

  private static boolean isPrintable(int c) {
    if (c >= 0x20 && c < 0x7F) {
      return true;
    }
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

  /**
   * Returns whether the text is ASCII without NUL, as nearly all texts are. Such a text has as many
   * bytes as characters.
   */
  public static boolean isPlain(String text) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == 0 || c >= 0x80) {
        return false;
      }
    }
    return true;
  }

  /** The UTF-8 length of {@code text}; a lone surrogate counts as one byte, its replacement. */
  public static int utf8Length(CharSequence text) {
    return utf8Length(text, 0);
  }

  /** The total UTF-8 length of all keys and values of a map. */
  public static long utf8Length(Map<String, String> map) {
    return map.entrySet().stream()
        .mapToLong(each -> (long) utf8Length(each.getKey()) + utf8Length(each.getValue()))
        .sum();
  }

  private static int utf8Length(CharSequence text, int from) {
    int bytes = 0;
    for (int i = from; i < text.length(); ) {
      int c = Character.codePointAt(text, i);
      bytes += c < 0x80 ? 1 : c < 0x800 ? 2 : isSurrogate(c) ? 1 : c < 0x10000 ? 3 : 4;
      i += Character.charCount(c);
    }
    return bytes;
  }

  /** The index of the first surrogate that is not part of a valid pair, or -1. */
  public static int loneSurrogate(CharSequence text) {
    for (int i = 0; i < text.length(); ) {
      int c = Character.codePointAt(text, i);
      if (isSurrogate(c)) {
        return i;
      }
      i += Character.charCount(c);
    }
    return -1;
  }

  private static boolean isSurrogate(int c) {
    return c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE;
  }
}
