package io.csi4j.volume.model;

import io.csi4j.client.model.Violation;
import java.io.Serial;
import java.util.List;
import java.util.stream.Collectors;

/**
 * An invalid volume request, with all violations. Contains no secret.
 *
 * @since 1.0
 */
public final class InvalidVolumeException extends IllegalArgumentException {

  @Serial private static final long serialVersionUID = 1L;

  private final transient List<Violation> violations;

  /** Creates the exception with all violations. */
  InvalidVolumeException(List<Violation> violations) {
    super(
        violations.stream()
            .map(Violation::toString)
            .collect(Collectors.joining("; ", "The volume cannot be: ", ".")));
    this.violations = List.copyOf(violations);
  }

  /** Returns all violations. */
  public List<Violation> violations() {
    return violations;
  }
}
