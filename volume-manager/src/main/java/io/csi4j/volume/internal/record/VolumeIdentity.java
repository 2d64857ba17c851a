package io.csi4j.volume.internal.record;

import io.csi4j.client.VolumeId;
import io.csi4j.volume.PluginId;
import java.util.Comparator;

/**
 * A volume as what it is: the same handle of the same plugin is the same volume, whatever a host
 * calls it.
 *
 * @param plugin the plugin
 * @param handle the volume as the plugin names it
 */
public record VolumeIdentity(PluginId plugin, VolumeId handle)
    implements Comparable<VolumeIdentity> {

  private static final Comparator<VolumeIdentity> ORDER =
      Comparator.comparing(VolumeIdentity::plugin)
          .thenComparing(identity -> identity.handle().value());

  @Override
  public int compareTo(VolumeIdentity other) {
    return ORDER.compare(this, other);
  }

  @Override
  public String toString() {
    return "volume '" + handle + "' of plugin '" + plugin + "'";
  }
}
