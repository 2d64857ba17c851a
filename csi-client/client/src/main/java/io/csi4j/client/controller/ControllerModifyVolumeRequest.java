package io.csi4j.client.controller;

import io.csi4j.client.internal.redaction.RecordText;
import io.csi4j.client.model.Secrets;
import io.csi4j.client.model.VolumeId;
import java.util.Map;

/**
 * Asks to change mutable parameters of a volume. Parameters that are left out keep their values.
 *
 * <p>Requests with equal values are equal. The text form of a request contains no secrets.
 *
 * @since 1.0
 */
public sealed interface ControllerModifyVolumeRequest {

  /** The volume. */
  VolumeId volumeId();

  /** The parameters to change, with their new values. */
  Map<String, String> mutableParameters();

  /** The secrets that the plugin needs for this call. */
  Secrets secrets();

  /** Returns a builder with the required fields set. */
  static Builder builder(VolumeId volumeId, Map<String, String> mutableParameters) {
    return new Builder(volumeId, mutableParameters);
  }

  /** Collects the parts of a {@link ControllerModifyVolumeRequest}. */
  final class Builder {
    private final VolumeId volumeId;
    private final Map<String, String> mutableParameters;
    private Secrets secrets = Secrets.empty();

    private Builder(VolumeId volumeId, Map<String, String> mutableParameters) {
      this.volumeId = volumeId;
      this.mutableParameters = Map.copyOf(mutableParameters);
    }

    /** The secrets that the plugin needs for this call. */
    public Builder secrets(Secrets value) {
      secrets = value;
      return this;
    }

    /** Builds the request. */
    public ControllerModifyVolumeRequest build() {
      return new ControllerModifyVolumeValue(volumeId, mutableParameters, secrets);
    }

    private record ControllerModifyVolumeValue(
        VolumeId volumeId, Map<String, String> mutableParameters, Secrets secrets)
        implements ControllerModifyVolumeRequest {
      @Override
      public String toString() {
        return RecordText.of(this);
      }
    }
  }
}
