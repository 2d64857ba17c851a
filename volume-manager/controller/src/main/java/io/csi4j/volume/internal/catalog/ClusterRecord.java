package io.csi4j.volume.internal.catalog;

import io.csi4j.volume.catalog.ClusterIdentity;
import io.csi4j.volume.store.StoreIdentity;
import java.util.Objects;

/**
 * The identity of a cluster as stored.
 *
 * @param identity the identity
 * @param store the store that the cluster works with; a record in another store is a copy
 */
public record ClusterRecord(ClusterIdentity identity, StoreIdentity store) {

  /** Checks that both parts are set. */
  public ClusterRecord {
    Objects.requireNonNull(identity, "identity");
    Objects.requireNonNull(store, "store");
  }
}
