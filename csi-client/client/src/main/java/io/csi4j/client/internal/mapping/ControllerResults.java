package io.csi4j.client.internal.mapping;

import io.csi4j.client.controller.Capacity;
import io.csi4j.client.controller.ControllerService;
import io.csi4j.client.controller.Snapshot;
import io.csi4j.client.controller.Volume;
import io.csi4j.client.controller.VolumeEntry;
import io.csi4j.client.internal.redaction.RecordText;
import io.csi4j.client.model.GroupSnapshotId;
import io.csi4j.client.model.NodeId;
import io.csi4j.client.model.Page;
import io.csi4j.client.model.PublishContext;
import io.csi4j.client.model.SnapshotId;
import io.csi4j.client.model.Topology;
import io.csi4j.client.model.VolumeCondition;
import io.csi4j.client.model.VolumeContentSource;
import io.csi4j.client.model.VolumeContext;
import io.csi4j.client.model.VolumeId;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** The non-exported records that implement the results of {@code io.csi4j.client.controller}. */
final class ControllerResults {

  private ControllerResults() {}

  /** See {@link Volume}. */
  public record VolumeValue(
      VolumeId id,
      OptionalLong capacityBytes,
      VolumeContext context,
      Optional<VolumeContentSource> contentSource,
      List<Topology> accessibleTopology)
      implements Volume {
    @Override
    public String toString() {
      return RecordText.of(this);
    }
  }

  /** See {@link VolumeEntry}. */
  public record VolumeEntryValue(
      Volume volume, List<NodeId> publishedNodes, Optional<VolumeCondition> condition)
      implements VolumeEntry {
    @Override
    public String toString() {
      return RecordText.of(this);
    }
  }

  /** See {@link Page}. */
  public record PageValue<T>(List<T> entries, Optional<String> nextToken, int skipped)
      implements Page<T> {
    @Override
    public String toString() {
      return RecordText.of(this);
    }
  }

  /** See {@link Capacity}. */
  public record CapacityValue(
      long availableBytes, OptionalLong maximumVolumeSize, OptionalLong minimumVolumeSize)
      implements Capacity {
    @Override
    public String toString() {
      return RecordText.of(this);
    }
  }

  /** See {@link Snapshot}. */
  public record SnapshotValue(
      SnapshotId id,
      VolumeId sourceVolumeId,
      OptionalLong sizeBytes,
      Optional<Instant> creationTime,
      boolean readyToUse,
      Optional<GroupSnapshotId> groupSnapshotId,
      List<Topology> accessibleTopology)
      implements Snapshot {
    @Override
    public String toString() {
      return RecordText.of(this);
    }
  }

  /** See {@link ControllerService.PublishVolumeResult}. */
  public record ControllerPublishVolumeResultValue(PublishContext publishContext)
      implements ControllerService.PublishVolumeResult {
    @Override
    public String toString() {
      return RecordText.of(this);
    }
  }

  /** See {@link ControllerService.ExpandVolumeResult}. */
  public record ControllerExpandVolumeResultValue(
      OptionalLong capacityBytes, boolean nodeExpansionRequired)
      implements ControllerService.ExpandVolumeResult {
    @Override
    public String toString() {
      return RecordText.of(this);
    }
  }
}
