package io.csi4j.volume.model;

import io.csi4j.client.model.Violation;
import java.io.Serial;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Thrown for an invalid request, with all violations of the request. The message contains no
 * secrets.
 *
 * @since 1.0
 */
public final class InvalidRequestException extends IllegalArgumentException {

  @Serial private static final long serialVersionUID = 1L;

  private final transient List<Violation> violations;

  private InvalidRequestException(String what, List<Violation> violations) {
    super(
        violations.stream()
            .map(Violation::toString)
            .collect(Collectors.joining("; ", what + " is refused: ", ".")));
    this.violations = List.copyOf(violations);
  }

  /**
   * Throws the exception if there are violations.
   *
   * @param what the request, as the subject of a sentence, without a secret
   */
  public static void check(String what, List<Violation> found) {
    if (!found.isEmpty()) {
      throw new InvalidRequestException(what, found);
    }
  }

  /** Returns all violations. */
  public List<Violation> violations() {
    return violations;
  }
}
