package io.csi4j.volume.controller;

import io.csi4j.volume.catalog.CatalogEntry;
import io.csi4j.volume.catalog.CatalogEntry.PendingSnapshot;
import io.csi4j.volume.controller.ControlPlaneSession.Ownership;
import io.csi4j.volume.internal.catalog.CatalogRecord;
import io.csi4j.volume.internal.catalog.CatalogWork;
import io.csi4j.volume.internal.catalog.CatalogWork.Kind;
import io.csi4j.volume.internal.catalog.CatalogWork.Owner;
import io.csi4j.volume.internal.catalog.SessionRecord.Part;
import io.csi4j.volume.internal.store.RecordBook.Decision;
import io.csi4j.volume.internal.text.Subject;
import io.csi4j.volume.model.ChangeOutcome;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.VolumeKey;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Work on the snapshots of one name, as recorded with each of their volumes. In a store that other
 * control planes have open, the work is marked in these records until it ends: no other control
 * plane creates or drops a snapshot of this name meanwhile. Not thread-safe.
 */
final class SnapshotWork implements AutoCloseable {

  private static final System.Logger LOG = System.getLogger("io.csi4j.volume");

  private static final String OTHERWISE =
      "a snapshot with that name is recorded with other parameters, topologies or volumes, and may"
          + " exist at the storage system; request exactly that one, drop it, or use another name";

  private final Catalog catalog;
  private final ControlPlaneSession session;
  private final Map<Part, CatalogWork> marks = new HashMap<>();

  /** The remaining time in nanoseconds that this work may wait for other control planes. */
  private final AtomicLong patience;

  private @Nullable Ownership owner;

  SnapshotWork(Catalog catalog, ControlPlaneSession session) {
    this.catalog = catalog;
    this.session = session;
    this.patience = catalog.patience();
  }

  private static String part(PendingSnapshot cut) {
    return (cut.group().isEmpty() ? "snapshot " : "group ") + cut.name();
  }

  /** Begins the work; in a shared store, marks it for other control planes. */
  private Optional<Ownership> entered(Subject subject) {
    if (owner == null && session.isShared()) {
      owner = catalog.enter(subject);
    }
    return Optional.ofNullable(owner);
  }

  /**
   * Records that a snapshot is requested.
   *
   * @return the previous record of it; empty if it was not requested before
   * @throws ControllerException if a snapshot of the same name was requested with other parameters
   */
  Optional<PendingSnapshot> begin(Subject subject, VolumeKey key, PendingSnapshot cut) {
    return begin(
        subject,
        key,
        cut,
        record -> {
          if (record.entry().volume().isEmpty() || record.isBeingAdopted()) {
            return new Decision.Refuse<>(
                OperatorCode.VOLUME_UNKNOWN, "it is being deleted, or no longer exists");
          }
          if (record
              .work(CatalogWork.VOLUME)
              .filter(work -> work.kind() == Kind.DELETION)
              .isPresent()) {
            return new Decision.Refuse<>(OperatorCode.VOLUME_BEING_DELETED, "");
          }
          if (record.entry().pendingSnapshots().stream().anyMatch(it -> isOtherwise(it, cut))) {
            return new Decision.Refuse<>(OperatorCode.VOLUME_REQUEST_REFUSED, OTHERWISE);
          }
          if (record.entry().cut(cut).isPresent()) {
            return new Decision.Write<>(record);
          }
          Optional<String> full = CatalogRoom.refusal(record.entry(), cut);
          return full.isPresent()
              ? new Decision.Refuse<>(OperatorCode.VOLUME_RECORD_FULL, full.get())
              : new Decision.Write<>(record.with(record.entry().with(cut)));
        });
  }

  /**
   * Rejects a group that was begun for all of its volumes if another group of its name is recorded
   * with any volume of it. If two groups begin at the same time, one finds the other through the
   * record of a volume that both have.
   */
  void refuseOther(Subject subject, PendingSnapshot cut) {
    if (catalog.groups(cut.group()).anyMatch(it -> isOtherwise(it, cut))) {
      throw ControllerFailures.refused(OperatorCode.VOLUME_REQUEST_REFUSED, subject, OTHERWISE);
    }
  }

  private static boolean isOtherwise(PendingSnapshot known, PendingSnapshot cut) {
    return known.isNamedAs(cut) && !known.asked().equals(cut.asked());
  }

  /**
   * Takes ownership of a snapshot if it is recorded, so that no other control plane works on it.
   * Returns whether it is recorded.
   */
  boolean takeUp(Subject subject, VolumeKey key, PendingSnapshot cut) {
    if (!session.isShared()) {
      return true;
    }
    var unused =
        begin(
            subject,
            key,
            cut,
            record ->
                record.entry().cut(cut).isPresent()
                    ? new Decision.Write<>(record)
                    : new Decision.Keep<>());
    return marks.containsKey(new Part(key, part(cut)));
  }

  /** A rule for a recorded volume. */
  @FunctionalInterface
  private interface Rule {
    Decision<CatalogRecord> decide(CatalogRecord record);
  }

  private Optional<PendingSnapshot> begin(
      Subject subject, VolumeKey key, PendingSnapshot cut, Rule rule) {
    String part = part(cut);
    while (true) {
      catalog.awaitFree(subject, key, part, patience);
      Optional<Ownership> by = entered(subject);
      Begun begun = new Begun();
      try {
        var unused =
            catalog.apply(subject, key, true, there -> decided(there, key, cut, by, rule, begun));
      } catch (ControllerException failed) {
        if (failed.outcome() == ChangeOutcome.UNCERTAIN) {
          // The write may arrive after this work has ended, with this session as the owner.
          by.ifPresent(it -> it.giveUp(key, part));
        }
        throw failed;
      }
      if (!begun.isTaken) {
        begun.mark.ifPresent(mark -> marks.put(new Part(key, part), mark));
        return begun.before;
      }
    }
  }

  private Decision<CatalogRecord> decided(
      Optional<CatalogRecord> there,
      VolumeKey key,
      PendingSnapshot cut,
      Optional<Ownership> by,
      Rule rule,
      Begun begun) {
    String part = part(cut);
    begun.isTaken = there.flatMap(it -> it.work(part)).filter(it -> isOthers(key, it)).isPresent();
    begun.before = there.flatMap(it -> it.entry().cut(cut));
    begun.mark = Optional.empty();
    if (begun.isTaken) {
      return new Decision.Keep<>();
    }
    if (there.isEmpty()) {
      return new Decision.Refuse<>(
          OperatorCode.VOLUME_UNKNOWN, "it is being deleted, or no " + "longer exists");
    }
    CatalogRecord record = there.get();
    Decision<CatalogRecord> decision = rule.decide(record);
    if (!(decision instanceof Decision.Write<CatalogRecord> write)) {
      return decision;
    }
    begun.mark = by.map(it -> mark(record, key, part, it.owner()));
    CatalogRecord next = begun.mark.map(write.next()::with).orElse(write.next());
    return next.equals(record) ? new Decision.Keep<>() : new Decision.Write<>(next);
  }

  /** The mark already in the record if it belongs to this work, or a new one. */
  private CatalogWork mark(CatalogRecord record, VolumeKey key, String part, Owner by) {
    return record
        .work(part)
        .filter(known -> known.equals(marks.get(new Part(key, part))))
        .orElseGet(() -> new CatalogWork(part, Kind.SNAPSHOT, by, record.epoch() + 1));
  }

  /** The result of the last decision. */
  private static final class Begun {
    boolean isTaken;
    Optional<PendingSnapshot> before = Optional.empty();
    Optional<CatalogWork> mark = Optional.empty();
  }

  private boolean isOthers(VolumeKey key, CatalogWork work) {
    return !session.isOwn(work.owner()) && !session.isKnownOver(key, work);
  }

  /**
   * Records the plugin's answer for a requested snapshot. If that cannot be written, the request is
   * still recorded, and repeating it finds the snapshot again.
   */
  void answered(Subject subject, VolumeKey key, PendingSnapshot cut) {
    try {
      end(subject, key, cut, entry -> entry.with(cut));
    } catch (ControllerException notWritten) {
      LOG.log(
          System.Logger.Level.WARNING,
          "The id of a snapshot could not be recorded: {0}",
          notWritten.getMessage());
    }
  }

  /**
   * Removes a snapshot from the record that the host knows or that does not exist. Another snapshot
   * recorded under the same name stays.
   */
  void end(Subject subject, VolumeKey key, PendingSnapshot cut) {
    try {
      end(subject, key, cut, entry -> entry.without(cut));
    } catch (ControllerException notWritten) {
      // It is shown as pending until the next request finds it and ends the record here.
      LOG.log(
          System.Logger.Level.WARNING,
          "The end of a snapshot could not be recorded: {0}",
          notWritten.getMessage());
    }
  }

  private void end(
      Subject subject, VolumeKey key, PendingSnapshot cut, UnaryOperator<CatalogEntry> change) {
    String part = part(cut);
    var unused =
        catalog.apply(
            subject,
            key,
            false,
            there -> {
              if (there.isEmpty() || !isMine(there.get(), key, part)) {
                return new Decision.Keep<>();
              }
              CatalogRecord record = there.get();
              CatalogRecord next =
                  record
                      .with(
                          isOnRecord(record.entry(), cut)
                              ? change.apply(record.entry())
                              : record.entry())
                      .without(part);
              return next.equals(record) ? new Decision.Keep<>() : new Decision.Write<>(next);
            });
    marks.remove(new Part(key, part));
  }

  /** Whether no other control plane has taken over the snapshot. */
  private boolean isMine(CatalogRecord record, VolumeKey key, String part) {
    CatalogWork mark = marks.get(new Part(key, part));
    Optional<CatalogWork> now = record.work(part);
    return mark == null
        ? now.filter(it -> isOthers(key, it)).isEmpty()
        : now.equals(Optional.of(mark));
  }

  private static boolean isOnRecord(CatalogEntry record, PendingSnapshot cut) {
    return record.pendingSnapshots().stream().anyMatch(it -> it.asked().equals(cut.asked()));
  }

  /** Returns a call that is not sent if another control plane may have taken over the work. */
  <T> ControllerCall<T> guarded(ControllerCall<T> call) {
    Ownership by = owner;
    return by == null ? call : Catalog.guarded(call, by::mayCall);
  }

  /** Ends the work; snapshots whose state is uncertain stay recorded. */
  @Override
  public void close() {
    Ownership by = owner;
    if (by == null) {
      return;
    }
    try {
      Map.copyOf(marks).forEach((part, mark) -> close(by, part.volume(), mark));
    } finally {
      by.end();
    }
  }

  /** Ends the work on a snapshot of one volume, or gives it up so that others take it over. */
  private void close(Ownership by, VolumeKey key, CatalogWork mark) {
    try {
      var unused =
          catalog.apply(
              Subject.of("ending work on a snapshot of volume '" + key + "'"),
              key,
              false,
              there ->
                  there
                      .filter(it -> it.work(mark.part()).equals(Optional.of(mark)))
                      .<Decision<CatalogRecord>>map(
                          it -> new Decision.Write<>(it.without(mark.part())))
                      .orElseGet(Decision.Keep::new));
    } catch (ControllerException left) {
      by.giveUp(key, mark.part());
    }
  }
}
