package io.csi4j.volume.claim;

import io.csi4j.volume.model.ClaimEpoch;
import io.csi4j.volume.model.ClaimGrant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * The claims of one node that are not proven to be over there: those with which it may mount, and
 * those of which it has to prove that nothing is left.
 *
 * @param taken the claims with which the node may mount
 * @param uncertain the claims whose attachment is uncertain: they have to be acquired again, or
 *     released, first
 * @param leaving the claims on their way back that wait for the receipt of the node
 * @param unreadable the claims that cannot be read, which may be of this node; then the lists may
 *     lack a claim
 * @since 1.0
 */
public record ClaimsOfNode(
    List<Taken> taken,
    List<ClaimEpoch> uncertain,
    List<ClaimEpoch> leaving,
    List<ClaimPage.Unreadable> unreadable) {

  /** Copies the lists. */
  public ClaimsOfNode {
    taken = List.copyOf(taken);
    uncertain = List.copyOf(uncertain);
    leaving = List.copyOf(leaving);
    unreadable = List.copyOf(unreadable);
  }

  /** Returns all claims of the node that can be read. */
  public List<ClaimEpoch> all() {
    List<ClaimEpoch> all = new ArrayList<>();
    taken.forEach(each -> all.add(ClaimEpoch.of(each.grant())));
    all.addAll(uncertain);
    all.addAll(leaving);
    return List.copyOf(all);
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
}
