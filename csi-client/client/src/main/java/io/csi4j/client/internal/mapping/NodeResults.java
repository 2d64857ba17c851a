package io.csi4j.client.internal.mapping;

import io.csi4j.client.internal.redaction.RecordText;
import io.csi4j.client.model.NodeId;
import io.csi4j.client.model.StorageHealthEntry;
import io.csi4j.client.model.Topology;
import io.csi4j.client.model.VolumeCondition;
import io.csi4j.client.node.NodeService;
import io.csi4j.client.node.NodeService.NodeInfo;
import io.csi4j.client.node.NodeService.StorageHealth;
import io.csi4j.client.node.VolumeStats;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** The non-exported records that implement the results of {@code io.csi4j.client.node}. */
final class NodeResults {

  private NodeResults() {}

  /** See {@link VolumeStats}. */
  public record VolumeStatsValue(List<VolumeStats.Usage> usage, Optional<VolumeCondition> condition)
      implements VolumeStats {
    @Override
    public String toString() {
      return RecordText.of(this);
    }
  }

  /** See {@link StorageHealth}. */
  public record StorageHealthValue(List<StorageHealthEntry> entries) implements StorageHealth {
    @Override
    public String toString() {
      return RecordText.of(this);
    }
  }

  /** See {@link NodeService.ExpandVolumeResult}. */
  public record NodeExpandVolumeResultValue(OptionalLong capacityBytes)
      implements NodeService.ExpandVolumeResult {
    @Override
    public String toString() {
      return RecordText.of(this);
    }
  }

  /** See {@link NodeInfo}. */
  public record NodeInfoValue(
      NodeId nodeId, OptionalLong maxVolumesPerNode, Optional<Topology> accessibleTopology)
      implements NodeInfo {
    @Override
    public String toString() {
      return RecordText.of(this);
    }
  }
}
