package io.csi4j.volume.controller;

import io.csi4j.volume.catalog.ClusterIdentity;
import io.csi4j.volume.internal.catalog.ClusterNames;
import io.csi4j.volume.internal.text.Subject;
import io.csi4j.volume.store.RecordStore;
import java.util.Optional;

/**
 * The setup of a cluster by a person: gives it an identity once, and accepts its store after a
 * restore. No other code of csi4j does either.
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
 * <p>Methods block while the store is asked, and fail with {@link ControllerException}. Safe for
 * many threads.
 *
 * @since 1.0
 */
public final class ClusterSetup {

  private final CatalogCluster cluster;

  /**
   * The cluster whose catalog is in this store.
   *
   * @param store the store, which stays open
   */
  public ClusterSetup(RecordStore store) {
    cluster = new CatalogCluster(store);
  }

  /** Returns the identity of the cluster; nothing if it was given none. */
  public Optional<ClusterIdentity> identity() {
    return cluster.identity(Subject.of("reading the identity of the cluster"));
  }

  /**
   * Gives the cluster an identity: one that is new, or one that has volumes on record and no
   * identity yet. Volumes that are on record keep their names. Control planes that have the catalog
   * open use the identity for the next volume that they create.
   *
   * @return the identity, for the configuration of the control planes
   * @throws ControllerException {@link io.csi4j.volume.model.OperatorCode#CLUSTER_EXISTS} if the
   *     cluster has an identity, {@code CATALOG_WENT_BACK} if the store accepts no writes
   */
  public ClusterIdentity create() {
    return cluster.create(ClusterNames.newIdentity());
  }

  /**
   * Gives the cluster its former identity back, after its store has lost that and still has the
   * claims and the catalog. Its nodes work with no other. A store that has lost its claims needs a
   * new identity: another node could get a volume that is mounted under a claim that is lost.
   *
   * @param former the identity that the cluster had
   * @return the identity
   * @throws ControllerException as from {@link #create()}
   */
  public ClusterIdentity create(ClusterIdentity former) {
    return cluster.create(former);
  }

  /**
   * Returns whether the cluster works with this store: not if its records were restored or moved
   * into it and nobody has accepted that.
   */
  public boolean isAccepted() {
    return cluster.isAccepted();
  }

  /**
   * Accepts this store as the one that the cluster works with, after its records were restored or
   * moved into it. Make sure before that no control plane works with the former store: two that
   * work with the same records delete each other's volumes. Does nothing if the cluster works with
   * this store already.
   *
   * @return the identity of the cluster
   * @throws ControllerException {@link io.csi4j.volume.model.OperatorCode#CLUSTER_OTHER} if the
   *     store has no identity, {@code CATALOG_WENT_BACK} if it accepts no writes
   */
  public ClusterIdentity accept() {
    return cluster.accept();
  }
}
