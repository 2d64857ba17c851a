package io.csi4j.client.model;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The opaque properties of a volume that its plugin gave at creation and wants back with most
 * calls.
 *
 * <p>Values are treated as sensitive, since credentials have been found in them; only the keys are
 * printed.
 *
 * @since 1.0
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

  /**
   * Returns a context with these entries beside its own.
   *
   * @throws IllegalArgumentException if it has one of the keys already
   */
  public VolumeContext with(Map<String, String> more) {
    Map<String, String> all = new LinkedHashMap<>(reveal());
    more.forEach(
        (key, value) -> {
          if (all.putIfAbsent(key, value) != null) {
            throw new IllegalArgumentException(
                "The context has the key '" + key + "' already. Leave one of the two out.");
          }
        });
    return of(all);
  }

  /** No entries. */
  public static VolumeContext empty() {
    return EMPTY;
  }
}
