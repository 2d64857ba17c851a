package io.csi4j.volume.model;

import io.csi4j.client.model.VolumeId;

/**
 * A volume as what it is: the same handle of the same plugin is the same volume, under any name of
 * the host.
 *
 * @param plugin the plugin
 * @param handle the volume as the plugin names it
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
