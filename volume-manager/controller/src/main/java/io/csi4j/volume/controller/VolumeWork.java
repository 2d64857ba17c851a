package io.csi4j.volume.controller;

import io.csi4j.volume.catalog.CatalogEntry;
import io.csi4j.volume.controller.ControlPlaneSession.Ownership;
import io.csi4j.volume.internal.catalog.CatalogRecord;
import io.csi4j.volume.internal.catalog.CatalogWork;
import io.csi4j.volume.internal.catalog.CatalogWork.Kind;
import io.csi4j.volume.internal.store.RecordBook.Decision;
import io.csi4j.volume.internal.store.RecordBook.Part;
import io.csi4j.volume.internal.text.Subject;
import io.csi4j.volume.model.ChangeOutcome;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.VolumeKey;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;

/**
 * Work on one volume, decided on its record as read. The first write succeeds only if the record is
 * unchanged; otherwise the work is decided again. From then on, the record contains the work with
 * its owner and epoch until it is {@linkplain #end ended}: no other control plane begins work on
 * the volume, and each further write succeeds only if none has taken the work over.
 *
 * <p>Each write keeps the snapshots as recorded at that time: they are created in parallel with
 * other work on the volume.
 */
final class VolumeWork {

  private final Catalog catalog;
  private final ControlPlaneSession session;
  private final VolumeKey key;
  private Optional<CatalogRecord> last;
  private Optional<CatalogEntry> entry;
  private Optional<CatalogWork> mine = Optional.empty();
  private Optional<Ownership> owner = Optional.empty();
  private final boolean wasThere;
  private boolean isBegun;

  /** Another process has changed the record since it was read, and no work was begun yet. */
  static final class Overtaken extends RuntimeException {

    private static final long serialVersionUID = 1L;

    Overtaken() {
      super("the record of the volume was changed", null, false, false);
    }
  }

  /**
   * Creates work that has not begun.
   *
   * @param last the record on which it is decided
   * @param entry the entry of the record, after its former work has ended
   */
  VolumeWork(
      Catalog catalog,
      ControlPlaneSession session,
      VolumeKey key,
      Optional<CatalogRecord> last,
      Optional<CatalogEntry> entry) {
    this.catalog = catalog;
    this.session = session;
    this.key = key;
    this.last = last;
    this.entry = entry;
    this.wasThere = entry.isPresent();
  }

  /** Returns the current entry. */
  Optional<CatalogEntry> entry() {
    return entry;
  }

  /** Returns whether the volume had a record when the work was decided. */
  boolean wasThere() {
    return wasThere;
  }

  /**
   * Returns the entry of an existing volume.
   *
   * @throws ControllerException if there is none
   */
  CatalogEntry there(String doing) {
    return Catalog.there(entry, key, doing);
  }

  /**
   * Writes a step after which the work continues.
   *
   * @param beside changes to other records in the same write, as for all steps
   */
  CatalogEntry begin(Subject subject, CatalogEntry next, Part<?>... beside) {
    return put(subject, Optional.of(Kind.CHANGE), next, false, beside);
  }

  /**
   * Records that a volume is about to be removed. No snapshot of the volume begins meanwhile.
   *
   * @throws ControllerException if a snapshot whose state is uncertain is recorded with the volume:
   *     only through the volume can it be found
   */
  CatalogEntry intend(Subject subject, Kind kind, CatalogEntry next, Part<?>... beside) {
    return put(subject, Optional.of(kind), next, true, beside);
  }

  /**
   * Writes the record of a volume that is being adopted, unless another record has the volume.
   * Until the work has ended, the volume does not count as recorded, and giving the work up removes
   * its record.
   */
  CatalogEntry propose(Subject subject, CatalogEntry next) {
    return put(subject, Optional.of(Kind.ADOPTION), next, false);
  }

  /** Writes the last step. */
  CatalogEntry end(Subject subject, CatalogEntry next, Part<?>... beside) {
    return put(subject, Optional.empty(), next, false, beside);
  }

  private CatalogEntry put(
      Subject subject,
      Optional<Kind> kind,
      CatalogEntry next,
      boolean refusesCuts,
      Part<?>... beside) {
    Optional<Kind> marked = kind.filter(it -> session.isShared() || it != Kind.CHANGE);
    if (marked.isPresent() && owner.isEmpty()) {
      owner = Optional.of(catalog.enter(subject));
    }
    Optional<CatalogWork> now = marked.map(it -> mine(it));
    Optional<CatalogRecord> written =
        apply(
            subject,
            kind.isPresent(),
            there -> {
              if (refusesCuts && there.isPresent()) {
                Optional<String> asked = Catalog.asked(there.get().entry());
                if (asked.isPresent()) {
                  return new Decision.Refuse<>(OperatorCode.SNAPSHOT_OWED, asked.get());
                }
              }
              CatalogRecord record = next(there, next, now);
              return there.equals(Optional.of(record))
                  ? new Decision.Keep<>()
                  : new Decision.Write<>(record);
            },
            beside);
    mine = now;
    if (mine.isEmpty()) {
      leave();
    }
    CatalogEntry put = written.orElseThrow().entry();
    entry = Optional.of(put);
    return put;
  }

  private CatalogWork mine(Kind kind) {
    long epoch =
        mine.map(CatalogWork::epoch).orElseGet(() -> last.map(CatalogRecord::epoch).orElse(0L) + 1);
    return new CatalogWork(CatalogWork.VOLUME, kind, owner.orElseThrow().owner(), epoch);
  }

  private static CatalogRecord next(
      Optional<CatalogRecord> there, CatalogEntry next, Optional<CatalogWork> work) {
    CatalogRecord base =
        there
            .map(record -> record.with(next.cutting(record.entry().pendingSnapshots())))
            .orElseGet(() -> CatalogRecord.of(next))
            .without(CatalogWork.VOLUME);
    return work.map(base::with).orElse(base);
  }

  /** Removes the record, and returns the last entry. */
  Optional<CatalogEntry> remove(Subject subject, Part<?>... beside) {
    return remove(subject, false, beside);
  }

  /**
   * Removes the record of a volume without recorded snapshots.
   *
   * @throws ControllerException if a snapshot is recorded, including one that has just begun
   */
  void removeUncut(Subject subject, Part<?>... beside) {
    var unused = remove(subject, true, beside);
  }

  private Optional<CatalogEntry> remove(Subject subject, boolean refusesCuts, Part<?>... beside) {
    AtomicReference<Optional<CatalogEntry>> removed = new AtomicReference<>(Optional.empty());
    var unused =
        apply(
            subject,
            false,
            there -> {
              removed.set(there.map(CatalogRecord::entry));
              Optional<String> asked =
                  refusesCuts
                      ? there.flatMap(record -> Catalog.asked(record.entry()))
                      : Optional.empty();
              if (asked.isPresent()) {
                return new Decision.Refuse<>(OperatorCode.SNAPSHOT_OWED, asked.get());
              }
              return there.isPresent() ? new Decision.Remove<>() : new Decision.Keep<>();
            },
            beside);
    mine = Optional.empty();
    entry = Optional.empty();
    leave();
    return removed.get();
  }

  /** Applies a rule to the record, if it is still the one that this work continues from. */
  private Optional<CatalogRecord> apply(
      Subject subject,
      boolean acquires,
      Function<Optional<CatalogRecord>, Decision<CatalogRecord>> rule,
      Part<?>... beside) {
    AtomicReference<Optional<CatalogRecord>> seen = new AtomicReference<>(Optional.empty());
    try {
      last =
          catalog.apply(
              subject,
              key,
              acquires,
              there -> {
                seen.set(there);
                return isMine(there)
                    ? rule.apply(there)
                    : new Decision.Refuse<>(OperatorCode.VOLUME_TAKEN_OVER, "");
              },
              beside);
    } catch (ControllerException failed) {
      if (failed.outcome() == ChangeOutcome.UNCERTAIN) {
        // The write may arrive after this work has ended, with this session as the owner.
        abandon();
        throw failed;
      }
      if (failed.code() != OperatorCode.VOLUME_TAKEN_OVER) {
        throw failed;
      }
      mine = Optional.empty();
      throw isBegun ? takenOver(subject, seen.get()) : new Overtaken();
    }
    isBegun = true;
    return last;
  }

  private boolean isMine(Optional<CatalogRecord> there) {
    if (!isBegun) {
      return there.equals(last);
    }
    return mine.isPresent()
        ? there.flatMap(record -> record.work(CatalogWork.VOLUME)).equals(mine)
        : uncut(there).equals(uncut(last));
  }

  private static Optional<CatalogEntry> uncut(Optional<CatalogRecord> record) {
    return record.map(each -> each.entry().cutting(List.of()));
  }

  private static ControllerException takenOver(Subject subject, Optional<CatalogRecord> now) {
    return ControllerFailures.failed(
        ChangeOutcome.UNCERTAIN,
        OperatorCode.VOLUME_TAKEN_OVER,
        subject,
        now.flatMap(record -> record.work(CatalogWork.VOLUME))
            .map(
                work ->
                    "control plane '"
                        + work.owner().controlPlane()
                        + "' works on it (epoch "
                        + work.epoch()
                        + ")")
            .orElse("another control plane has worked on it since"),
        null);
  }

  /** Returns a call that is not sent if another control plane may have taken over the work. */
  <T> ControllerCall<T> guarded(ControllerCall<T> call) {
    return owner.map(by -> Catalog.guarded(call, by::mayCall)).orElse(call);
  }

  /**
   * Ends failed work. An intended deletion continues, because it may hold the claims of the volume.
   * An undecided adoption leaves no record.
   */
  void giveUp(Subject subject) {
    try {
      if (isOfKind(Kind.DELETION)) {
        abandon();
      } else if (isOfKind(Kind.ADOPTION)) {
        var unused = remove(subject);
      } else if (mine.isPresent()) {
        var unused = end(subject, entry.orElseThrow());
      }
    } catch (ControllerException left) {
      abandon();
    } catch (RuntimeException | Error unexpected) {
      abandon();
      throw unexpected;
    } finally {
      leave();
    }
  }

  private boolean isOfKind(Kind kind) {
    return mine.filter(work -> work.kind() == kind).isPresent();
  }

  /** Lets other control planes take over the work, whatever owner the record has. */
  private void abandon() {
    owner.ifPresent(it -> it.giveUp(key, CatalogWork.VOLUME));
  }

  /** Notes that the work no longer belongs to the session. */
  private void leave() {
    owner.ifPresent(Ownership::end);
    owner = Optional.empty();
  }
}
