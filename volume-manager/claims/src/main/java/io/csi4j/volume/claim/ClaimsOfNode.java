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
 * The claims of one node that are not proved to have ended there: those with which it may mount,
 * and those whose end it must still prove.
 *
 * @param taken the claims with which the node may mount
 * @param uncertain the claims with which the node cannot mount yet. The attachment of each is
 *     uncertain, so the claim must be acquired again, or released, first; or the record of its
 *     volume cannot be read
 * @param leaving the released claims that wait for the receipt of the node
 * @param unreadable a message for each record that cannot be read. The record of a claim may belong
 *     to this node, so the lists may lack a claim; the record of a volume keeps a claim out of
 *     {@code taken}
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
   * A claim held by a workload.
   *
   * @param grant the claim, as a repeated acquire would return it
   * @param use the use of the volume by all its holders
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
