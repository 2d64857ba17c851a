package io.csi4j.client.model;

import io.csi4j.client.internal.text.SafeText;

/** The rule for all ids. */
final class IdRules {

  /** Far above the limit of the spec and the ids of real plugins. */
  static final int HARD_LIMIT = 4096;

  private IdRules() {}

  /**
   * Returns {@code value} if it is a possible id; the limits of the spec are checked for each call.
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
