package io.csi4j.client.model;

import org.jspecify.annotations.Nullable;

/**
 * A failure that stays until something outside the request has changed: a volume detached, space
 * freed, a permission given.
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
