package io.csi4j.conformance.model;

import io.csi4j.client.model.VolumeCapability;
import io.csi4j.client.model.VolumeContext;
import io.csi4j.client.model.VolumeId;

/**
 * A request to an orchestrator to make a volume usable for a workload on its node.
 *
 * @param volume the volume, which exists and is already registered and validated
 * @param workload the workload
 * @param capability the use of the volume, which the orchestrator must pass on unchanged
 * @param readonly whether this workload may only read the volume
 * @param context the volume's own context, which the orchestrator must pass on unchanged
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

  /** Returns the order with read-only access. */
  public MountOrder forReading() {
    return new MountOrder(volume, workload, capability, true, context);
  }

  /** Returns the order with another capability. */
  public MountOrder as(VolumeCapability other) {
    return new MountOrder(volume, workload, other, readonly, context);
  }
}
