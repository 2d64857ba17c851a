package io.csi4j.volume.plugin;

import io.csi4j.volume.model.OperatorException;
import io.csi4j.volume.model.OperatorMessage;
import java.io.Serial;

/**
 * Something about a plugin that cannot be done. The message has all that an operator is told.
 *
 * @since 1.0
 */
public final class PluginException extends OperatorException {

  @Serial private static final long serialVersionUID = 1L;

  /** With what an operator is told. */
  public PluginException(OperatorMessage message) {
    super(message, null);
  }
}
