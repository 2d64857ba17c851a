package io.csi4j.client.model;

import java.util.Map;

/**
 * The opaque properties of a volume that its plugin gave at creation and wants back with most
 * calls.
 *
 * <p>Values are treated as sensitive, since credentials have been found in them; only the keys are
 * printed.
 */
public final class VolumeContext extends SensitiveMap {

  private static final VolumeContext EMPTY = new VolumeContext(Map.of());

  private VolumeContext(Map<String, String> entries) {
    super(entries);
  }

  /** A copy of these entries. */
  public static VolumeContext of(Map<String, String> entries) {
    return entries.isEmpty() ? EMPTY : new VolumeContext(entries);
  }

  /** No entries. */
  public static VolumeContext empty() {
    return EMPTY;
  }
}
