package io.csi4j.volume.controller;

import io.csi4j.volume.catalog.NodeEntry;
import io.csi4j.volume.claim.ClaimDecision.Refused;
import io.csi4j.volume.claim.ClaimRequest;
import io.csi4j.volume.claim.ClaimsOfNode;
import io.csi4j.volume.claim.coordination.ClaimCoordinator;
import io.csi4j.volume.internal.catalog.NodeCodec;
import io.csi4j.volume.internal.store.RecordBook;
import io.csi4j.volume.internal.store.RecordBook.Decision;
import io.csi4j.volume.internal.store.RecordValues;
import io.csi4j.volume.internal.text.Messages;
import io.csi4j.volume.internal.text.Subject;
import io.csi4j.volume.model.ChangeOutcome;
import io.csi4j.volume.model.NodeName;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.ReasonText;
import io.csi4j.volume.store.RecordKey;
import io.csi4j.volume.store.RecordStore;
import io.csi4j.volume.store.RecordWrite;
import io.csi4j.volume.store.StoredRecord;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * The nodes of a cluster, one record for each, in the store of the claims: a node that has reported
 * to one control plane is known to all. A record is written only when the facts of its node change,
 * not with each report.
 *
 * <p>Methods block while the store is accessed, and fail with {@link ControllerException}.
 * Thread-safe.
 *
 * @since 1.0
 */
public final class NodeBook {

  private static final int PAGE = 500;
  private static final Subject ALL = Subject.of("reading the nodes of the cluster");

  private final RecordStore store;
  private final RecordBook<NodeEntry> book;

  /**
   * Opens the nodes in a store.
   *
   * @param store the store; it is not closed
   */
  public NodeBook(RecordStore store) {
    this.store = store;
    book = Catalog.asked(ALL, () -> new RecordBook<>(store, new NodeCodec(), Optional.empty()));
  }

  /**
   * The nodes of a cluster.
   *
   * @param nodes the nodes whose records can be read, by name
   * @param unreadable a message for each unreadable record
   * @since 1.0
   */
  public record Nodes(List<NodeEntry> nodes, List<OperatorMessage> unreadable) {

    /** Copies the lists. */
    public Nodes {
      nodes = List.copyOf(nodes);
      unreadable = List.copyOf(unreadable);
    }
  }

  /** Returns a node; empty if it has no record. */
  public Optional<NodeEntry> find(NodeName node) {
    return Catalog.asked(
        subject("reading", node), () -> book.look(NodeCodec.key(node), false).value());
  }

  /**
   * Returns a node.
   *
   * @throws ControllerException {@link OperatorCode#NODE_UNKNOWN} if the node has no record
   */
  public NodeEntry get(NodeName node) {
    return find(node)
        .orElseThrow(
            () ->
                ControllerFailures.refused(
                    OperatorCode.NODE_UNKNOWN, subject("reading", node), ""));
  }

  /** Returns all nodes. */
  public Nodes all() {
    List<NodeEntry> nodes = new ArrayList<>();
    List<OperatorMessage> unreadable = new ArrayList<>();
    Optional<RecordKey> after = Optional.of(NodeCodec.BEFORE_ALL);
    while (after.isPresent()) {
      Optional<RecordKey> behind = after;
      RecordValues.Page<NodeEntry> page = Catalog.asked(ALL, () -> book.page(behind, PAGE));
      page.records().stream()
          .filter(each -> NodeCodec.isOfNode(each.key()))
          .flatMap(each -> each.value().stream())
          .forEach(nodes::add);
      page.unreadable().stream()
          .filter(each -> NodeCodec.isOfNode(each.key()))
          .map(
              each ->
                  Messages.of(
                      OperatorCode.CATALOG_UNREADABLE,
                      ALL,
                      String.valueOf(each.problem().getMessage())))
          .forEach(unreadable::add);
      after = page.next().filter(NodeCodec::isOfNode);
    }
    return new Nodes(nodes, unreadable);
  }

  /**
   * Records a report of a node, as {@link NodeEntry#after} describes.
   *
   * @return the node as recorded then
   */
  public NodeEntry reported(NodeEntry report) {
    return apply(
        "recording",
        report.name(),
        now -> {
          NodeEntry next = now.map(known -> known.after(report)).orElse(report);
          return now.equals(Optional.of(next)) ? new Decision.Keep<>() : new Decision.Write<>(next);
        });
  }

  /**
   * Drains a node: it accepts no more volumes, whatever it reports. Existing volumes stay on the
   * node.
   *
   * @param why the reason, as a clause for people
   * @throws ControllerException {@link OperatorCode#NODE_UNKNOWN} if the node has no record
   * @throws IllegalArgumentException if the reason is blank
   */
  public NodeEntry drain(NodeName node, ReasonText why) {
    return known("draining", node, entry -> entry.drained(Optional.of(why)));
  }

  /**
   * Ends {@link #drain}. If the node itself reports that it accepts no volumes, it still accepts
   * none.
   *
   * @throws ControllerException {@link OperatorCode#NODE_UNKNOWN} if the node has no record
   */
  public NodeEntry undrain(NodeName node) {
    return known("undraining", node, entry -> entry.drained(Optional.empty()));
  }

  /**
   * Records that a node is away. The node is not a candidate for volumes until its next report.
   *
   * @param by the cause of the absence, as a clause for people
   * @param seen the last report of the node known to the caller: an older report that arrives later
   *     does not end the absence
   * @return the node; empty if it has no record
   * @throws IllegalArgumentException if the reason is blank
   */
  public Optional<NodeEntry> away(NodeName node, ReasonText by, Optional<NodeEntry> seen) {
    return change(
        "recording the absence of",
        node,
        now ->
            now.<Decision<NodeEntry>>map(entry -> new Decision.Write<>(entry.away(by, seen)))
                .orElseGet(Decision.Keep::new));
  }

  /**
   * Removes the record of a node without claims, including the decisions of operators about it.
   * Does nothing if the node has no record; a node that reports again gets a new one. An unreadable
   * record is removed, too.
   *
   * @param claims the claims of the cluster
   * @throws ControllerException {@link OperatorCode#NODE_CLAIMED} if a claim of the node has not
   *     ended, or a claim that could not be read may be of this node
   * @throws io.csi4j.volume.claim.ClaimException if the claims cannot be read
   */
  public void forget(NodeName node, ClaimCoordinator claims) {
    ClaimsOfNode left = claims.ofNode(node);
    Optional<String> why =
        left.all().stream()
            .findFirst()
            .map(each -> each.usage() + " is one of " + left.all().size() + " claims")
            .or(() -> left.unreadable().stream().findFirst().map(OperatorMessage::line));
    why.ifPresent(
        seen -> {
          throw ControllerFailures.failed(
              left.all().isEmpty() ? ChangeOutcome.HELD : ChangeOutcome.REFUSED,
              OperatorCode.NODE_CLAIMED,
              subject("forgetting", node),
              seen,
              null);
        });
    try {
      var unused = change("forgetting", node, now -> new Decision.Remove<>());
    } catch (ControllerException failed) {
      if (failed.code() != OperatorCode.CATALOG_UNREADABLE
          || !Catalog.asked(subject("forgetting", node), () -> isRemoved(NodeCodec.key(node)))) {
        throw failed;
      }
    }
  }

  private boolean isRemoved(RecordKey key) {
    Optional<StoredRecord> there = store.read(key);
    return there.isEmpty()
        || store.write(List.of(new RecordWrite(key, there, Optional.empty())))
            instanceof RecordStore.WriteResult.Written;
  }

  /**
   * Returns why no new claim may be made for the node of a request; empty if one may be made. For
   * {@link io.csi4j.volume.claim.coordination.ClaimBook#asking}.
   */
  public Optional<Refused> whyNotClaimed(ClaimRequest request) {
    return whyNotClaimed(request, NodeEntry::whyNotClaimed);
  }

  /**
   * Returns why no new claim on volumes of a plugin may be made for the node of a request; empty if
   * one may be made.
   *
   * @param plugin the plugin of the volume
   */
  public Optional<Refused> whyNotClaimed(ClaimRequest request, PluginId plugin) {
    return whyNotClaimed(request, known -> known.whyNotClaimed(plugin));
  }

  private Optional<Refused> whyNotClaimed(
      ClaimRequest request, Function<NodeEntry, Optional<Refused>> rule) {
    NodeName node = request.node();
    return find(node)
        .map(rule)
        .orElseGet(
            () ->
                Optional.of(
                    new Refused(
                        OperatorCode.NODE_UNKNOWN,
                        Optional.empty(),
                        new ReasonText("the claim is for node '" + node + "'"))));
  }

  private NodeEntry known(String doing, NodeName node, Function<NodeEntry, NodeEntry> word) {
    return apply(
        doing,
        node,
        now ->
            now.<Decision<NodeEntry>>map(
                    entry -> {
                      NodeEntry next = word.apply(entry);
                      return next.equals(entry)
                          ? new Decision.Keep<>()
                          : new Decision.Write<>(next);
                    })
                .orElseGet(() -> new Decision.Refuse<>(OperatorCode.NODE_UNKNOWN, "")));
  }

  private NodeEntry apply(
      String doing, NodeName node, Function<Optional<NodeEntry>, Decision<NodeEntry>> rule) {
    return change(doing, node, rule).orElseThrow();
  }

  private Optional<NodeEntry> change(
      String doing, NodeName node, Function<Optional<NodeEntry>, Decision<NodeEntry>> rule) {
    return Catalog.asked(
        subject(doing, node), () -> book.apply(NodeCodec.key(node), false, rule).after().value());
  }

  private static Subject subject(String doing, NodeName node) {
    return Subject.of(doing + " node '" + node + "'");
  }
}
