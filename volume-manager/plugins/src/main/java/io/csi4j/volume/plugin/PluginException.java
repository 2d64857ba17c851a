package io.csi4j.volume.plugin;

import io.csi4j.volume.model.OperatorException;
import io.csi4j.volume.model.OperatorMessage;
import java.io.Serial;

/**
 * An operation on a plugin that failed. The message contains everything for an operator.
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
