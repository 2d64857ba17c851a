package io.csi4j.examples;

import io.csi4j.volume.agent.ControlPlane;
import io.csi4j.volume.model.ClaimQuestion;
import io.csi4j.volume.model.ClaimStanding;
import io.csi4j.volume.model.NodeReceipt;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.VolumeVerdict;
import io.csi4j.volume.node.LeavingUse;
import io.csi4j.volume.node.NodeExpansion;
import io.csi4j.volume.node.NodeOrders;
import io.csi4j.volume.node.NodeReport;
import io.csi4j.volume.node.SentUse;
import io.csi4j.volume.store.PassingStore;
import io.csi4j.volume.store.RecordKey;
import io.csi4j.volume.store.RecordStore;
import io.csi4j.volume.store.RecordWrite;
import io.csi4j.volume.store.StoredRecord;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.stream.Stream;

/**
 * A defect that is built into the hosts of a rig, at the seams that any host has. The rig has to
 * find each.
 */
enum RigDefect {
  /** The hosts are as they should be. */
  NONE,

  /** A control plane takes each claim of a use for the current one, whatever its epoch. */
  GRANT_WITHOUT_EPOCH,

  /** The storage system acknowledges an attachment that it has not made. */
  ATTACH_FORGOTTEN,

  /** A node sends its receipt when it gets the order, and unmounts later. */
  RECEIPT_BEFORE_UNMOUNT,

  /** A node reports that a filesystem has grown, and does not let it grow. */
  EXPANSION_LOST,

  /** A control plane writes records of volumes whatever stands there by then. */
  CATALOG_WRITE_UNCONDITIONAL,

  /** A node goes on with the first list of wanted uses that it got. */
  STALE_WANTED_LIST;

  /** The store of a control plane. */
  RecordStore store(RecordStore real) {
    return this == CATALOG_WRITE_UNCONDITIONAL ? new Unconditional(real) : real;
  }

  /** A control plane, as nodes reach it. */
  ControlPlane plane(ControlPlane real) {
    return this == GRANT_WITHOUT_EPOCH ? new WithoutEpoch(real) : real;
  }

  /** The control planes, as a node reaches them. */
  ControlPlane node(ControlPlane real) {
    return switch (this) {
      case RECEIPT_BEFORE_UNMOUNT -> new EarlyReceipts(real);
      case EXPANSION_LOST -> new LostExpansions(real);
      case STALE_WANTED_LIST -> new StaleOrders(real);
      default -> real;
    };
  }

  /** Passes everything on. */
  private static class Passing implements ControlPlane {
    private final ControlPlane to;

    Passing(ControlPlane to) {
      this.to = to;
    }

    @Override
    public NodeOrders exchange(NodeReport report) {
      return to.exchange(report);
    }

    @Override
    public ClaimStanding standing(ClaimQuestion question) {
      return to.standing(question);
    }

    @Override
    public VolumeVerdict verdict(ClaimQuestion question) {
      return to.verdict(question);
    }
  }

  private static final class WithoutEpoch extends Passing {

    WithoutEpoch(ControlPlane to) {
      super(to);
    }

    @Override
    public ClaimStanding standing(ClaimQuestion question) {
      ClaimStanding real = super.standing(question);
      return real instanceof ClaimStanding.Stale ? new ClaimStanding.Current() : real;
    }
  }

  private static final class EarlyReceipts extends Passing {

    EarlyReceipts(ControlPlane to) {
      super(to);
    }

    @Override
    public NodeOrders exchange(NodeReport report) {
      NodeOrders orders = super.exchange(report);
      if (!orders.leaving().isEmpty()) {
        List<NodeReceipt> early =
            orders.leaving().stream()
                .map(LeavingUse::claim)
                .map(
                    claim ->
                        new NodeReceipt(
                            claim.usage(),
                            claim.epoch(),
                            claim.node(),
                            report.boot(),
                            List.of(Path.of("/")),
                            NodeReceipt.Staging.GONE))
                .toList();
        var unused = super.exchange(with(report, early, report.expansions()));
      }
      return orders;
    }
  }

  private static final class LostExpansions extends Passing {

    private final ConcurrentMap<Object, NodeExpansion> pretended = new ConcurrentHashMap<>();

    LostExpansions(ControlPlane to) {
      super(to);
    }

    @Override
    public NodeOrders exchange(NodeReport report) {
      List<NodeExpansion> all =
          Stream.concat(report.expansions().stream(), pretended.values().stream()).toList();
      NodeOrders orders = super.exchange(with(report, report.receipts(), all));
      pretended.clear();
      List<SentUse> wanted = new ArrayList<>();
      for (SentUse each : orders.wanted()) {
        each.grown()
            .ifPresent(
                size ->
                    pretended.put(
                        each.use().usage(),
                        new NodeExpansion(each.use().usage().volume(), size, Optional.empty())));
        wanted.add(new SentUse(each.use(), each.secrets(), Optional.empty()));
      }
      return with(orders, wanted);
    }
  }

  private static final class StaleOrders extends Passing {

    private List<SentUse> first = List.of();

    StaleOrders(ControlPlane to) {
      super(to);
    }

    @Override
    public NodeOrders exchange(NodeReport report) {
      NodeOrders orders = super.exchange(report);
      if (first.isEmpty()) {
        first = orders.wanted();
        return orders;
      }
      return with(orders, first);
    }
  }

  /** A report that is the next one, with these facts. */
  private static NodeReport with(
      NodeReport report, List<NodeReceipt> receipts, List<NodeExpansion> expansions) {
    return new NodeReport(
        report.node(),
        report.cluster(),
        report.boot(),
        report.at(),
        report.number(),
        report.draining(),
        report.plugins(),
        report.volumes(),
        report.ended(),
        receipts,
        expansions,
        report.asked());
  }

  /** Orders that want these uses, and give back the others that they gave back. */
  private static NodeOrders with(NodeOrders orders, List<SentUse> wanted) {
    Set<VolumeUse> named = new HashSet<>();
    wanted.forEach(each -> named.add(each.use().usage()));
    return new NodeOrders(
        orders.node(),
        orders.answers(),
        orders.cluster(),
        wanted,
        orders.leaving().stream().filter(it -> !named.contains(it.claim().usage())).toList(),
        orders.held().stream().filter(it -> !named.contains(it.usage())).toList(),
        orders.complete());
  }

  private static final class Unconditional extends PassingStore {

    private static final int TRIES = 20;

    Unconditional(RecordStore to) {
      super(to);
    }

    @Override
    public WriteResult write(List<RecordWrite> writes) {
      WriteResult result = super.write(writes);
      for (int i = 0; i < TRIES && result instanceof WriteResult.Conflict; i++) {
        List<RecordWrite> blind = new ArrayList<>();
        for (RecordWrite each : writes) {
          Optional<StoredRecord> now =
              each.key().space() == RecordKey.Space.VOLUMES ? read(each.key()) : each.seen();
          if (now.isPresent() || each.next().isPresent()) {
            blind.add(new RecordWrite(each.key(), now, each.next()));
          }
        }
        if (blind.isEmpty()) {
          return new WriteResult.Written(List.of());
        }
        result = super.write(blind);
      }
      return result;
    }
  }
}
