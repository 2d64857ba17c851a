package io.csi4j.client.model;

import org.jspecify.annotations.Nullable;

/**
 * Thrown for a failure that persists until something outside the request changes: a volume is
 * detached, space is freed, a permission is granted.
 *
 * @since 1.0
 */
public final class CsiConditionException extends CsiException {

  private static final long serialVersionUID = 1L;

  /** A failure with its cause, if there is one. */
  public CsiConditionException(CsiFailure failure, @Nullable Throwable cause) {
    super(failure, cause);
  }
}
