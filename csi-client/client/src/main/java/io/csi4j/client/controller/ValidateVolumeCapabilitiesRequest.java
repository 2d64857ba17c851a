package io.csi4j.client.controller;

import io.csi4j.client.internal.redaction.RecordText;
import io.csi4j.client.model.Secrets;
import io.csi4j.client.model.VolumeCapability;
import io.csi4j.client.model.VolumeContext;
import io.csi4j.client.model.VolumeId;
import java.util.List;
import java.util.Map;

/**
 * Asks whether an existing volume can be used in the given ways.
 *
 * <p>Compares by value; its text form is free of secrets.
 *
 * @since 1.0
 */
public sealed interface ValidateVolumeCapabilitiesRequest {

  /** The volume. */
  VolumeId volumeId();

  /** Every way in which the volume may be used. */
  List<VolumeCapability> capabilities();

  /** The volume's own context, as its plugin gave it. */
  VolumeContext volumeContext();

  /** Opaque parameters for the plugin. */
  Map<String, String> parameters();

  /** The secrets that the plugin needs for this. */
  Secrets secrets();

  /** Parameters that may change later; empty for none. */
  Map<String, String> mutableParameters();

  /** Begins a request with what it cannot do without. */
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

    /** The volume's own context, as its plugin gave it. */
    public Builder volumeContext(VolumeContext value) {
      volumeContext = value;
      return this;
    }

    /** Opaque parameters for the plugin. */
    public Builder parameters(Map<String, String> value) {
      parameters = Map.copyOf(value);
      return this;
    }

    /** The secrets that the plugin needs for this. */
    public Builder secrets(Secrets value) {
      secrets = value;
      return this;
    }

    /** Parameters that may change later; needs the capability MODIFY_VOLUME. */
    public Builder mutableParameters(Map<String, String> value) {
      mutableParameters = Map.copyOf(value);
      return this;
    }

    /** The request. */
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
