package io.csi4j.testkit.cli;

import java.util.regex.Pattern;

/** Makes text from unknown sources safe to print on one line of a terminal. */
final class OneLine {

  /** Control characters, direction marks, lone surrogates, and line terminators. */
  private static final Pattern UNPRINTABLE = Pattern.compile("[\\p{C}\\p{Zl}\\p{Zp}]");

  private OneLine() {}

  /** Returns the text with every unprintable character replaced by its code number. */
  static String of(String text) {
    return UNPRINTABLE
        .matcher(text)
        .replaceAll(found -> String.format("\\\\u%04x", found.group().codePointAt(0)));
  }

  /** Returns the safe text in single quotes. */
  static String quoted(String text) {
    return "'" + of(text) + "'";
  }
}
