package io.csi4j.client.model;

import java.util.Map;

/**
 * The opaque properties that ControllerPublishVolume returned for one volume on one node.
 *
 * <p>Values are treated as sensitive, because some plugins put credentials there; only the keys are
 * printed.
 *
 * @since 1.0
 */
public final class PublishContext extends SensitiveMap {

  private static final PublishContext EMPTY = new PublishContext(Map.of());

  private PublishContext(Map<String, String> entries) {
    super(entries);
  }

  /** Returns a copy of these entries. */
  public static PublishContext of(Map<String, String> entries) {
    return entries.isEmpty() ? EMPTY : new PublishContext(entries);
  }

  /** Returns a context without entries. */
  public static PublishContext empty() {
    return EMPTY;
  }
}
