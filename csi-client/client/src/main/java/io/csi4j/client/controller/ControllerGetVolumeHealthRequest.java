package io.csi4j.client.controller;

import io.csi4j.client.internal.redaction.RecordText;
import io.csi4j.client.model.Experimental;
import io.csi4j.client.model.Secrets;
import io.csi4j.client.model.VolumeId;

/**
 * Asks for all health problems of one volume, on any node.
 *
 * <p>Requests with equal values are equal. The text form of a request contains no secrets.
 *
 * @since 1.0
 */
@Experimental
public sealed interface ControllerGetVolumeHealthRequest {

  /** The volume. */
  VolumeId volumeId();

  /** The secrets that the plugin needs for this call. */
  Secrets secrets();

  /** Returns a builder with the required fields set. */
  static Builder builder(VolumeId volumeId) {
    return new Builder(volumeId);
  }

  /** Collects the parts of a {@link ControllerGetVolumeHealthRequest}. */
  final class Builder {
    private final VolumeId volumeId;
    private Secrets secrets = Secrets.empty();

    private Builder(VolumeId volumeId) {
      this.volumeId = volumeId;
    }

    /** The secrets that the plugin needs for this call. */
    public Builder secrets(Secrets value) {
      secrets = value;
      return this;
    }

    /** Builds the request. */
    public ControllerGetVolumeHealthRequest build() {
      return new ControllerGetVolumeHealthValue(volumeId, secrets);
    }

    private record ControllerGetVolumeHealthValue(VolumeId volumeId, Secrets secrets)
        implements ControllerGetVolumeHealthRequest {
      @Override
      public String toString() {
        return RecordText.of(this);
      }
    }
  }
}
