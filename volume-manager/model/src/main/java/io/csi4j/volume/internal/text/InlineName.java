package io.csi4j.volume.internal.text;

import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.VolumeUse;

/**
 * The generated id of an inline volume, which is published without being created or staged. Each
 * use has a different id, which never changes. The form of the id alone shows that a record or
 * directory belongs to an inline volume.
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

  /** Whether the text is the id of an inline volume. */
  public static boolean isName(String id) {
    return id.startsWith(PREFIX) && HashedName.isName(id.substring(PREFIX.length()));
  }
}
