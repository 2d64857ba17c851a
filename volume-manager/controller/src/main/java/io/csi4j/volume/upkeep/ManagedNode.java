package io.csi4j.volume.upkeep;

import io.csi4j.volume.model.NodeName;
import io.csi4j.volume.model.NodeReceipt;
import io.csi4j.volume.model.UsageKey;
import java.util.Objects;
import java.util.function.Predicate;

/** A node whose mounts a volume manager looks after. */
record ManagedNode(NodeName name, ReaperSources.Receipts receipts, Predicate<UsageKey> wanted)
    implements ReaperSources.Node {

  ManagedNode {
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(receipts, "receipts");
    Objects.requireNonNull(wanted, "wanted");
  }

  @Override
  public boolean wants(UsageKey usage) {
    return wanted.test(usage);
  }

  @Override
  public NodeReceipt receipt(UsageKey usage, long epoch) {
    return receipts.receipt(usage, epoch);
  }
}
