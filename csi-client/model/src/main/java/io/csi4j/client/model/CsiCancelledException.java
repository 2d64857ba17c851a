package io.csi4j.client.model;

/**
 * A call that the host itself ended: nothing is wrong with the plugin or the request.
 *
 * @since 1.0
 */
public final class CsiCancelledException extends CsiException {

  private static final long serialVersionUID = 1L;

  private final Reason reason;

  /** Why the host ended it. */
  public enum Reason {
    /** The waiting thread was interrupted; its flag is set again. */
    INTERRUPTED,
    /** The stage or stream was cancelled. */
    CANCELLED,
    /** The {@code CsiPlugin} was closed. */
    CLOSED
  }

  /** A call ended for this reason. */
  public CsiCancelledException(CsiFailure failure, Reason reason) {
    super(failure, null);
    this.reason = reason;
  }

  /** Why the host ended it. */
  public Reason reason() {
    return reason;
  }
}
