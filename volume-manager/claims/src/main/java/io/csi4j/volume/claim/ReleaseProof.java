package io.csi4j.volume.claim;

import io.csi4j.volume.internal.names.Names;
import io.csi4j.volume.model.NodeName;
import io.csi4j.volume.model.NodeReceipt;
import io.csi4j.volume.model.ReasonText;
import io.csi4j.volume.model.VolumeUse;
import java.util.Objects;

/**
 * A proof that the node of a released claim can no longer write to the volume. The release of the
 * claim continues only with such a proof. Elapsed time is not a proof, and neither is a node that
 * does not answer. A proof is valid only if it was made after the release of the claim, and only
 * for the claim with the same epoch.
 *
 * @since 1.0
 */
public sealed interface ReleaseProof {

  /** Returns the use that has ended. */
  VolumeUse usage();

  /** Returns the epoch of the released claim. */
  long epoch();

  /**
   * A receipt of the node. The node confirms that the volume is not mounted for this use, and that
   * it will not mount the volume again with this epoch.
   *
   * @param receipt the receipt
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
   * The storage system must remove the node's access to the volume, even if the volume is still
   * mounted on the node. The claim is removed only after the storage system has confirmed this. Use
   * this proof only for plugins that really end the node's access instead of only recording it. All
   * holders on the node must be released.
   *
   * @param usage the use that has ended
   * @param epoch the epoch of the released claim
   */
  record ByStorage(VolumeUse usage, long epoch) implements ReleaseProof {

    /** Checks that the use is present. */
    public ByStorage {
      Objects.requireNonNull(usage, "usage");
    }
  }

  /**
   * The node is fenced off the storage.
   *
   * @param usage the use that has ended
   * @param epoch the epoch of the released claim
   * @param node the fenced node
   * @param by the system that fenced the node, as a clause for display
   */
  record Fenced(VolumeUse usage, long epoch, NodeName node, ReasonText by) implements ReleaseProof {

    /** Checks that all parts are present. */
    public Fenced {
      Objects.requireNonNull(usage, "usage");
      Objects.requireNonNull(node, "node");
      Objects.requireNonNull(by, "by");
    }
  }

  /**
   * The node was powered off, or removed permanently, after the release of the claim.
   *
   * @param usage the use that has ended
   * @param epoch the epoch of the released claim
   * @param node the node
   * @param by the source of this information, as a clause for display
   */
  record PowerOff(VolumeUse usage, long epoch, NodeName node, ReasonText by)
      implements ReleaseProof {

    /** Checks that all parts are present. */
    public PowerOff {
      Objects.requireNonNull(usage, "usage");
      Objects.requireNonNull(node, "node");
      Objects.requireNonNull(by, "by");
    }
  }

  /**
   * An operator takes responsibility for the release. If the operator is wrong, two nodes may write
   * to the volume at the same time.
   *
   * @param usage the use that has ended
   * @param epoch the epoch of the released claim
   * @param person the operator
   * @param reason the reason
   * @param covers the missing proofs that the override replaces
   */
  record OperatorOverride(
      VolumeUse usage, long epoch, ClaimOverride.Person person, ReasonText reason, Covers covers)
      implements ReleaseProof {

    /** Checks that all parts are present. */
    public OperatorOverride {
      Objects.requireNonNull(usage, "usage");
      Objects.requireNonNull(person, "person");
      Names.check("reason of an override", reason.text());
      Objects.requireNonNull(covers, "covers");
    }
  }

  /** The missing proofs that an override can replace. */
  enum Covers {
    /**
     * The override replaces the proof that the node no longer writes. The storage system must still
     * detach the volume.
     */
    NODE,
    /**
     * The override also replaces the storage system's confirmation that the volume is detached, if
     * this confirmation is missing.
     */
    NODE_AND_STORAGE
  }
}
