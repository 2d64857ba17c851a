package io.csi4j.volume.controller;

import io.csi4j.volume.catalog.ClusterIdentity;
import io.csi4j.volume.internal.catalog.ClusterCodec;
import io.csi4j.volume.internal.catalog.ClusterRecord;
import io.csi4j.volume.internal.store.RecordBook;
import io.csi4j.volume.internal.store.RecordBook.Decision;
import io.csi4j.volume.internal.text.Subject;
import io.csi4j.volume.model.ChangeOutcome;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.store.RecordStore;
import java.util.Optional;

/**
 * The cluster that a catalog belongs to. Its identity is stored in the catalog's store together
 * with the identity of that store; this shows when records were copied into another store.
 */
final class CatalogCluster {

  private final RecordStore store;
  private final RecordBook<ClusterRecord> book;

  /** The identity, which never changes once it is set. */
  private volatile Optional<ClusterIdentity> known = Optional.empty();

  private volatile boolean isChecked;

  CatalogCluster(RecordStore store) {
    this.store = store;
    this.book =
        Catalog.asked(
            Subject.of("reading the identity of the cluster"),
            () -> new RecordBook<>(store, new ClusterCodec(), Optional.empty()));
  }

  /**
   * Rejects a store whose records were moved, a catalog of another cluster than the host has
   * configured, and a copy.
   *
   * @param expected the cluster that the host has configured, if any
   */
  void open(Optional<ClusterIdentity> expected) {
    Subject subject = Subject.of("opening the catalog of volumes");
    Catalog.checked(subject, book::checkMove);
    Optional<ClusterIdentity> here = identity(subject);
    if (expected.isPresent() && !here.equals(expected)) {
      throw ControllerFailures.failed(
          ChangeOutcome.HELD,
          OperatorCode.CLUSTER_OTHER,
          subject,
          "cluster '"
              + expected.get()
              + "' is expected, but store '"
              + store.identity()
              + "' "
              + here.map(it -> "belongs to cluster '" + it + "'").orElse("has no identity"),
          null);
    }
    check(subject);
  }

  /** Returns the identity of the cluster as it is in the store now; empty if it has none. */
  Optional<ClusterIdentity> identity(Subject subject) {
    if (known.isEmpty()) {
      known = look(subject).map(ClusterRecord::identity);
    }
    return known;
  }

  private Optional<ClusterRecord> look(Subject subject) {
    return Catalog.asked(subject, () -> book.look(ClusterCodec.KEY, false).value());
  }

  /**
   * Rejects work in a store whose records were moved or copied. A store that accepts no writes
   * rejects them itself; after a person has settled that, its records count as a copy until they
   * are accepted.
   */
  void check(Subject subject) {
    Catalog.checked(subject, book::checkMove);
    if (isChecked || store.readOnly().isPresent()) {
      return;
    }
    Optional<ClusterRecord> here = look(subject);
    if (!isHere(here)) {
      throw ControllerFailures.failed(
          ChangeOutcome.HELD,
          OperatorCode.CLUSTER_COPIED,
          subject,
          "cluster '"
              + here.orElseThrow().identity()
              + "' works with store '"
              + here.get().store()
              + "', but this is store '"
              + store.identity()
              + "'",
          null);
    }
    isChecked = true;
  }

  /** Gives the cluster an identity. */
  ClusterIdentity create(ClusterIdentity identity) {
    Subject subject = Subject.of("giving the cluster an identity");
    ClusterRecord made = new ClusterRecord(identity, store.identity());
    return change(
        subject,
        now ->
            now.<Decision<ClusterRecord>>map(
                    there ->
                        new Decision.Refuse<>(
                            OperatorCode.CLUSTER_EXISTS,
                            "it belongs to cluster '" + there.identity() + "'"))
                .orElseGet(() -> new Decision.Write<>(made)));
  }

  /** Whether the cluster works with this store; true also if it has no identity. */
  boolean isAccepted() {
    return isHere(look(Subject.of("reading the identity of the cluster")));
  }

  private boolean isHere(Optional<ClusterRecord> record) {
    return record.filter(it -> !it.store().equals(store.identity())).isEmpty();
  }

  /** Records that the cluster works with this store from now on. */
  ClusterIdentity accept() {
    Subject subject = Subject.of("accepting the store of the cluster");
    return change(
        subject,
        now ->
            now.<Decision<ClusterRecord>>map(
                    there ->
                        there.store().equals(store.identity())
                            ? new Decision.Keep<>()
                            : new Decision.Write<>(
                                new ClusterRecord(there.identity(), store.identity())))
                .orElseGet(
                    () ->
                        new Decision.Refuse<>(
                            OperatorCode.CLUSTER_OTHER,
                            "store '" + store.identity() + "' has no cluster identity")));
  }

  private ClusterIdentity change(Subject subject, Rule rule) {
    return Catalog.asked(subject, () -> book.apply(ClusterCodec.KEY, true, rule::decide))
        .after()
        .value()
        .orElseThrow()
        .identity();
  }

  /** A rule about the record of the cluster. */
  @FunctionalInterface
  private interface Rule {
    Decision<ClusterRecord> decide(Optional<ClusterRecord> now);
  }
}
