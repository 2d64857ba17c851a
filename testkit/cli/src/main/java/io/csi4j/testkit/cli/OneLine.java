package io.csi4j.testkit.cli;

import java.util.regex.Pattern;

/** Text of unknown origin, made fit for one line of a terminal. */
final class OneLine {

  /** Control characters, direction marks, lone surrogates, and what ends a line. */
  private static final Pattern UNPRINTABLE = Pattern.compile("[\\p{C}\\p{Zl}\\p{Zp}]");

  private OneLine() {}

  /** Returns the text with every character that is not printable written as its number. */
  static String of(String text) {
    return UNPRINTABLE
        .matcher(text)
        .replaceAll(found -> String.format("\\\\u%04x", found.group().codePointAt(0)));
  }

  /** Returns the text between single quotes. */
  static String quoted(String text) {
    return "'" + of(text) + "'";
  }
}
