package io.csi4j.volume.internal.plugin;

import io.csi4j.volume.internal.fields.UnknownFields;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.plugin.PluginFingerprint;
import io.csi4j.volume.plugin.PluginRegistration;
import java.util.List;
import java.util.Optional;

/**
 * The record of one plugin.
 *
 * @param id the plugin
 * @param instances the registered instances, the newest first; at least one
 * @param unknown fields of a newer version
 */
public record PluginRecord(PluginId id, List<Instance> instances, UnknownFields unknown) {

  /** Copies the list. */
  public PluginRecord {
    instances = List.copyOf(instances);
  }

  /**
   * One instance.
   *
   * @param registration its socket and policy, and the connect options that restrict who may listen
   *     on the socket
   * @param fingerprint its last fingerprint, without fields that this version does not know
   */
  public record Instance(
      PluginRegistration registration, Optional<PluginFingerprint> fingerprint) {}
}
