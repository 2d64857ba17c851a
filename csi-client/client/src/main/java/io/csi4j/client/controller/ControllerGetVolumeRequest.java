package io.csi4j.client.controller;

import io.csi4j.client.internal.redaction.RecordText;
import io.csi4j.client.model.Experimental;
import io.csi4j.client.model.VolumeId;

/**
 * Asks for the current state of one volume.
 *
 * <p>Requests with equal values are equal. The text form of a request contains no secrets.
 *
 * @since 1.0
 */
@Experimental
public sealed interface ControllerGetVolumeRequest {

  /** The volume. */
  VolumeId volumeId();

  /** Returns a builder with the required fields set. */
  static Builder builder(VolumeId volumeId) {
    return new Builder(volumeId);
  }

  /** Collects the parts of a {@link ControllerGetVolumeRequest}. */
  final class Builder {
    private final VolumeId volumeId;

    private Builder(VolumeId volumeId) {
      this.volumeId = volumeId;
    }

    /** Builds the request. */
    public ControllerGetVolumeRequest build() {
      return new ControllerGetVolumeValue(volumeId);
    }

    private record ControllerGetVolumeValue(VolumeId volumeId)
        implements ControllerGetVolumeRequest {
      @Override
      public String toString() {
        return RecordText.of(this);
      }
    }
  }
}
