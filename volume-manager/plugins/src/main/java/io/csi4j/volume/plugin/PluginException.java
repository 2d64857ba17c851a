package io.csi4j.volume.plugin;

import io.csi4j.volume.model.OperatorException;
import io.csi4j.volume.model.OperatorMessage;
import java.io.Serial;

/**
 * Thrown when an operation on a plugin fails. The message contains all information for an operator.
 *
 * @since 1.0
 */
public final class PluginException extends OperatorException {

  @Serial private static final long serialVersionUID = 1L;

  /** Creates an exception with a message for an operator. */
  public PluginException(OperatorMessage message) {
    super(message, null);
  }
}
