package io.csi4j.client.model;

import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * An answer that could not be used: it breaks the contract, or is larger than the connection takes.
 * The work may well be done: {@link #created()} names what has to be deleted again, if it is known.
 *
 * @since 1.0
 */
public final class CsiAnswerException extends CsiException {

  private static final long serialVersionUID = 1L;

  private final transient List<Violation> violations;
  private final @Nullable String created;

  /** An answer with all that is wrong with it, and the id of what it made, if it made something. */
  public CsiAnswerException(
      CsiFailure failure, List<Violation> violations, Optional<String> created) {
    super(failure, null);
    this.violations = List.copyOf(violations);
    this.created = created.orElse(null);
  }

  /** All that is wrong with the answer. */
  public List<Violation> violations() {
    return violations;
  }

  /** The id of the volume, snapshot or group that was made and cannot be used, in clear. */
  public Optional<String> created() {
    return Optional.ofNullable(created);
  }
}
