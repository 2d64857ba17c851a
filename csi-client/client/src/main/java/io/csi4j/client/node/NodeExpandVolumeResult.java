package io.csi4j.client.node;

import java.util.OptionalLong;

/** A filesystem or device grown on a node. */
public interface NodeExpandVolumeResult {

  /** Its size now; nothing if the plugin does not say. */
  OptionalLong capacityBytes();
}
