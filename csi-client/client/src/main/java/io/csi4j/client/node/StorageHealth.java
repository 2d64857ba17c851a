package io.csi4j.client.node;

import io.csi4j.client.model.Experimental;
import io.csi4j.client.model.StorageHealthEntry;
import java.util.List;

/**
 * Everything that a plugin says is wrong with its storage, as seen from a node.
 *
 * @since 1.0
 */
@Experimental
public interface StorageHealth {

  /** Each fault once, in the plugin's order; several may hold at the same time. */
  List<StorageHealthEntry> entries();

  /** Whether the plugin says that nothing is wrong. */
  default boolean isWell() {
    return entries().isEmpty();
  }
}
