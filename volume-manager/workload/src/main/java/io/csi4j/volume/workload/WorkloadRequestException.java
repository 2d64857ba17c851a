package io.csi4j.volume.workload;

import io.csi4j.client.model.Violation;
import io.csi4j.volume.internal.names.Violations;
import java.io.Serial;
import java.util.List;
import java.util.stream.Collectors;

/**
 * A wish that cannot be, with all that is wrong with it. Holds no secret.
 *
 * @since 1.0
 */
public final class WorkloadRequestException extends IllegalArgumentException {

  @Serial private static final long serialVersionUID = 1L;

  private final transient List<Violation> violations;

  /** With what it is about and all that is wrong. */
  private WorkloadRequestException(String what, List<Violation> violations) {
    super(
        violations.stream()
            .map(Violation::toString)
            .collect(Collectors.joining("; ", what + " cannot be: ", ".")));
    this.violations = List.copyOf(violations);
  }

  /** Throws if anything is wrong. */
  static void check(String what, Violations found) {
    if (!found.all().isEmpty()) {
      throw new WorkloadRequestException(what, found.all());
    }
  }

  /** All that is wrong. */
  public List<Violation> violations() {
    return violations;
  }
}
