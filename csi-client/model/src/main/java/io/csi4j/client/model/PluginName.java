package io.csi4j.client.model;

import io.csi4j.client.internal.text.SafeText;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The name that a plugin reports, such as {@code ebs.csi.aws.com}.
 *
 * <p>The ids of volumes, nodes and snapshots are unique only within one plugin, so an id needs the
 * plugin name to identify an object.
 *
 * @param value at most 63 characters; letters, digits, dashes and dots; labels begin and end with a
 *     letter or digit
 * @since 1.0
 */
public record PluginName(String value) {

  private static final Pattern LABEL = Pattern.compile("[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?");

  /** Refuses a name that breaks a rule of the spec; the message names the rule. */
  public PluginName {
    brokenRule(value)
        .ifPresent(
            rule -> {
              throw new IllegalArgumentException(
                  "The plugin name '"
                      + SafeText.escape(value, 128)
                      + "' is not valid: "
                      + rule
                      + ".");
            });
  }

  /** Returns the name with this value. */
  public static PluginName of(String value) {
    return new PluginName(value);
  }

  /** Returns the rule that {@code value} breaks, or empty if it is a valid plugin name. */
  public static Optional<String> brokenRule(String value) {
    if (value.isEmpty()) {
      return Optional.of("it is empty");
    }
    if (value.length() > 63) {
      return Optional.of("it has " + value.length() + " characters, but only 63 are allowed");
    }
    for (String label : value.split("\\.", -1)) {
      if (label.isEmpty()) {
        return Optional.of("it has an empty part between dots, or a dot at an end");
      }
      if (!LABEL.matcher(label).matches()) {
        return Optional.of(
            "each part between dots must be letters, digits and dashes, with a letter or digit at"
                + " both ends");
      }
    }
    return Optional.empty();
  }

  @Override
  public String toString() {
    return value;
  }
}
