package io.csi4j.client.model;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Thrown for a request that must be changed, because the same request would fail again. If the
 * client refused the request before sending it, {@link #violations()} lists all faults; otherwise
 * the plugin refused the request.
 *
 * @since 1.0
 */
public final class CsiRequestException extends CsiException {

  private static final long serialVersionUID = 1L;

  private final transient List<Violation> violations;

  /** Creates the exception for a refused request, with all violations of the request. */
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
