package io.csi4j.volume.claim;

import io.csi4j.volume.model.ClaimGrant;
import io.csi4j.volume.model.VolumeUse;
import java.util.List;
import java.util.Objects;

/**
 * The claims of one node that concern the node: those with which it may mount, and those of which
 * it has to prove that nothing is left. A claim whose attachment is uncertain is neither: it has to
 * be acquired again, or released, first.
 *
 * @param taken the claims with which the node may mount
 * @param leaving the claims on their way back that wait for the receipt of the node
 * @param unreadable the claims that cannot be read, which may be of this node; then both lists may
 *     lack a claim
 * @since 1.0
 */
public record ClaimsOfNode(
    List<Taken> taken, List<Leaving> leaving, List<ClaimPage.Unreadable> unreadable) {

  /** Copies the lists. */
  public ClaimsOfNode {
    taken = List.copyOf(taken);
    leaving = List.copyOf(leaving);
    unreadable = List.copyOf(unreadable);
  }

  /**
   * A claim that a workload has.
   *
   * @param grant the claim, as acquiring it again would return it
   * @param use how the volume is used by all who hold it
   */
  public record Taken(ClaimGrant grant, Claim.Use use) {

    /** Checks that both are there. */
    public Taken {
      Objects.requireNonNull(grant, "grant");
      Objects.requireNonNull(use, "use");
    }
  }

  /**
   * A claim on its way back.
   *
   * @param usage the volume and the workload
   * @param epoch the epoch of the claim, which the receipt has to name
   */
  public record Leaving(VolumeUse usage, long epoch) {

    /** Checks that the use is there. */
    public Leaving {
      Objects.requireNonNull(usage, "usage");
    }
  }
}
