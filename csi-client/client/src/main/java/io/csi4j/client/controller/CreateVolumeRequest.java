package io.csi4j.client.controller;

import io.csi4j.client.internal.redaction.RecordText;
import io.csi4j.client.model.CapacityRange;
import io.csi4j.client.model.Experimental;
import io.csi4j.client.model.Secrets;
import io.csi4j.client.model.Topology;
import io.csi4j.client.model.TopologyRequirement;
import io.csi4j.client.model.VolumeCapability;
import io.csi4j.client.model.VolumeContentSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Asks to create a volume. A repetition of the request with the same name returns the same volume.
 *
 * <p>Requests with equal values are equal. The text form of a request contains no secrets.
 *
 * @since 1.0
 */
public sealed interface CreateVolumeRequest {

  /** The name of the new volume, chosen by the caller; not its id. */
  String name();

  /** All uses that the volume must support. */
  List<VolumeCapability> capabilities();

  /** The required size of the volume, if set. */
  Optional<CapacityRange> capacityRange();

  /** Opaque parameters for the plugin. */
  Map<String, String> parameters();

  /** The secrets that the plugin needs for this call. */
  Secrets secrets();

  /** Returns the source that the new volume is a copy of, if set. */
  Optional<VolumeContentSource> contentSource();

  /** The places from which the volume must be accessible, if set. */
  Optional<TopologyRequirement> accessibilityRequirements();

  /** The parameters of the volume that can be changed later; empty if there are none. */
  Map<String, String> mutableParameters();

  /** Returns a builder with the required fields set. */
  static Builder builder(String name, List<VolumeCapability> capabilities) {
    return new Builder(name, capabilities);
  }

  /** Collects the parts of a {@link CreateVolumeRequest}. */
  final class Builder {
    private final String name;
    private final List<VolumeCapability> capabilities;
    private @Nullable CapacityRange capacityRange;
    private Map<String, String> parameters = Map.of();
    private Secrets secrets = Secrets.empty();
    private @Nullable VolumeContentSource contentSource;
    private @Nullable Snapshot snapshot;
    private @Nullable TopologyRequirement accessibilityRequirements;
    private Map<String, String> mutableParameters = Map.of();

    private Builder(String name, List<VolumeCapability> capabilities) {
      this.name = name;
      this.capabilities = List.copyOf(capabilities);
    }

    /** The required size of the volume. */
    public Builder capacityRange(CapacityRange value) {
      capacityRange = value;
      return this;
    }

    /** Opaque parameters for the plugin. */
    public Builder parameters(Map<String, String> value) {
      parameters = Map.copyOf(value);
      return this;
    }

    /** The secrets that the plugin needs for this call. */
    public Builder secrets(Secrets value) {
      secrets = value;
      return this;
    }

    /** Sets the source that the new volume is a copy of; a volume has at most one source. */
    public Builder contentSource(VolumeContentSource value) {
      contentSource = value;
      return this;
    }

    /**
     * Sets the snapshot that the new volume is a copy of. If the snapshot is usable only from some
     * places, the accessibility requirements are narrowed to these places. Without accessibility
     * requirements, the plugin chooses the place of the volume.
     */
    @Experimental
    public Builder fromSnapshot(Snapshot value) {
      snapshot = value;
      return this;
    }

    /**
     * The places from which the volume must be accessible; needs VOLUME_ACCESSIBILITY_CONSTRAINTS.
     */
    public Builder accessibilityRequirements(TopologyRequirement value) {
      accessibilityRequirements = value;
      return this;
    }

    /** The parameters that can be changed later; needs the capability MODIFY_VOLUME. */
    public Builder mutableParameters(Map<String, String> value) {
      mutableParameters = Map.copyOf(value);
      return this;
    }

    /**
     * Builds the request.
     *
     * @throws IllegalArgumentException if a snapshot and another source are set, or if the volume
     *     must be accessible from places where its snapshot is not usable
     */
    public CreateVolumeRequest build() {
      return new CreateVolumeValue(
          name,
          capabilities,
          Optional.ofNullable(capacityRange),
          parameters,
          secrets,
          source(),
          Optional.ofNullable(accessibilityRequirements).map(this::narrowed),
          mutableParameters);
    }

    private Optional<VolumeContentSource> source() {
      if (snapshot == null) {
        return Optional.ofNullable(contentSource);
      }
      VolumeContentSource copied = VolumeContentSource.of(snapshot.id());
      if (contentSource != null && !contentSource.equals(copied)) {
        throw new IllegalArgumentException(
            "The volume cannot be created from both "
                + contentSource
                + " and "
                + copied
                + ". Set one of them.");
      }
      return Optional.of(copied);
    }

    private TopologyRequirement narrowed(TopologyRequirement asked) {
      List<Topology> placesOfSource = snapshot == null ? List.of() : snapshot.accessibleTopology();
      return asked
          .within(placesOfSource)
          .orElseThrow(
              () ->
                  new IllegalArgumentException(
                      "The volume cannot be created from "
                          + source().orElseThrow()
                          + ": the snapshot is accessible from "
                          + placesOfSource
                          + ", but the volume must be accessible from "
                          + asked.requisite()
                          + ". Request a place of the snapshot, or use another source."));
    }

    private record CreateVolumeValue(
        String name,
        List<VolumeCapability> capabilities,
        Optional<CapacityRange> capacityRange,
        Map<String, String> parameters,
        Secrets secrets,
        Optional<VolumeContentSource> contentSource,
        Optional<TopologyRequirement> accessibilityRequirements,
        Map<String, String> mutableParameters)
        implements CreateVolumeRequest {
      @Override
      public String toString() {
        return RecordText.of(this);
      }
    }
  }
}
