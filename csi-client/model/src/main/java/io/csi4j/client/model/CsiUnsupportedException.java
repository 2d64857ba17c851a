package io.csi4j.client.model;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A call that the plugin does not offer, so it must not be repeated. Either it was refused before
 * it was sent, and {@link #missing()} names what the plugin lacks, or the plugin answered
 * UNIMPLEMENTED.
 *
 * @since 1.0
 */
public final class CsiUnsupportedException extends CsiException {

  private static final long serialVersionUID = 1L;

  private final @Nullable String missing;

  /** A refusal for want of {@code missing}, or by the plugin itself. */
  public CsiUnsupportedException(
      CsiFailure failure, Optional<String> missing, @Nullable Throwable cause) {
    super(failure, cause);
    this.missing = missing.orElse(null);
  }

  /** The capability that the plugin did not report, in the spec's name. */
  public Optional<String> missing() {
    return Optional.ofNullable(missing);
  }
}
