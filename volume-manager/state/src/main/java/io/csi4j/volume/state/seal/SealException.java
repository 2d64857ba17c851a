package io.csi4j.volume.state.seal;

/**
 * Something could not be sealed or opened. Its message is a clause that says why and what to do,
 * such as {@code it is sealed with the key 'k1', which this host was not given. Give it that key.}
 *
 * @since 1.0
 */
public final class SealException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  /** A failure for this reason. */
  public SealException(String message) {
    super(message);
  }

  /** A failure for this reason, and what caused it. */
  public SealException(String message, Throwable cause) {
    super(message, cause);
  }
}
