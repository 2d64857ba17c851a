package io.csi4j.volume.node;

import io.csi4j.volume.model.ClaimEpoch;
import io.csi4j.volume.model.NodeName;
import io.csi4j.volume.model.NodeReceipt;
import io.csi4j.volume.model.VolumeKey;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * A complete report of a node to a control plane. Each report replaces the previous report.
 *
 * @param node the machine
 * @param cluster the identity of the cluster that the node belongs to, once the node knows it. A
 *     control plane of another cluster rejects the report
 * @param boot the identifier of the machine's present boot
 * @param at the time of the report, by the clock of the node
 * @param number the number of the report, which grows with each report of this boot
 * @param draining whether the node accepts no more volumes
 * @param plugins the plugins on the node
 * @param volumes the volumes on the node
 * @param ended the claims whose workloads have ended on the node and whose release has not begun
 *     yet
 * @param receipts the receipts for the uses that the last orders named as leaving
 * @param expansions the expansions that have ended since the last accepted report
 * @param asked the volumes that calls on the node need now. The orders must contain all claims of
 *     these volumes and of every other volume that the report names. Empty if the orders must
 *     contain every claim
 * @since 1.0
 */
public record NodeReport(
    NodeName node,
    Optional<String> cluster,
    String boot,
    Instant at,
    long number,
    boolean draining,
    List<PluginOnNode> plugins,
    List<VolumeStatus> volumes,
    List<ClaimEpoch> ended,
    List<NodeReceipt> receipts,
    List<NodeExpansion> expansions,
    Optional<Set<VolumeKey>> asked) {

  /**
   * Copies the lists. Checks that no component is null and that each claim belongs to this node.
   */
  public NodeReport {
    Objects.requireNonNull(node, "node");
    Objects.requireNonNull(cluster, "cluster");
    Objects.requireNonNull(boot, "boot");
    Objects.requireNonNull(at, "at");
    plugins = List.copyOf(plugins);
    volumes = List.copyOf(volumes);
    ended = List.copyOf(ended);
    receipts = List.copyOf(receipts);
    expansions = List.copyOf(expansions);
    asked = asked.map(Set::copyOf);
    ended.forEach(each -> checkIsOf(node, each.node()));
    receipts.forEach(each -> checkIsOf(node, each.node()));
    if (number < 1) {
      throw new IllegalArgumentException("Report numbers start at 1, not at " + number + ".");
    }
  }

  /**
   * Returns the volumes whose claims must all be in the orders; empty if the orders must contain
   * every claim.
   */
  public Optional<Set<VolumeKey>> named() {
    return asked.map(
        all -> {
          Set<VolumeKey> named = new HashSet<>(all);
          volumes.forEach(each -> named.addAll(each.keys()));
          ended.forEach(each -> named.add(each.usage().volume()));
          receipts.forEach(each -> named.add(each.usage().volume()));
          expansions.forEach(each -> named.add(each.volume()));
          return named;
        });
  }

  /**
   * Refuses a claim of another node: a receipt for it would free a claim whose volume is still
   * mounted on that node.
   */
  static void checkIsOf(NodeName node, NodeName claimed) {
    if (!claimed.equals(node)) {
      throw new IllegalArgumentException(
          "A message of node " + node + " has a claim of node " + claimed + ".");
    }
  }
}
