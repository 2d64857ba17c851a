package io.csi4j.volume.internal.engine;

import io.csi4j.volume.internal.port.NodePlugin;
import io.csi4j.volume.internal.time.Mailbox;
import io.csi4j.volume.model.VolumeIdentity;

/**
 * The parts that all share which work on one volume. Used in its mailbox only.
 *
 * @param identity the volume
 * @param ports what the engine works with
 * @param engine the engine
 * @param mailbox where everything about the volume is done
 * @param memory the memory of the volume
 * @param requests the calls to its plugin
 * @param report tells callers and listeners
 */
record VolumeParts(
    VolumeIdentity identity,
    EngineParts ports,
    VolumeEngine engine,
    Mailbox mailbox,
    VolumeMemory memory,
    PluginCalls requests,
    VolumeReport report) {

  /** The plugin of the volume, or what stands for one that is not there. */
  NodePlugin plugin() {
    return ports
        .plugins()
        .find(identity.plugin())
        .orElseGet(() -> new AbsentPlugin(ports.plugins().known()));
  }
}
