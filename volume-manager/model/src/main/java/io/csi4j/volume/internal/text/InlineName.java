package io.csi4j.volume.internal.text;

import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.VolumeUse;

/**
 * The id of an inline volume, which its host generates: always the same for one use, and different
 * for each use. A record or directory with such an id shows, without the request, that the volume
 * was published without being created or staged.
 */
public final class InlineName {

  private static final String PREFIX = "inline-csi4j-";

  private InlineName() {}

  /** Returns the id for a use. */
  public static String of(PluginId plugin, VolumeUse usage) {
    return PREFIX
        + HashedName.of(
            "inline",
            plugin.value(),
            usage.volume().namespace().value(),
            usage.volume().id(),
            usage.workload().value());
  }

  /** Whether the text is such an id. */
  public static boolean isName(String id) {
    return id.startsWith(PREFIX) && HashedName.isName(id.substring(PREFIX.length()));
  }
}
