package io.csi4j.volume.node;

import io.csi4j.volume.model.ClaimEpoch;
import io.csi4j.volume.model.NodeName;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * The answer of a control plane to a report: all uses that the node should have. Orders are only
 * hints: before the node mounts a volume, it checks that the claim is current.
 *
 * @param node the machine
 * @param answers the number of the report that these orders answer; a node ignores orders that
 *     answer any other report
 * @param cluster the identity of the cluster, if it has one
 * @param wanted the uses that the node must mount and keep
 * @param leaving the uses that the node must release
 * @param held the claims with which the node cannot mount now, because the attachment is uncertain,
 *     or because the control plane has no readable record of the volume. The node can still release
 *     these claims
 * @param complete whether the control plane could read all claims. If not, a wanted use may be
 *     missing. In any case, a use may be missing for a while if the report does not name its volume
 *     ({@link NodeReport#named})
 * @since 1.0
 */
public record NodeOrders(
    NodeName node,
    long answers,
    Optional<String> cluster,
    List<SentUse> wanted,
    List<LeavingUse> leaving,
    List<ClaimEpoch> held,
    boolean complete) {

  /** Copies the lists. Refuses orders that list a use twice or contain a claim of another node. */
  public NodeOrders {
    Objects.requireNonNull(node, "node");
    Objects.requireNonNull(cluster, "cluster");
    wanted = List.copyOf(wanted);
    leaving = List.copyOf(leaving);
    held = List.copyOf(held);
    Set<Object> uses = new HashSet<>();
    wanted.forEach(each -> add(uses, each.use().usage()));
    leaving.forEach(each -> add(uses, each.claim().usage()));
    held.forEach(each -> add(uses, each.usage()));
    leaving.forEach(each -> NodeReport.checkIsOf(node, each.claim().node()));
    held.forEach(each -> NodeReport.checkIsOf(node, each.node()));
    for (SentUse each : wanted) {
      if (each.use() instanceof WantedUse.Requested requested) {
        requested.request().claim().ifPresent(grant -> NodeReport.checkIsOf(node, grant.node()));
      }
    }
  }

  private static void add(Set<Object> uses, Object use) {
    if (!uses.add(use)) {
      throw new IllegalArgumentException("The use " + use + " is in the orders twice.");
    }
  }
}
