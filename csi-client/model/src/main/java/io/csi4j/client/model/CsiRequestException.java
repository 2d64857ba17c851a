package io.csi4j.client.model;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Thrown for a request that must be changed: the same request would fail again. Either the client
 * refused it before it was sent, and {@link #violations()} lists all its faults, or the plugin
 * refused it.
 *
 * @since 1.0
 */
public final class CsiRequestException extends CsiException {

  private static final long serialVersionUID = 1L;

  private final transient List<Violation> violations;

  /** Creates the exception of a refused request with all its violations. */
  public CsiRequestException(
      CsiFailure failure, List<Violation> violations, @Nullable Throwable cause) {
    super(failure, cause);
    this.violations = List.copyOf(violations);
  }

  /** The violations of the request; empty if the plugin refused it. */
  public List<Violation> violations() {
    return violations;
  }
}
