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
 * @param asked the volumes that calls on the node ask for now: no claim of these, or of any other
 *     volume in the report, may be missing in the orders. Nothing if no claim at all may be
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
    asked = asked.map(Set::copyOf);
    ended.forEach(each -> checkIsOf(node, each.node()));
    receipts.forEach(each -> checkIsOf(node, each.node()));
    if (number < 1) {
      throw new IllegalArgumentException("Reports count from 1, not from " + number + ".");
    }
  }

  /**
   * Returns the volumes of which no claim may be missing in the orders; nothing if no claim at all
   * may be.
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

  /** A receipt of another node would free a claim whose volume is still mounted there. */
  static void checkIsOf(NodeName node, NodeName claimed) {
    if (!claimed.equals(node)) {
      throw new IllegalArgumentException(
          "A message of node " + node + " has a claim of node " + claimed + ".");
    }
  }
}
