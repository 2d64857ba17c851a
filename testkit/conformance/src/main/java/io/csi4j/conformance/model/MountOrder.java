package io.csi4j.conformance.model;

import io.csi4j.client.model.VolumeCapability;
import io.csi4j.client.model.VolumeContext;
import io.csi4j.client.model.VolumeId;

/**
 * An order to an orchestrator: make a volume usable for a workload on its node.
 *
 * @param volume the volume; it exists, and was registered and validated before
 * @param workload for whom
 * @param capability how it is used, to be handed on as it is
 * @param readonly whether this workload may only read it
 * @param context the volume's own context, to be handed on as it is
 * @since 1.0
 */
public record MountOrder(
    VolumeId volume,
    ScenarioWorkload workload,
    VolumeCapability capability,
    boolean readonly,
    VolumeContext context) {

  /** Returns the order for another workload. */
  public MountOrder forWorkload(ScenarioWorkload other) {
    return new MountOrder(volume, other, capability, readonly, context);
  }

  /** Returns the order for reading only. */
  public MountOrder forReading() {
    return new MountOrder(volume, workload, capability, true, context);
  }

  /** Returns the order for another way of use. */
  public MountOrder as(VolumeCapability other) {
    return new MountOrder(volume, workload, other, readonly, context);
  }
}
