package io.csi4j.client.model;

import io.csi4j.client.internal.text.SafeText;

/** The checks that all kinds of ids share. */
final class IdRules {

  /** Maximum bytes of an id; far more than the spec allows and real plugins use. */
  static final int HARD_LIMIT = 4096;

  private IdRules() {}

  /**
   * Returns {@code value} if it is a possible id. The limits of the spec are checked later, for
   * each call.
   */
  static String check(String kind, String value) {
    if (value.isEmpty()) {
      throw new IllegalArgumentException(
          "The " + kind + " is empty. Use the id that the plugin returned.");
    }
    if (value.length() > HARD_LIMIT || SafeText.utf8Length(value) > HARD_LIMIT) {
      throw new IllegalArgumentException(
          "The "
              + kind
              + " "
              + SafeText.escape(value, 64)
              + " is longer than "
              + HARD_LIMIT
              + " bytes. CSI allows 128.");
    }
    int nul = value.indexOf('\0');
    if (nul >= 0) {
      throw new IllegalArgumentException(
          "The "
              + kind
              + " "
              + SafeText.quote(value)
              + " contains a NUL at "
              + nul
              + ". Plugins written in C would cut the id there.");
    }
    int lone = SafeText.loneSurrogate(value);
    if (lone >= 0) {
      throw new IllegalArgumentException(
          "The "
              + kind
              + " "
              + SafeText.quote(value)
              + " is not valid Unicode: lone surrogate at "
              + lone
              + ".");
    }
    return value;
  }
}
