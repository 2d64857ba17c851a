package io.csi4j.volume.model;

import java.io.Serial;

/**
 * Thrown when a message of a node or a control plane is rejected. The bytes are not a message, or
 * the message is too large, or a newer version of csi4j wrote content that this version must not
 * guess. The rejected message has changed nothing.
 *
 * @since 1.0
 */
public final class WireException extends OperatorException {

  @Serial private static final long serialVersionUID = 1L;

  /** Creates an exception with this message for operators. */
  public WireException(OperatorMessage message) {
    super(message, null);
  }
}
