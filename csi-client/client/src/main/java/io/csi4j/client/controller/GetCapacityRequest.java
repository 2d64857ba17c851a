package io.csi4j.client.controller;

import io.csi4j.client.internal.redaction.RecordText;
import io.csi4j.client.model.Topology;
import io.csi4j.client.model.VolumeCapability;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Asks for the capacity that is available for new volumes. Set the same values that the
 * CreateVolume request will use.
 *
 * <p>Requests with equal values are equal. The text form of a request contains no secrets.
 *
 * @since 1.0
 */
public sealed interface GetCapacityRequest {

  /** All uses that the volume must support. */
  List<VolumeCapability> capabilities();

  /** Opaque parameters for the plugin. */
  Map<String, String> parameters();

  /** The place from which the volumes must be accessible, if set. */
  Optional<Topology> accessibleTopology();

  /** Returns a builder with the required fields set. */
  static Builder builder() {
    return new Builder();
  }

  /** Collects the parts of a {@link GetCapacityRequest}. */
  final class Builder {
    private List<VolumeCapability> capabilities = List.of();
    private Map<String, String> parameters = Map.of();
    private @Nullable Topology accessibleTopology;

    private Builder() {}

    /** All uses that the volume must support. */
    public Builder capabilities(List<VolumeCapability> value) {
      capabilities = List.copyOf(value);
      return this;
    }

    /** Opaque parameters for the plugin. */
    public Builder parameters(Map<String, String> value) {
      parameters = Map.copyOf(value);
      return this;
    }

    /**
     * The place from which the volumes must be accessible; needs VOLUME_ACCESSIBILITY_CONSTRAINTS.
     */
    public Builder accessibleTopology(Topology value) {
      accessibleTopology = value;
      return this;
    }

    /** Builds the request. */
    public GetCapacityRequest build() {
      return new GetCapacityValue(
          capabilities, parameters, Optional.ofNullable(accessibleTopology));
    }

    private record GetCapacityValue(
        List<VolumeCapability> capabilities,
        Map<String, String> parameters,
        Optional<Topology> accessibleTopology)
        implements GetCapacityRequest {
      @Override
      public String toString() {
        return RecordText.of(this);
      }
    }
  }
}
