package io.csi4j.client.model;

import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Thrown when an answer cannot be used, because it breaks the contract or exceeds the size limit of
 * the connection. The plugin may have done the work. If the call created an object and its id is
 * known, {@link #created()} returns the id, and the caller must delete the object.
 *
 * @since 1.0
 */
public final class CsiAnswerException extends CsiException {

  private static final long serialVersionUID = 1L;

  private final transient List<Violation> violations;
  private final @Nullable String created;

  /** An answer with all its violations, and the id of the object that the call created, if any. */
  public CsiAnswerException(
      CsiFailure failure, List<Violation> violations, Optional<String> created) {
    super(failure, null);
    this.violations = List.copyOf(violations);
    this.created = created.orElse(null);
  }

  /** The violations of the answer. */
  public List<Violation> violations() {
    return violations;
  }

  /** The id of the volume, snapshot or group that was created and cannot be used, in clear text. */
  public Optional<String> created() {
    return Optional.ofNullable(created);
  }
}
