package io.csi4j.volume.internal.engine;

import io.csi4j.volume.internal.port.NodePlugin;
import io.csi4j.volume.internal.time.Mailbox;
import io.csi4j.volume.model.VolumeIdentity;

/**
 * What everything shares that works on one volume. Used in its mailbox only.
 *
 * @param identity which volume
 * @param engine the parts of the engine
 * @param engineering what the engine does for its volumes
 * @param mailbox where everything about the volume is done
 * @param memory what is known of it
 * @param requests what is asked of its plugin
 * @param voice tells callers and listeners
 */
record VolumeParts(
    VolumeIdentity identity,
    EngineParts engine,
    Engineering engineering,
    Mailbox mailbox,
    Memory memory,
    Requests requests,
    Voice voice) {

  /** The plugin of the volume, or what stands for one that is not there. */
  NodePlugin plugin() {
    return engine
        .plugins()
        .find(identity.plugin())
        .orElseGet(() -> new AbsentPlugin(engine.plugins().known()));
  }
}
