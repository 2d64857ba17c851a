package io.csi4j.client.node;

import io.csi4j.client.model.NodeId;
import io.csi4j.client.model.Topology;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * How the storage system knows a node.
 *
 * @since 1.0
 */
public interface NodeInfo {

  /** The id of the node, for all calls to this plugin. */
  NodeId nodeId();

  /** How many volumes may be published there; nothing if no limit is stated. */
  OptionalLong maxVolumesPerNode();

  /** Where the node is; nothing if the plugin knows no topology. */
  Optional<Topology> accessibleTopology();
}
