package io.csi4j.client.controller;

import io.csi4j.client.internal.redaction.RecordText;
import io.csi4j.client.model.Experimental;
import io.csi4j.client.model.Secrets;
import io.csi4j.client.model.TopologyRequirement;
import io.csi4j.client.model.VolumeId;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Asks to create a snapshot. A repetition of the same request returns whether the snapshot is
 * ready.
 *
 * <p>Requests with equal values are equal. The text form of a request contains no secrets.
 *
 * @since 1.0
 */
public sealed interface CreateSnapshotRequest {

  /** The volume to take the snapshot of. */
  VolumeId sourceVolumeId();

  /** The name of the new snapshot, chosen by the caller; not its id. */
  String name();

  /** The secrets that the plugin needs for this call. */
  Secrets secrets();

  /** Opaque parameters for the plugin. */
  Map<String, String> parameters();

  /** The places from which the snapshot must be usable, if set. */
  @Experimental
  Optional<TopologyRequirement> accessibilityRequirements();

  /** Returns a builder with the required fields set. */
  static Builder builder(VolumeId sourceVolumeId, String name) {
    return new Builder(sourceVolumeId, name);
  }

  /** Collects the parts of a {@link CreateSnapshotRequest}. */
  final class Builder {
    private final VolumeId sourceVolumeId;
    private final String name;
    private Secrets secrets = Secrets.empty();
    private Map<String, String> parameters = Map.of();
    private @Nullable TopologyRequirement accessibilityRequirements;

    private Builder(VolumeId sourceVolumeId, String name) {
      this.sourceVolumeId = sourceVolumeId;
      this.name = name;
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

    /**
     * Sets the places from which the snapshot must be usable. Needs the capability
     * SNAPSHOT_ACCESSIBILITY_CONSTRAINTS.
     */
    @Experimental
    public Builder accessibilityRequirements(TopologyRequirement value) {
      accessibilityRequirements = value;
      return this;
    }

    /** Builds the request. */
    public CreateSnapshotRequest build() {
      return new CreateSnapshotValue(
          sourceVolumeId,
          name,
          secrets,
          parameters,
          Optional.ofNullable(accessibilityRequirements));
    }

    private record CreateSnapshotValue(
        VolumeId sourceVolumeId,
        String name,
        Secrets secrets,
        Map<String, String> parameters,
        Optional<TopologyRequirement> accessibilityRequirements)
        implements CreateSnapshotRequest {
      @Override
      public String toString() {
        return RecordText.of(this);
      }
    }
  }
}
