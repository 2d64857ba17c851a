package io.csi4j.volume.claim.etcd;

import io.csi4j.volume.claim.spi.ClaimWatch.Change;
import java.util.List;

/** Is told of writes: one call after the other, in the order of revisions. */
interface WriteFollower {

  /**
   * Something was written.
   *
   * @param revision the last that is told of by this
   */
  void told(long revision, List<Change> changes);

  /**
   * Nothing more comes.
   *
   * @param isCompacted whether what was asked for has been thrown away by etcd
   */
  void ended(boolean isCompacted);
}
