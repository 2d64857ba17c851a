package io.csi4j.volume.state.seal;

/**
 * A failure to seal or open bytes. Its message is a clause with the reason and the next step, such
 * as {@code it is sealed with the key 'k1', which this host does not have. Give it that key.}
 *
 * @since 1.0
 */
public final class SealException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  /** Creates a failure for this reason. */
  public SealException(String message) {
    super(message);
  }

  /** Creates a failure for this reason, with its cause. */
  public SealException(String message, Throwable cause) {
    super(message, cause);
  }
}
