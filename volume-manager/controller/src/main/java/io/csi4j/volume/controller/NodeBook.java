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
 * The nodes of a cluster, one record for each, in the store of the claims: any control plane knows
 * a node that has reported to one of them. A record is written when the facts of its node change,
 * and not with each report.
 *
 * <p>Methods block as long as the store does, and fail with {@link ControllerException}. Safe for
 * many threads.
 *
 * @since 1.0
 */
public final class NodeBook {

  private static final int PAGE = 500;
  private static final Subject ALL = Subject.of("reading the nodes of the cluster");

  private final RecordStore store;
  private final RecordBook<NodeEntry> book;

  /**
   * The nodes in a store.
   *
   * @param store the store, which stays open
   */
  public NodeBook(RecordStore store) {
    this.store = store;
    book = Catalog.asked(ALL, () -> new RecordBook<>(store, new NodeCodec(), Optional.empty()));
  }

  /**
   * The nodes of a cluster.
   *
   * @param nodes those whose records can be read, by name
   * @param unreadable a message for each of the others
   * @since 1.0
   */
  public record Nodes(List<NodeEntry> nodes, List<OperatorMessage> unreadable) {

    /** Copies the lists. */
    public Nodes {
      nodes = List.copyOf(nodes);
      unreadable = List.copyOf(unreadable);
    }
  }

  /** Returns a node; nothing if no record names it. */
  public Optional<NodeEntry> find(NodeName node) {
    return Catalog.asked(
        subject("reading", node), () -> book.look(NodeCodec.key(node), false).value());
  }

  /**
   * Returns a node.
   *
   * @throws ControllerException {@link OperatorCode#NODE_UNKNOWN} if no record names it
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
   * Takes a report of a node, as {@link NodeEntry#after} does.
   *
   * @return the node as it is on record then
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
   * Lets a node take no more volumes, whatever it reports. What it has stays.
   *
   * @param why the reason, as a clause for people
   * @throws ControllerException {@link OperatorCode#NODE_UNKNOWN} if no record names the node
   * @throws IllegalArgumentException if the reason is blank
   */
  public NodeEntry drain(NodeName node, ReasonText why) {
    return known("draining", node, entry -> entry.drained(Optional.of(why)));
  }

  /**
   * Ends {@link #drain}. A node that reports that it takes no volumes still takes none.
   *
   * @throws ControllerException {@link OperatorCode#NODE_UNKNOWN} if no record names the node
   */
  public NodeEntry undrain(NodeName node) {
    return known("undraining", node, entry -> entry.drained(Optional.empty()));
  }

  /**
   * Notes that something keeps a node away. It is a candidate for no volume until its next report.
   *
   * @param by what keeps it away, as a clause for people
   * @param seen the node as it has reported last, as far as the caller knows: a report from before
   *     that arrives later does not bring the node back
   * @return the node; nothing if no record names it
   * @throws IllegalArgumentException if the reason is blank
   */
  public Optional<NodeEntry> away(NodeName node, ReasonText by, Optional<NodeEntry> seen) {
    return change(
        "noting the absence of",
        node,
        now ->
            now.<Decision<NodeEntry>>map(entry -> new Decision.Write<>(entry.away(by, seen)))
                .orElseGet(Decision.Keep::new));
  }

  /**
   * Forgets a node that has no claim any more, and with it what operators have said of it. A node
   * that is forgotten already stays so; one that reports again is known again. A record that cannot
   * be read is removed, too.
   *
   * @param claims the claims of the cluster
   * @throws ControllerException {@link OperatorCode#NODE_CLAIMED} if a claim of the node has not
   *     ended, or may not have: it could not be read
   * @throws io.csi4j.volume.claim.ClaimException if the claims cannot be read
   */
  public void forget(NodeName node, ClaimCoordinator claims) {
    ClaimsOfNode left = claims.ofNode(node);
    Optional<String> why =
        left.all().stream()
            .findFirst()
            .map(each -> each.usage() + " is one of " + left.all().size())
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
   * Returns why nothing new may be claimed for the node of a request; nothing if it may be. For
   * {@link io.csi4j.volume.claim.coordination.ClaimBook#asking}.
   */
  public Optional<Refused> whyNotClaimed(ClaimRequest request) {
    return whyNotClaimed(request, NodeEntry::whyNotClaimed);
  }

  /**
   * Returns why nothing new of a plugin may be claimed for the node of a request; nothing if it may
   * be.
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
