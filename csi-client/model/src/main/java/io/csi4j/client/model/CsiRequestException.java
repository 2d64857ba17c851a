package io.csi4j.client.model;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A request that has to change: the same one would fail again. Either it was refused before it was
 * sent, and {@link #violations()} lists all that is wrong with it, or the plugin refused it.
 *
 * @since 1.0
 */
public final class CsiRequestException extends CsiException {

  private static final long serialVersionUID = 1L;

  private final transient List<Violation> violations;

  /** A refusal, with all that is wrong. */
  public CsiRequestException(
      CsiFailure failure, List<Violation> violations, @Nullable Throwable cause) {
    super(failure, cause);
    this.violations = List.copyOf(violations);
  }

  /** All that is wrong with the request; empty if the plugin refused it. */
  public List<Violation> violations() {
    return violations;
  }
}
