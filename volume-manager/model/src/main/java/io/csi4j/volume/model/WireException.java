package io.csi4j.volume.model;

import java.io.Serial;

/**
 * An unusable message of a node or a control plane: its bytes are not a message, it is too large,
 * or a newer version wrote it and this version must not guess. The rejected message has changed
 * nothing.
 *
 * @since 1.0
 */
public final class WireException extends OperatorException {

  @Serial private static final long serialVersionUID = 1L;

  /** Creates a failure with this message. */
  public WireException(OperatorMessage message) {
    super(message, null);
  }
}
