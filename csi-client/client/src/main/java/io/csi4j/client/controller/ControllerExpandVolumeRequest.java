package io.csi4j.client.controller;

import io.csi4j.client.internal.redaction.RecordText;
import io.csi4j.client.model.CapacityRange;
import io.csi4j.client.model.Secrets;
import io.csi4j.client.model.VolumeCapability;
import io.csi4j.client.model.VolumeId;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Asks to grow a volume on the storage side. Succeeds without a change if the volume is already
 * large enough.
 *
 * <p>Requests with equal values are equal. The text form of a request contains no secrets.
 *
 * @since 1.0
 */
public sealed interface ControllerExpandVolumeRequest {

  /** The volume. */
  VolumeId volumeId();

  /** The required size of the volume. */
  CapacityRange capacityRange();

  /** The secrets that the plugin needs for this call. */
  Secrets secrets();

  /** The use of the volume, if set. */
  Optional<VolumeCapability> capability();

  /** Returns a builder with the required fields set. */
  static Builder builder(VolumeId volumeId, CapacityRange capacityRange) {
    return new Builder(volumeId, capacityRange);
  }

  /** Collects the parts of a {@link ControllerExpandVolumeRequest}. */
  final class Builder {
    private final VolumeId volumeId;
    private final CapacityRange capacityRange;
    private Secrets secrets = Secrets.empty();
    private @Nullable VolumeCapability capability;

    private Builder(VolumeId volumeId, CapacityRange capacityRange) {
      this.volumeId = volumeId;
      this.capacityRange = capacityRange;
    }

    /** The secrets that the plugin needs for this call. */
    public Builder secrets(Secrets value) {
      secrets = value;
      return this;
    }

    /** The use of the volume. */
    public Builder capability(VolumeCapability value) {
      capability = value;
      return this;
    }

    /** Builds the request. */
    public ControllerExpandVolumeRequest build() {
      return new ControllerExpandVolumeValue(
          volumeId, capacityRange, secrets, Optional.ofNullable(capability));
    }

    private record ControllerExpandVolumeValue(
        VolumeId volumeId,
        CapacityRange capacityRange,
        Secrets secrets,
        Optional<VolumeCapability> capability)
        implements ControllerExpandVolumeRequest {
      @Override
      public String toString() {
        return RecordText.of(this);
      }
    }
  }
}
