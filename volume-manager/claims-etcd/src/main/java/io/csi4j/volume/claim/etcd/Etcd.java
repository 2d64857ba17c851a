package io.csi4j.volume.claim.etcd;

import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.claim.spi.ClaimVersion;
import io.csi4j.volume.claim.spi.StoreIdentity;
import io.csi4j.volume.claim.spi.Versioned;
import io.csi4j.volume.claim.spi.WriteToken;
import io.csi4j.volume.model.VolumeKey;
import java.util.Optional;

/**
 * The questions of the store to etcd. Every answer is linearizable and comes within the deadline,
 * or an {@link EtcdFailure} does. A call that may have been done is never tried again.
 */
interface Etcd extends AutoCloseable {

  /** Only the mark of the store. */
  EtcdAnswer look();

  /** The claim of a volume. */
  EtcdAnswer read(VolumeKey volume);

  /** Claims in the order of their volumes: those behind one, and no more than this. */
  EtcdAnswer scan(Optional<VolumeKey> after, int limit);

  /** Makes the mark of the store, if it has none. */
  EtcdAnswer mark(StoreIdentity mark);

  /**
   * Writes a claim if its version is the expected one and the mark of the store is this one. If
   * not, the answer has the claim that is there.
   */
  EtcdAnswer write(StoreIdentity mark, ClaimVersion expected, Claim next, WriteToken token);

  /** Whether equal claims have equal bytes in it; when they are sealed they have not. */
  default boolean comparesBytes() {
    return true;
  }

  /**
   * Writes a claim if the claim that is there is byte for byte the one that was seen, in that
   * version, and the mark of the store is this one. If not, the answer has the claim that is there.
   */
  EtcdAnswer replace(StoreIdentity mark, Versioned seen, Claim next, WriteToken token);

  /** Tells what is written from a revision on, until it is closed or tells that it has ended. */
  Following follow(long from, WriteFollower follower);

  @Override
  void close();

  /** Being told what is written. */
  interface Following extends AutoCloseable {
    @Override
    void close();
  }
}
