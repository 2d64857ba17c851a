package io.csi4j.volume.internal.text;

import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.VolumeUse;

/**
 * The id of an inline volume, which its host makes: the same for one use each time, and another for
 * each use. What a record or a directory says of a volume with such an id holds without a look at
 * the request: it was published without having been created or staged.
 */
public final class InlineName {

  private static final String PREFIX = "inline-csi4j-";

  private InlineName() {}

  /** The id for a use. */
  public static String of(PluginId plugin, VolumeUse usage) {
    return PREFIX
        + HashedName.of(
            "inline",
            plugin.value(),
            usage.volume().namespace().value(),
            usage.volume().id(),
            usage.workload().value());
  }

  /** Whether this is such an id. */
  public static boolean isName(String id) {
    return id.startsWith(PREFIX) && HashedName.isName(id.substring(PREFIX.length()));
  }
}
