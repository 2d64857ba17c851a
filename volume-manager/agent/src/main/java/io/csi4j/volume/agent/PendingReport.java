package io.csi4j.volume.agent;

import io.csi4j.volume.model.ClaimEpoch;
import io.csi4j.volume.model.NodeReceipt;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.node.LeavingUse;
import io.csi4j.volume.node.NodeExpansion;
import io.csi4j.volume.node.NodeOrders;
import io.csi4j.volume.node.NodeReport;
import io.csi4j.volume.node.SentUse;
import io.csi4j.volume.node.WantedUse;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * What a node has to report: each fact until the orders of a control plane show that it was
 * accepted. Kept in memory: after a restart of the agent the orders name the same claims again.
 */
final class PendingReport {

  private final ConcurrentMap<VolumeUse, ClaimEpoch> ended = new ConcurrentHashMap<>();
  private final ConcurrentMap<VolumeUse, NodeReceipt> receipts = new ConcurrentHashMap<>();
  private final ConcurrentMap<VolumeKey, NodeExpansion> expansions = new ConcurrentHashMap<>();

  void add(ClaimEpoch claim) {
    ended.put(claim.usage(), claim);
  }

  void add(NodeReceipt receipt) {
    receipts.put(receipt.usage(), receipt);
  }

  void add(NodeExpansion expansion) {
    expansions.put(expansion.volume(), expansion);
  }

  List<ClaimEpoch> ended() {
    return List.copyOf(ended.values());
  }

  List<NodeReceipt> receipts() {
    return List.copyOf(receipts.values());
  }

  List<NodeExpansion> expansions() {
    return List.copyOf(expansions.values());
  }

  /** Whether a receipt or a size was not accepted yet. */
  boolean isOpen() {
    return !receipts.isEmpty() || !expansions.isEmpty();
  }

  boolean hasReceipt(VolumeUse usage) {
    return receipts.containsKey(usage);
  }

  /** Forgets what the orders do not name any more; what was added since the report stays. */
  void accepted(NodeReport report, NodeOrders orders) {
    for (ClaimEpoch each : report.ended()) {
      if (wanted(orders, each.usage())
          .flatMap(PendingReport::claim)
          .filter(each::equals)
          .isEmpty()) {
        ended.remove(each.usage(), each);
      }
    }
    for (NodeReceipt each : report.receipts()) {
      if (leaving(orders, each.usage())
          .filter(it -> it.claim().epoch() == each.epoch())
          .isEmpty()) {
        receipts.remove(each.usage(), each);
      }
    }
    for (NodeExpansion each : report.expansions()) {
      boolean isOwed =
          orders.wanted().stream()
              .filter(it -> it.use().usage().volume().equals(each.volume()))
              .anyMatch(it -> it.grown().equals(Optional.of(each.to())));
      if (!isOwed || each.refused().isPresent()) {
        expansions.remove(each.volume(), each);
      }
    }
  }

  /** Returns what is wanted of a use. */
  static Optional<SentUse> wanted(NodeOrders orders, VolumeUse usage) {
    return orders.wanted().stream().filter(each -> each.use().usage().equals(usage)).findFirst();
  }

  /** Returns what has to be given back of a use. */
  static Optional<LeavingUse> leaving(NodeOrders orders, VolumeUse usage) {
    return orders.leaving().stream().filter(each -> each.claim().usage().equals(usage)).findFirst();
  }

  /** Returns the claim of a use that is wanted. */
  static Optional<ClaimEpoch> claim(SentUse wanted) {
    return wanted.use() instanceof WantedUse.Requested requested
        ? requested.request().claim().map(ClaimEpoch::of)
        : Optional.empty();
  }
}
