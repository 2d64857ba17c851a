package io.csi4j.volume.agent;

import io.csi4j.volume.model.NodeName;
import io.csi4j.volume.model.NodeReceipt;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.plugin.RegisteredPlugin;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What a node has to report: each fact until the orders of a control plane show that it was
 * accepted. Kept in memory: after a restart of the agent the orders name the same claims again.
 */
final class PendingReport {

  private final NodeName node;
  private final AtomicLong number = new AtomicLong();
  private final ConcurrentMap<VolumeUse, NodeReport.Ended> ended = new ConcurrentHashMap<>();
  private final ConcurrentMap<VolumeUse, NodeReceipt> receipts = new ConcurrentHashMap<>();
  private final ConcurrentMap<VolumeKey, NodeReport.Expansion> expansions =
      new ConcurrentHashMap<>();

  PendingReport(NodeName node) {
    this.node = node;
  }

  void add(NodeReport.Ended claim) {
    ended.put(claim.usage(), claim);
  }

  void add(NodeReceipt receipt) {
    receipts.put(receipt.usage(), receipt);
  }

  void add(NodeReport.Expansion expansion) {
    expansions.put(expansion.volume(), expansion);
  }

  /** Whether a receipt or a size was not accepted yet. */
  boolean isOpen() {
    return !receipts.isEmpty() || !expansions.isEmpty();
  }

  boolean hasReceipt(VolumeUse usage) {
    return receipts.containsKey(usage);
  }

  NodeReport next(List<RegisteredPlugin> plugins) {
    return new NodeReport(
        node,
        number.incrementAndGet(),
        plugins,
        List.copyOf(ended.values()),
        List.copyOf(receipts.values()),
        List.copyOf(expansions.values()));
  }

  /** Forgets what the orders do not name any more; what was added since the report stays. */
  void accepted(NodeReport report, NodeOrders orders) {
    for (NodeReport.Ended each : report.ended()) {
      if (orders.wanted(each.usage()).filter(it -> it.epoch() == each.epoch()).isEmpty()) {
        ended.remove(each.usage(), each);
      }
    }
    for (NodeReceipt each : report.receipts()) {
      if (orders.leaving(each.usage()).filter(it -> it.epoch() == each.epoch()).isEmpty()) {
        receipts.remove(each.usage(), each);
      }
    }
    for (NodeReport.Expansion each : report.expansions()) {
      boolean isOwed =
          orders.wanted().stream()
              .filter(it -> it.request().usage().volume().equals(each.volume()))
              .anyMatch(it -> it.grown().equals(Optional.of(each.to())));
      if (!isOwed || each.refusal().isPresent()) {
        expansions.remove(each.volume(), each);
      }
    }
  }
}
