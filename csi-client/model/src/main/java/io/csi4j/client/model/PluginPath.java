package io.csi4j.client.model;

import io.csi4j.client.internal.text.SafeText;

/**
 * An absolute path as the plugin process sees it, which may differ from the host's path.
 *
 * @param value the path; absolute, without NUL
 * @since 1.0
 */
public record PluginPath(String value) {

  /** Refuses a path that is not absolute. */
  public PluginPath {
    if (!value.startsWith("/")) {
      throw new IllegalArgumentException(
          "The path " + SafeText.quote(value) + " is not absolute. CSI requires absolute paths.");
    }
    int nul = value.indexOf('\0');
    if (nul >= 0) {
      throw new IllegalArgumentException(
          "The path " + SafeText.quote(value) + " contains a NUL at " + nul + ".");
    }
    if (SafeText.loneSurrogate(value) >= 0) {
      throw new IllegalArgumentException(
          "The path " + SafeText.quote(value) + " is not valid Unicode.");
    }
    if (value.length() > IdRules.HARD_LIMIT) {
      throw new IllegalArgumentException(
          "The path " + SafeText.escape(value, 64) + " is longer than " + IdRules.HARD_LIMIT + ".");
    }
  }

  /** Returns the path with this value. */
  public static PluginPath of(String value) {
    return new PluginPath(value);
  }

  @Override
  public String toString() {
    return SafeText.escape(value, IdRules.HARD_LIMIT);
  }
}
