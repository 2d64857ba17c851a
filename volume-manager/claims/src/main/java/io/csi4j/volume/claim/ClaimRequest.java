package io.csi4j.volume.claim;

import io.csi4j.client.model.NodeId;
import io.csi4j.volume.model.ClaimMode;
import io.csi4j.volume.model.NodeName;
import io.csi4j.volume.model.UsageKey;
import java.util.Objects;
import java.util.Optional;

/**
 * What a workload wants of a volume.
 *
 * @param usage the volume and the workload
 * @param node the machine on which it runs
 * @param nodeId how the plugin names that machine, where it is known
 * @param use how the volume is to be used
 * @param mode what the workload does with it
 * @param attaches whether the storage system has to attach the volume to the machine first
 */
public record ClaimRequest(
    UsageKey usage,
    NodeName node,
    Optional<NodeId> nodeId,
    Claim.Use use,
    ClaimMode mode,
    boolean attaches) {

  /** Checks that all parts are there. */
  public ClaimRequest {
    Objects.requireNonNull(usage, "usage");
    Objects.requireNonNull(node, "node");
    Objects.requireNonNull(nodeId, "nodeId");
    Objects.requireNonNull(use, "use");
    Objects.requireNonNull(mode, "mode");
    if (attaches && nodeId.isEmpty()) {
      throw new IllegalArgumentException(
          "A volume is attached to a node by the name that the plugin has for it, and it has none"
              + " for '"
              + node
              + "'.");
    }
  }
}
