package io.csi4j.volume.controller;

import io.csi4j.volume.catalog.ClusterIdentity;
import io.csi4j.volume.internal.catalog.ClusterNames;
import io.csi4j.volume.internal.text.Subject;
import io.csi4j.volume.store.RecordStore;
import java.util.Optional;

/**
 * Setup of a cluster by a person: gives it an identity once, and accepts its store after a restore.
 * No other code of csi4j does this.
 *
 * <pre>{@code
 * ClusterIdentity blue = new ClusterSetup(store).create(); // once, by a person
 *
 * VolumeController controller =
 *     VolumeController.builder(plugins, store) // at each start
 *         .cluster(blue) // from the configuration: no other catalog is opened
 *         .open();
 * }</pre>
 *
 * <p>Methods block while the store is accessed, and fail with {@link ControllerException}.
 * Thread-safe.
 *
 * @since 1.0
 */
public final class ClusterSetup {

  private final CatalogCluster cluster;

  /**
   * Sets up the cluster whose catalog is in this store.
   *
   * @param store the store; it is not closed
   */
  public ClusterSetup(RecordStore store) {
    cluster = new CatalogCluster(store);
  }

  /** Returns the identity of the cluster; empty if it has none. */
  public Optional<ClusterIdentity> identity() {
    return cluster.identity(Subject.of("reading the identity of the cluster"));
  }

  /**
   * Gives an identity to a new cluster, or to a cluster that has recorded volumes but no identity
   * yet. Recorded volumes keep their names. Control planes that have the catalog open use the
   * identity for the next volume that they create.
   *
   * @return the identity, for the configuration of the control planes
   * @throws ControllerException {@link io.csi4j.volume.model.OperatorCode#CLUSTER_EXISTS} if the
   *     cluster has an identity, {@code CATALOG_WENT_BACK} if the store accepts no writes
   */
  public ClusterIdentity create() {
    return cluster.create(ClusterNames.newIdentity());
  }

  /**
   * Gives the cluster its former identity back, after its store has lost the identity but still has
   * the claims and the catalog. The nodes of the cluster accept no other identity. If the store has
   * lost its claims, create a new identity instead: another node could get a volume that is still
   * mounted under a lost claim.
   *
   * @param former the identity that the cluster had
   * @return the identity
   * @throws ControllerException as from {@link #create()}
   */
  public ClusterIdentity create(ClusterIdentity former) {
    return cluster.create(former);
  }

  /**
   * Returns whether the cluster works with this store; false if its records were restored or moved
   * into the store and no person has accepted that.
   */
  public boolean isAccepted() {
    return cluster.isAccepted();
  }

  /**
   * Accepts this store as the one that the cluster works with, after its records were restored or
   * moved into it. First make sure that no control plane works with the former store: two stores
   * with the same records delete each other's volumes. Does nothing if the cluster already works
   * with this store.
   *
   * @return the identity of the cluster
   * @throws ControllerException {@link io.csi4j.volume.model.OperatorCode#CLUSTER_OTHER} if the
   *     store has no identity, {@code CATALOG_WENT_BACK} if it accepts no writes
   */
  public ClusterIdentity accept() {
    return cluster.accept();
  }
}
