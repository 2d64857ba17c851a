package io.csi4j.client.registration;

import io.csi4j.client.internal.text.SafeText;

/**
 * The outcome of an announcement.
 *
 * @param registered whether the plugin is registered now
 * @param error if not, why, in one line; empty otherwise. What cannot be printed is escaped, and
 *     what is beyond 1 KiB is cut.
 * @since 1.0
 */
public record RegistrationOutcome(boolean registered, String error) {

  /**
   * Makes the error fit for one line, and refuses one without a reason, or a reason without one.
   */
  public RegistrationOutcome {
    error = SafeText.escape(error);
    if (registered != error.isEmpty()) {
      throw new IllegalArgumentException(
          registered
              ? "A plugin that is registered has no error. Leave the error empty."
              : "A plugin that is not registered needs a reason. Say why.");
    }
  }

  /** Returns the outcome of a registered plugin. */
  public static RegistrationOutcome accepted() {
    return new RegistrationOutcome(true, "");
  }

  /** Returns the outcome of a plugin that is not registered, with the reason. */
  public static RegistrationOutcome refused(String why) {
    return new RegistrationOutcome(false, why);
  }
}
