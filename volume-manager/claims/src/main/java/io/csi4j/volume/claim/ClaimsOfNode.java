package io.csi4j.volume.claim;

import io.csi4j.volume.model.ClaimEpoch;
import io.csi4j.volume.model.ClaimGrant;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.WorkloadFacts;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * The claims of one node that are not proven to have ended. The node may mount volumes with some of
 * these claims. For the released claims, the node must still prove that it has unmounted the
 * volume.
 *
 * @param taken the claims with which the node may mount volumes
 * @param uncertain the claims with which the node cannot mount volumes yet. Either it is uncertain
 *     whether the volume is attached, and the host must acquire the claim again or release it; or
 *     the record of the volume cannot be read
 * @param leaving the released claims that wait for a receipt of the node
 * @param unreadable a message for each record that cannot be read. If it is the record of a claim,
 *     the claim may belong to this node although no list contains it. If it is the record of a
 *     volume, claims of that volume are in {@code uncertain}
 * @since 1.0
 */
public record ClaimsOfNode(
    List<Taken> taken,
    List<ClaimEpoch> uncertain,
    List<ClaimEpoch> leaving,
    List<OperatorMessage> unreadable) {

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
   * A claim that a workload holds.
   *
   * @param grant the grant that a repeated request for the claim would return
   * @param use how the volume is used, which is the same for all its holders
   * @param facts the facts about the workload that are passed to the plugin, if any
   */
  public record Taken(ClaimGrant grant, Claim.Use use, Optional<WorkloadFacts> facts) {

    /** Checks that all parts are present. */
    public Taken {
      Objects.requireNonNull(grant, "grant");
      Objects.requireNonNull(use, "use");
      Objects.requireNonNull(facts, "facts");
    }
  }
}
