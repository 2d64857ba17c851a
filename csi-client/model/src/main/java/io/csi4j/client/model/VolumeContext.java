package io.csi4j.client.model;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The opaque properties of a volume. The plugin returned them when it created the volume, and most
 * later calls need them.
 *
 * <p>Values are treated as sensitive, because some plugins put credentials there; only the keys are
 * printed.
 *
 * @since 1.0
 */
public final class VolumeContext extends SensitiveMap {

  private static final VolumeContext EMPTY = new VolumeContext(Map.of());

  private VolumeContext(Map<String, String> entries) {
    super(entries);
  }

  /** Returns a copy of these entries. */
  public static VolumeContext of(Map<String, String> entries) {
    return entries.isEmpty() ? EMPTY : new VolumeContext(entries);
  }

  /**
   * Returns a context with these entries added.
   *
   * @throws IllegalArgumentException if one of the keys is already present
   */
  public VolumeContext with(Map<String, String> more) {
    Map<String, String> all = new LinkedHashMap<>(reveal());
    more.forEach(
        (key, value) -> {
          if (all.putIfAbsent(key, value) != null) {
            throw new IllegalArgumentException(
                "The context has the key '" + key + "' already. Remove one of the two entries.");
          }
        });
    return of(all);
  }

  /** Returns a context without entries. */
  public static VolumeContext empty() {
    return EMPTY;
  }
}
