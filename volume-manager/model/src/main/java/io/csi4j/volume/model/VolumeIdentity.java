package io.csi4j.volume.model;

import io.csi4j.client.model.VolumeId;

/**
 * The identity of a volume. The same handle of the same plugin is the same volume, whichever key
 * the host uses for it.
 *
 * @param plugin the plugin
 * @param handle the plugin's id of the volume
 * @since 1.0
 */
public record VolumeIdentity(PluginId plugin, VolumeId handle)
    implements Comparable<VolumeIdentity> {

  @Override
  public int compareTo(VolumeIdentity other) {
    int byPlugin = plugin.compareTo(other.plugin);
    return byPlugin != 0 ? byPlugin : handle.value().compareTo(other.handle.value());
  }

  @Override
  public String toString() {
    return "volume '" + handle + "' of plugin '" + plugin + "'";
  }
}
