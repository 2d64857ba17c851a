package io.csi4j.client.model;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Thrown for a call that the plugin does not offer and that must not be repeated. Either the client
 * refused it before it was sent, and {@link #missing()} names the missing capability, or the plugin
 * answered UNIMPLEMENTED.
 *
 * @since 1.0
 */
public final class CsiUnsupportedException extends CsiException {

  private static final long serialVersionUID = 1L;

  private final @Nullable String missing;

  /**
   * Creates the exception of a call refused because {@code missing} is not offered, or refused by
   * the plugin.
   */
  public CsiUnsupportedException(
      CsiFailure failure, Optional<String> missing, @Nullable Throwable cause) {
    super(failure, cause);
    this.missing = missing.orElse(null);
  }

  /** The capability that the plugin did not report, by its name in the spec. */
  public Optional<String> missing() {
    return Optional.ofNullable(missing);
  }
}
