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
 * @param instances those that were registered, the newest first; at least one
 * @param unknown what a newer version wrote
 */
public record PluginRecord(PluginId id, List<Instance> instances, UnknownFields unknown) {

  /** Copies the list. */
  public PluginRecord {
    instances = List.copyOf(instances);
  }

  /**
   * One instance.
   *
   * @param registration where it was, and how it was treated; of the options to connect those that
   *     say who may listen there
   * @param fingerprint what it said of itself last, as far as this version knows it
   */
  public record Instance(
      PluginRegistration registration, Optional<PluginFingerprint> fingerprint) {}
}
