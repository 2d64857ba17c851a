package io.csi4j.client.node;

import java.util.OptionalLong;

/**
 * A filesystem or device grown on a node.
 *
 * @since 1.0
 */
public interface NodeExpandVolumeResult {

  /** Its size now; nothing if the plugin does not say. */
  OptionalLong capacityBytes();
}
