package io.csi4j.volume.agent;

import io.csi4j.client.model.CapacityRange;
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
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Supplier;

/**
 * The facts that a node must report, each until the orders show that a control plane accepted it.
 * They are kept in memory: after a restart of the agent the orders name the same claims again.
 */
final class PendingReport {

  /** The claims in the last orders that the node has not given back. */
  private final ConcurrentMap<VolumeUse, ClaimEpoch> taken = new ConcurrentHashMap<>();

  private final ConcurrentMap<VolumeUse, ClaimEpoch> ended = new ConcurrentHashMap<>();
  private final ConcurrentMap<VolumeUse, NodeReceipt> receipts = new ConcurrentHashMap<>();
  private final ConcurrentMap<VolumeKey, NodeExpansion> expansions = new ConcurrentHashMap<>();

  /** The volumes that running calls need, with the number of these calls. */
  private final ConcurrentMap<VolumeKey, Integer> asked = new ConcurrentHashMap<>();

  /** Whether a receipt or a size was added since the last report. */
  private volatile boolean hasNews;

  /**
   * Notes that the workload of a use has ended.
   *
   * @return whether a claim of the use is known. The end of an unknown claim cannot be reported,
   *     because it could end a later claim
   */
  boolean end(VolumeUse usage) {
    ClaimEpoch claim = taken.get(usage);
    if (claim != null) {
      ended.put(usage, claim);
    }
    return claim != null;
  }

  void add(NodeReceipt receipt) {
    receipts.put(receipt.usage(), receipt);
    hasNews = true;
  }

  void add(NodeExpansion expansion) {
    expansions.put(expansion.volume(), expansion);
    hasNews = true;
  }

  /** Runs an action while each report requests the claims of a volume. */
  <T> T asking(VolumeKey volume, Supplier<T> work) {
    asked.merge(volume, 1, Integer::sum);
    try {
      return work.get();
    } finally {
      asked.computeIfPresent(volume, (same, calls) -> calls == 1 ? null : calls - 1);
    }
  }

  Set<VolumeKey> asked() {
    return Set.copyOf(asked.keySet());
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

  /** Returns whether a receipt or a size was never reported, and counts it as reported. */
  boolean takeNews() {
    boolean isNew = hasNews;
    hasNews = false;
    return isNew;
  }

  /**
   * Whether the plugin has answered for this size: the filesystem follows it, or cannot. The orders
   * name the size until all nodes follow it.
   */
  boolean isAnswered(VolumeKey volume, CapacityRange to) {
    NodeExpansion answer = expansions.get(volume);
    return answer != null && answer.to().equals(to);
  }

  boolean hasReceipt(VolumeUse usage) {
    return receipts.containsKey(usage);
  }

  boolean hasEnded(VolumeUse usage) {
    return ended.containsKey(usage);
  }

  /** Removes facts that the orders no longer name. Facts that were added since the report stay. */
  void accepted(NodeReport report, NodeOrders orders) {
    note(orders);
    for (ClaimEpoch each : report.ended()) {
      if (!each.equals(taken.get(each.usage()))) {
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
      boolean isPending =
          orders.wanted().stream()
              .filter(it -> it.use().usage().volume().equals(each.volume()))
              .anyMatch(it -> it.grown().equals(Optional.of(each.to())));
      if (!isPending) {
        expansions.remove(each.volume(), each);
      }
    }
  }

  /** Notes the claims in the orders. A claim that they do not name may be unreadable now. */
  private void note(NodeOrders orders) {
    Map<VolumeUse, ClaimEpoch> named = new HashMap<>();
    for (SentUse each : orders.wanted()) {
      claim(each).ifPresent(claim -> named.put(claim.usage(), claim));
    }
    orders.held().forEach(claim -> named.put(claim.usage(), claim));
    if (orders.complete()) {
      taken.keySet().retainAll(named.keySet());
    }
    orders.leaving().forEach(each -> taken.remove(each.claim().usage()));
    taken.putAll(named);
  }

  /** Returns the wanted use in the orders, if there is one. */
  static Optional<SentUse> wanted(NodeOrders orders, VolumeUse usage) {
    return orders.wanted().stream().filter(each -> each.use().usage().equals(usage)).findFirst();
  }

  /** Returns the leaving use in the orders, if there is one. */
  static Optional<LeavingUse> leaving(NodeOrders orders, VolumeUse usage) {
    return orders.leaving().stream().filter(each -> each.claim().usage().equals(usage)).findFirst();
  }

  /** Whether the node has a claim of a use with which it cannot mount now. */
  static boolean isHeld(NodeOrders orders, VolumeUse usage) {
    return orders.held().stream().anyMatch(each -> each.usage().equals(usage));
  }

  /** Returns the claim of a use that is wanted. */
  private static Optional<ClaimEpoch> claim(SentUse wanted) {
    return wanted.use() instanceof WantedUse.Requested requested
        ? requested.request().claim().map(ClaimEpoch::of)
        : Optional.empty();
  }
}
