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
 * Work on one volume, decided on its record as it was read. The first write counts only if the
 * record is still that one; otherwise the work is decided again. From then on the work stands in
 * the record, with its owner and epoch, until it is {@linkplain #end ended}: no other control plane
 * begins work on the volume, and each further write counts only if none has taken it over.
 *
 * <p>The snapshots on record stay as they are by the time of each write: they are cut while other
 * things are done with the volume.
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

  /** Another process has changed the record since it was read, and nothing was begun yet. */
  static final class Overtaken extends RuntimeException {

    private static final long serialVersionUID = 1L;

    Overtaken() {
      super("the record of the volume was changed", null, false, false);
    }
  }

  /**
   * Work that is not begun.
   *
   * @param last the record that it is decided on
   * @param entry what the record says, now that its former work has ended
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

  /** Returns what is on record. */
  Optional<CatalogEntry> entry() {
    return entry;
  }

  /** Returns whether the volume was on record when the work was decided. */
  boolean wasThere() {
    return wasThere;
  }

  /**
   * Returns what is on record of a volume that is there.
   *
   * @throws ControllerException if there is none
   */
  CatalogEntry there(String doing) {
    return Catalog.there(entry, key, doing);
  }

  /**
   * Writes a step of work that goes on.
   *
   * @param beside what is changed in the same write, as for all steps
   */
  CatalogEntry begin(Subject subject, CatalogEntry next, Part<?>... beside) {
    return put(subject, Optional.of(Kind.CHANGE), next, false, beside);
  }

  /**
   * Writes that a volume is about to go. No snapshot of the volume begins meanwhile.
   *
   * @throws ControllerException if a snapshot of it is on record, whose fate is not known: it can
   *     be found by its volume only
   */
  CatalogEntry intend(Subject subject, Kind kind, CatalogEntry next, Part<?>... beside) {
    return put(subject, Optional.of(kind), next, true, beside);
  }

  /**
   * Writes a volume that is adopted unless another record has it. Until the work is ended, the
   * volume is not on record, and giving the work up removes its record.
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

  /** Removes the record, and returns what was on record last. */
  Optional<CatalogEntry> remove(Subject subject, Part<?>... beside) {
    return remove(subject, false, beside);
  }

  /**
   * Removes the record of a volume of which no snapshot is on record.
   *
   * @throws ControllerException if one is, also one that has just begun
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

  /** Writes by a rule, if the record is still the one that this work goes on from. */
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
   * Ends work that failed. An intended deletion goes on: it may hold the claims of the volume. An
   * adoption that was not decided leaves no record.
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

  /** Other control planes take the work over, whatever the record says of its owner. */
  private void abandon() {
    owner.ifPresent(it -> it.giveUp(key, CatalogWork.VOLUME));
  }

  /** The work counts for the session no more. */
  private void leave() {
    owner.ifPresent(Ownership::end);
    owner = Optional.empty();
  }
}
