package io.csi4j.client.group;

import io.csi4j.client.internal.redaction.RecordText;
import io.csi4j.client.model.GroupSnapshotId;
import io.csi4j.client.model.Secrets;
import io.csi4j.client.model.SnapshotId;
import io.csi4j.client.model.VolumeId;
import java.util.List;
import java.util.Map;

/** The hidden values behind the requests of {@code io.csi4j.client.group}. */
final class GroupRequests {

  private GroupRequests() {}

  /** See {@link CreateVolumeGroupSnapshotRequest}. */
  public record CreateVolumeGroupSnapshot(
      String name, List<VolumeId> sourceVolumeIds, Secrets secrets, Map<String, String> parameters)
      implements CreateVolumeGroupSnapshotRequest {
    @Override
    public String toString() {
      return RecordText.of(this);
    }
  }

  /** See {@link DeleteVolumeGroupSnapshotRequest}. */
  public record DeleteVolumeGroupSnapshot(
      GroupSnapshotId groupSnapshotId, List<SnapshotId> snapshotIds, Secrets secrets)
      implements DeleteVolumeGroupSnapshotRequest {
    @Override
    public String toString() {
      return RecordText.of(this);
    }
  }

  /** See {@link GetVolumeGroupSnapshotRequest}. */
  public record GetVolumeGroupSnapshot(
      GroupSnapshotId groupSnapshotId, List<SnapshotId> snapshotIds, Secrets secrets)
      implements GetVolumeGroupSnapshotRequest {
    @Override
    public String toString() {
      return RecordText.of(this);
    }
  }
}
