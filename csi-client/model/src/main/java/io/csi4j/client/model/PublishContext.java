package io.csi4j.client.model;

import java.util.Map;

/**
 * The opaque properties that ControllerPublishVolume gave for one volume on one node.
 *
 * <p>Values are treated as sensitive, since credentials have been found in them; only the keys are
 * printed.
 *
 * @since 1.0
 */
public final class PublishContext extends SensitiveMap {

  private static final PublishContext EMPTY = new PublishContext(Map.of());

  private PublishContext(Map<String, String> entries) {
    super(entries);
  }

  /** A copy of these entries. */
  public static PublishContext of(Map<String, String> entries) {
    return entries.isEmpty() ? EMPTY : new PublishContext(entries);
  }

  /** No entries. */
  public static PublishContext empty() {
    return EMPTY;
  }
}
