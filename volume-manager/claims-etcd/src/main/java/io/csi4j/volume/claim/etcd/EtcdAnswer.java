package io.csi4j.volume.claim.etcd;

import io.csi4j.volume.claim.spi.StoreIdentity;
import io.csi4j.volume.claim.spi.Versioned;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * What etcd answered.
 *
 * @param isDone whether what was to be written under a condition is written
 * @param revision how often anything was written to the whole etcd; only ever grows
 * @param cluster the id of the etcd
 * @param mark the mark of the store, if it has one
 * @param claims the claims that were asked for, of those that were ever written
 */
record EtcdAnswer(
    boolean isDone,
    long revision,
    long cluster,
    Optional<StoreIdentity> mark,
    List<Versioned> claims) {

  EtcdAnswer {
    Objects.requireNonNull(mark, "mark");
    claims = List.copyOf(claims);
  }

  /** Which store answered. */
  StoreIdentity identity() {
    return new StoreIdentity(
        "etcd-"
            + Long.toHexString(cluster)
            + mark.map(text -> "-" + text).orElse(", without the mark of a store"));
  }
}
