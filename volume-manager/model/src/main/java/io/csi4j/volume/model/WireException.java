package io.csi4j.volume.model;

import java.io.Serial;

/**
 * A message of a node or a control plane that cannot be used: its bytes are not a message, it is
 * too large, or a newer version wrote it and this one must not guess. The message that was refused
 * has changed nothing.
 *
 * @since 1.0
 */
public final class WireException extends OperatorException {

  @Serial private static final long serialVersionUID = 1L;

  /** A failure with this message. */
  public WireException(OperatorMessage message) {
    super(message, null);
  }
}
