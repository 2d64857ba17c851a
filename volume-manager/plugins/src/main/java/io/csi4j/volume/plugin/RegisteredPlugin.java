package io.csi4j.volume.plugin;

import java.util.Objects;
import java.util.Optional;

/**
 * An instance that a registry knows.
 *
 * @param registration which, and where
 * @param health how it is, as far as it is supervised
 * @param fingerprint what it said of itself last, if it was asked
 * @param remembered whether it is known from an earlier run only, and was not registered since
 * @since 1.0
 */
public record RegisteredPlugin(
    PluginRegistration registration,
    PluginHealth health,
    Optional<PluginFingerprint> fingerprint,
    boolean remembered) {

  /** Checks that all parts are there. */
  public RegisteredPlugin {
    Objects.requireNonNull(registration, "registration");
    Objects.requireNonNull(health, "health");
    Objects.requireNonNull(fingerprint, "fingerprint");
  }
}
