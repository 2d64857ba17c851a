package io.csi4j.client.controller;

import io.csi4j.client.internal.redaction.RecordText;
import io.csi4j.client.model.Secrets;
import io.csi4j.client.model.VolumeCapability;
import io.csi4j.client.model.VolumeContext;
import io.csi4j.client.model.VolumeId;
import java.util.List;
import java.util.Map;

/**
 * Asks whether an existing volume supports the given uses.
 *
 * <p>Requests with equal values are equal. The text form of a request contains no secrets.
 *
 * @since 1.0
 */
public sealed interface ValidateVolumeCapabilitiesRequest {

  /** The volume. */
  VolumeId volumeId();

  /** All uses that the volume must support. */
  List<VolumeCapability> capabilities();

  /** The context of the volume, as returned by the plugin. */
  VolumeContext volumeContext();

  /** Opaque parameters for the plugin. */
  Map<String, String> parameters();

  /** The secrets that the plugin needs for this call. */
  Secrets secrets();

  /** The parameters of the volume that can be changed later; empty if there are none. */
  Map<String, String> mutableParameters();

  /** Returns a builder with the required fields set. */
  static Builder builder(VolumeId volumeId, List<VolumeCapability> capabilities) {
    return new Builder(volumeId, capabilities);
  }

  /** Collects the parts of a {@link ValidateVolumeCapabilitiesRequest}. */
  final class Builder {
    private final VolumeId volumeId;
    private final List<VolumeCapability> capabilities;
    private VolumeContext volumeContext = VolumeContext.empty();
    private Map<String, String> parameters = Map.of();
    private Secrets secrets = Secrets.empty();
    private Map<String, String> mutableParameters = Map.of();

    private Builder(VolumeId volumeId, List<VolumeCapability> capabilities) {
      this.volumeId = volumeId;
      this.capabilities = List.copyOf(capabilities);
    }

    /** The context of the volume, as returned by the plugin. */
    public Builder volumeContext(VolumeContext value) {
      volumeContext = value;
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

    /** The parameters that can be changed later; needs the capability MODIFY_VOLUME. */
    public Builder mutableParameters(Map<String, String> value) {
      mutableParameters = Map.copyOf(value);
      return this;
    }

    /** Builds the request. */
    public ValidateVolumeCapabilitiesRequest build() {
      return new ValidateVolumeCapabilitiesValue(
          volumeId, capabilities, volumeContext, parameters, secrets, mutableParameters);
    }

    private record ValidateVolumeCapabilitiesValue(
        VolumeId volumeId,
        List<VolumeCapability> capabilities,
        VolumeContext volumeContext,
        Map<String, String> parameters,
        Secrets secrets,
        Map<String, String> mutableParameters)
        implements ValidateVolumeCapabilitiesRequest {
      @Override
      public String toString() {
        return RecordText.of(this);
      }
    }
  }
}
