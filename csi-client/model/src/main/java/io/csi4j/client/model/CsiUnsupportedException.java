package io.csi4j.client.model;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Thrown for a call that the plugin does not offer and that must not be repeated. If the client
 * refused the call before sending it, {@link #missing()} names the missing capability; otherwise
 * the plugin answered UNIMPLEMENTED.
 *
 * @since 1.0
 */
public final class CsiUnsupportedException extends CsiException {

  private static final long serialVersionUID = 1L;

  private final @Nullable String missing;

  /**
   * Creates the exception for a call that the client refused because {@code missing} is not
   * offered, or that the plugin refused.
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
