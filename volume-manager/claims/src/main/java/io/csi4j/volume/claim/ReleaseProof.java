package io.csi4j.volume.claim;

import io.csi4j.volume.internal.names.Names;
import io.csi4j.volume.model.NodeName;
import io.csi4j.volume.model.NodeReceipt;
import io.csi4j.volume.model.ReasonText;
import io.csi4j.volume.model.VolumeUse;
import java.util.Objects;

/**
 * The proof that lets a claim go on when it is on its way back: its node cannot write any more.
 * Time is none, nor is a node that does not answer. A proof counts when it was made after the claim
 * had been released, and for the claim of its epoch alone.
 *
 * @since 1.0
 */
public sealed interface ReleaseProof {

  /** The use that is over. */
  VolumeUse usage();

  /** The epoch of its claim. */
  long epoch();

  /**
   * The node itself: it has nothing mounted, and mounts nothing with that epoch any more.
   *
   * @param receipt what it gave
   */
  record ByNode(NodeReceipt receipt) implements ReleaseProof {
    @Override
    public VolumeUse usage() {
      return receipt.usage();
    }

    @Override
    public long epoch() {
      return receipt.epoch();
    }
  }

  /**
   * The storage system will take the volume away from the node, even if it is mounted there. The
   * claim is free only after it has said that it did. For plugins that do so, and do not only note
   * it down; everybody on that node has to be on the way back.
   *
   * @param usage the use that is over
   * @param epoch the epoch of its claim
   */
  record ByStorage(VolumeUse usage, long epoch) implements ReleaseProof {

    /** Checks that it is there. */
    public ByStorage {
      Objects.requireNonNull(usage, "usage");
    }
  }

  /**
   * Something keeps the node from the storage.
   *
   * @param usage the use that is over
   * @param epoch the epoch of its claim
   * @param node the machine
   * @param by what keeps it away, as a clause for people
   */
  record Fenced(VolumeUse usage, long epoch, NodeName node, ReasonText by) implements ReleaseProof {

    /** Checks that all parts are there. */
    public Fenced {
      Objects.requireNonNull(usage, "usage");
      Objects.requireNonNull(node, "node");
      Objects.requireNonNull(by, "by");
    }
  }

  /**
   * The node was off, or is gone for ever, after the claim had been released.
   *
   * @param usage the use that is over
   * @param epoch the epoch of its claim
   * @param node the machine
   * @param by who attests it, as a clause for people
   */
  record PowerOff(VolumeUse usage, long epoch, NodeName node, ReasonText by)
      implements ReleaseProof {

    /** Checks that all parts are there. */
    public PowerOff {
      Objects.requireNonNull(usage, "usage");
      Objects.requireNonNull(node, "node");
      Objects.requireNonNull(by, "by");
    }
  }

  /**
   * A person answers for it. If he is wrong, two nodes write to one volume.
   *
   * @param usage the use that is over
   * @param epoch the epoch of its claim
   * @param person who
   * @param reason why
   * @param covers what he answers for
   */
  record OperatorOverride(
      VolumeUse usage, long epoch, ClaimOverride.Person person, ReasonText reason, Covers covers)
      implements ReleaseProof {

    /** Checks that all parts are there. */
    public OperatorOverride {
      Objects.requireNonNull(usage, "usage");
      Objects.requireNonNull(person, "person");
      Names.check("reason of an override", reason.text());
      Objects.requireNonNull(covers, "covers");
    }
  }

  /** The proofs that a person can answer for. */
  enum Covers {
    /** That the node does not write. The storage system still has to detach the volume. */
    NODE,
    /** Also that the volume is detached, should the storage system not say so. */
    NODE_AND_STORAGE
  }
}
