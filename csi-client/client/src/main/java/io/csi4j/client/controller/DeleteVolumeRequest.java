package io.csi4j.client.controller;

import io.csi4j.client.internal.redaction.RecordText;
import io.csi4j.client.model.Secrets;
import io.csi4j.client.model.VolumeId;

/**
 * Asks to delete a volume. Succeeds if it is already gone.
 *
 * <p>Requests with equal values are equal. The text form of a request contains no secrets.
 *
 * @since 1.0
 */
public sealed interface DeleteVolumeRequest {

  /** The volume. */
  VolumeId volumeId();

  /** The secrets that the plugin needs for this call. */
  Secrets secrets();

  /** Returns a builder with the required fields set. */
  static Builder builder(VolumeId volumeId) {
    return new Builder(volumeId);
  }

  /** Collects the parts of a {@link DeleteVolumeRequest}. */
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
    public DeleteVolumeRequest build() {
      return new DeleteVolumeValue(volumeId, secrets);
    }

    private record DeleteVolumeValue(VolumeId volumeId, Secrets secrets)
        implements DeleteVolumeRequest {
      @Override
      public String toString() {
        return RecordText.of(this);
      }
    }
  }
}
