package io.csi4j.client.model;

import org.jspecify.annotations.Nullable;

/**
 * Thrown for a failure that may disappear with time. The caller should repeat the identical request
 * later; the client has already repeated it as often as the policy allows.
 *
 * @since 1.0
 */
public final class CsiTransientException extends CsiException {

  private static final long serialVersionUID = 1L;

  /** A failure with its cause, if there is one. */
  public CsiTransientException(CsiFailure failure, @Nullable Throwable cause) {
    super(failure, cause);
  }
}
