package io.csi4j.client.model;

import io.csi4j.client.internal.text.SafeText;

/** The rule that all ids share. */
final class IdRules {

  /** Far beyond what the spec allows, and what the real world needs. */
  static final int HARD_LIMIT = 4096;

  private IdRules() {}

  /**
   * Returns {@code value} if it can be an id at all; the limits of the spec are checked per call.
   */
  static String check(String kind, String value) {
    if (value.isEmpty()) {
      throw new IllegalArgumentException(
          "The " + kind + " is empty. Give the id that the plugin knows.");
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
              + " holds a NUL at "
              + nul
              + ". Plugins written in C would cut it there.");
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
