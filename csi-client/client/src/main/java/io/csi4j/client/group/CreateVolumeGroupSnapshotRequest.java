package io.csi4j.client.group;

import io.csi4j.client.internal.redaction.RecordText;
import io.csi4j.client.model.Secrets;
import io.csi4j.client.model.VolumeId;
import java.util.List;
import java.util.Map;

/**
 * Asks to take snapshots of several volumes at one moment.
 *
 * <p>Requests with equal values are equal. The text form of a request contains no secrets.
 *
 * @since 1.0
 */
public sealed interface CreateVolumeGroupSnapshotRequest {

  /** The name of the new group, chosen by the caller; not its id. */
  String name();

  /** The volumes to take snapshots of. */
  List<VolumeId> sourceVolumeIds();

  /** The secrets that the plugin needs for this call. */
  Secrets secrets();

  /** Opaque parameters for the plugin. */
  Map<String, String> parameters();

  /** Returns a builder with the required fields set. */
  static Builder builder(String name, List<VolumeId> sourceVolumeIds) {
    return new Builder(name, sourceVolumeIds);
  }

  /** Collects the parts of a {@link CreateVolumeGroupSnapshotRequest}. */
  final class Builder {
    private final String name;
    private final List<VolumeId> sourceVolumeIds;
    private Secrets secrets = Secrets.empty();
    private Map<String, String> parameters = Map.of();

    private Builder(String name, List<VolumeId> sourceVolumeIds) {
      this.name = name;
      this.sourceVolumeIds = List.copyOf(sourceVolumeIds);
    }

    /** The secrets that the plugin needs for this call. */
    public Builder secrets(Secrets value) {
      secrets = value;
      return this;
    }

    /** Opaque parameters for the plugin. */
    public Builder parameters(Map<String, String> value) {
      parameters = Map.copyOf(value);
      return this;
    }

    /** Builds the request. */
    public CreateVolumeGroupSnapshotRequest build() {
      return new CreateVolumeGroupSnapshotValue(name, sourceVolumeIds, secrets, parameters);
    }

    private record CreateVolumeGroupSnapshotValue(
        String name,
        List<VolumeId> sourceVolumeIds,
        Secrets secrets,
        Map<String, String> parameters)
        implements CreateVolumeGroupSnapshotRequest {
      @Override
      public String toString() {
        return RecordText.of(this);
      }
    }
  }
}
