package io.csi4j.client.model;

/**
 * Thrown for a call that the host itself ended. Neither the plugin nor the request is at fault.
 *
 * @since 1.0
 */
public final class CsiCancelledException extends CsiException {

  private static final long serialVersionUID = 1L;

  private final Reason reason;

  /** The reasons for which the host ends a call. */
  public enum Reason {
    /** The waiting thread was interrupted. The client has set its interrupt flag again. */
    INTERRUPTED,
    /** The stage or stream was cancelled. */
    CANCELLED,
    /** The {@code CsiPlugin} was closed. */
    CLOSED
  }

  /** Creates the exception of a call that was ended for this reason. */
  public CsiCancelledException(CsiFailure failure, Reason reason) {
    super(failure, null);
    this.reason = reason;
  }

  /** The reason for which the host ended the call. */
  public Reason reason() {
    return reason;
  }
}
