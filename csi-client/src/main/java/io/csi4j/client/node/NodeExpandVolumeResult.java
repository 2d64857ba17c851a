package io.csi4j.client.node;

import io.csi4j.client.internal.values.NodeResults;
import java.util.OptionalLong;

/** A filesystem or device grown on a node. */
public sealed interface NodeExpandVolumeResult permits NodeResults.NodeExpandVolumeResultValue {

  /** Its size now; nothing if the plugin does not say. */
  OptionalLong capacityBytes();
}
