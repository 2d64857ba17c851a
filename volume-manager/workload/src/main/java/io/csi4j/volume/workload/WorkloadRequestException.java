package io.csi4j.volume.workload;

import io.csi4j.client.model.Violation;
import io.csi4j.volume.internal.names.Violations;
import java.io.Serial;
import java.util.List;
import java.util.stream.Collectors;

/**
 * An invalid request, with all its violations. Contains no secret.
 *
 * @since 1.0
 */
public final class WorkloadRequestException extends IllegalArgumentException {

  @Serial private static final long serialVersionUID = 1L;

  private final transient List<Violation> violations;

  /** Creates the exception with the subject and all violations. */
  private WorkloadRequestException(String what, List<Violation> violations) {
    super(
        violations.stream()
            .map(Violation::toString)
            .collect(Collectors.joining("; ", what + " cannot be: ", ".")));
    this.violations = List.copyOf(violations);
  }

  /** Throws if there are violations. */
  static void check(String what, Violations found) {
    if (!found.all().isEmpty()) {
      throw new WorkloadRequestException(what, found.all());
    }
  }

  /** Returns all violations. */
  public List<Violation> violations() {
    return violations;
  }
}
