package io.csi4j.volume.claim;

import io.csi4j.volume.internal.names.Names;
import io.csi4j.volume.model.NodeName;
import io.csi4j.volume.model.NodeReceipt;
import io.csi4j.volume.model.ReasonText;
import io.csi4j.volume.model.VolumeUse;
import java.util.Objects;

/**
 * A proof that the node of a released claim can no longer write. With it, the release continues.
 * Elapsed time is no proof, and neither is a node that does not answer. A proof counts only if it
 * was made after the release of the claim, and only for the claim with its epoch.
 *
 * @since 1.0
 */
public sealed interface ReleaseProof {

  /** The use that has ended. */
  VolumeUse usage();

  /** The epoch of its claim. */
  long epoch();

  /**
   * A receipt of the node: it has nothing mounted, and mounts nothing with that epoch any more.
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
   * The storage system removes the node's access to the volume, even if it is mounted there. The
   * claim is free only after the storage system has confirmed that. For plugins that really end the
   * access, and do not only record it; all holders on that node must be released.
   *
   * @param usage the use that has ended
   * @param epoch the epoch of its claim
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
   * @param epoch the epoch of its claim
   * @param node the fenced node
   * @param by the fence, as a clause for display
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
   * The node was powered off, or is gone for ever, after the release of the claim.
   *
   * @param usage the use that has ended
   * @param epoch the epoch of its claim
   * @param node the node
   * @param by the attestation, as a clause for display
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
   * An operator takes responsibility. If the operator is wrong, two nodes write to one volume.
   *
   * @param usage the use that has ended
   * @param epoch the epoch of its claim
   * @param person the operator
   * @param reason the reason
   * @param covers the proofs that the override replaces
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

  /** The proofs that an override can replace. */
  enum Covers {
    /** The proof that the node does not write. The storage system must still detach the volume. */
    NODE,
    /** Also the detaching of the volume, if the storage system does not confirm it. */
    NODE_AND_STORAGE
  }
}
