package io.csi4j.volume.node;

import io.csi4j.volume.model.ClaimEpoch;
import io.csi4j.volume.model.NodeName;
import io.csi4j.volume.model.NodeReceipt;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * All that a node reports to a control plane. Each report is complete; it replaces the one before.
 *
 * @param node the machine
 * @param cluster the identity of the cluster that it belongs to, once it knows one. A control plane
 *     of another cluster accepts nothing of the report
 * @param boot the boot of that machine
 * @param at the time of the report, by the clock of the node
 * @param number the number of the report: higher than that of each earlier one of this boot
 * @param draining whether the node takes no more volumes
 * @param plugins the plugins there
 * @param volumes the volumes there
 * @param ended the claims whose workloads have ended there, until they are on their way back
 * @param receipts the receipts for the uses that the last orders named as leaving
 * @param expansions the expansions that have ended since the last accepted report
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
    List<NodeExpansion> expansions) {

  /** Copies the lists, and checks that all parts are there and each claim is of this node. */
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
    ended.forEach(each -> checkIsOf(node, each.node()));
    receipts.forEach(each -> checkIsOf(node, each.node()));
    if (number < 1) {
      throw new IllegalArgumentException("Reports count from 1, not from " + number + ".");
    }
  }

  /** A receipt of another node would free a claim whose volume is still mounted there. */
  static void checkIsOf(NodeName node, NodeName claimed) {
    if (!claimed.equals(node)) {
      throw new IllegalArgumentException(
          "A message of node " + node + " has a claim of node " + claimed + ".");
    }
  }
}
