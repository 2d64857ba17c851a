package io.csi4j.volume.controller;

import io.csi4j.client.model.VolumeId;
import io.csi4j.volume.catalog.CatalogEntry;
import io.csi4j.volume.catalog.CatalogEntry.PendingSnapshot;
import io.csi4j.volume.catalog.CatalogVolume;
import io.csi4j.volume.catalog.VolumeStore;
import io.csi4j.volume.internal.path.StateCodes;
import io.csi4j.volume.internal.text.Subject;
import io.csi4j.volume.internal.time.Turns;
import io.csi4j.volume.model.ChangeOutcome;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.VolumeIdentity;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.state.StateException;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The volumes that are remembered: what the store has, at hand. */
final class Catalog {

  private static final System.Logger LOG = System.getLogger("io.csi4j.volume");

  private final VolumeStore store;
  private final Turns<VolumeKey> turns = new Turns<>();
  private final ConcurrentSkipListMap<VolumeKey, CatalogEntry> records =
      new ConcurrentSkipListMap<>();

  /** What is on the medium already, and not shown yet. */
  private final Map<VolumeKey, CatalogEntry> intended = new ConcurrentHashMap<>();

  /** Volumes that are being forgotten: shown as they are, and not attached any more. */
  private final Set<VolumeKey> leaving = ConcurrentHashMap.newKeySet();

  /** The catalog in this store. */
  Catalog(VolumeStore store) {
    this.store = store;
    stored(ChangeOutcome.HELD, Subject.of("reading the catalog of volumes"), store::load)
        .forEach(each -> records.put(each.key(), each));
  }

  Optional<CatalogEntry> find(VolumeKey key) {
    return Optional.ofNullable(records.get(key));
  }

  /** The record of a volume that is there. */
  CatalogEntry there(VolumeKey key, String doing) {
    Subject subject = Subject.of(doing + " volume '" + key + "'");
    CatalogEntry record =
        find(key)
            .orElseThrow(
                () -> ControllerFailures.refused(OperatorCode.VOLUME_UNKNOWN, subject, ""));
    if (record.state() instanceof CatalogEntry.State.Deleting) {
      throw ControllerFailures.refused(OperatorCode.VOLUME_BEING_DELETED, subject, "");
    }
    if (record.volume().isEmpty()) {
      throw ControllerFailures.refused(
          OperatorCode.VOLUME_UNKNOWN, subject, "it is being created, and not there yet");
    }
    return record;
  }

  /** A volume that is there. */
  CatalogVolume volume(VolumeKey key, String doing) {
    return there(key, doing).volume().orElseThrow();
  }

  /** The record of a volume that may be attached: that of one that is being forgotten is none. */
  Optional<CatalogEntry> findToAttach(VolumeKey key) {
    // In this order: it leaves the set when its record is removed.
    return leaving.contains(key) ? Optional.empty() : find(key);
  }

  Collection<CatalogEntry> all() {
    return List.copyOf(records.values());
  }

  List<CatalogVolume> volumes() {
    return all().stream().flatMap(each -> each.volume().stream()).toList();
  }

  /**
   * Returns the snapshots of a volume that are on record, and the groups that it belongs to: also
   * one that a crash has left on the record of other volumes only.
   */
  Stream<PendingSnapshot> cuts(VolumeKey key) {
    return Stream.concat(
        find(key).stream().flatMap(record -> record.pendingSnapshots().stream()),
        all().stream()
            .flatMap(record -> record.pendingSnapshots().stream())
            .filter(cut -> cut.group().contains(key)));
  }

  /**
   * Remembers it on the medium before it is shown. The snapshots that are asked for stay as they
   * are by now: they are cut while other things are done with the volume.
   */
  CatalogEntry put(Subject subject, CatalogEntry record) {
    return turns.during(
        record.key(),
        () -> {
          List<PendingSnapshot> now =
              find(record.key())
                  .map(CatalogEntry::pendingSnapshots)
                  .orElse(record.pendingSnapshots());
          CatalogEntry put = write(subject, record.cutting(now));
          intended.remove(record.key());
          return put;
        });
  }

  /**
   * Remembers on the medium that a volume is being deleted, and shows what was there before until
   * this is {@linkplain #show shown}, or another record is {@link #put}. No snapshot of the volume
   * begins meanwhile.
   *
   * @throws ControllerException if a snapshot of it is on record, whose fate is not known: it can
   *     be found by its volume only
   */
  void intend(Subject subject, CatalogEntry deleting) {
    turns.during(
        deleting.key(),
        () -> {
          find(deleting.key()).ifPresent(record -> refuseCut(subject, record));
          return intended.put(deleting.key(), store(subject, deleting));
        });
  }

  /** Shows what was {@linkplain #intend intended}, and returns what is shown by now. */
  CatalogEntry show(VolumeKey key) {
    return turns.during(
        key,
        () -> {
          CatalogEntry now = intended.remove(key);
          if (now != null) {
            records.put(key, now);
          }
          return Objects.requireNonNull(records.get(key));
        });
  }

  /** Refuses to lose a volume by which alone its snapshots of unknown fate can be found. */
  static void refuseCut(Subject subject, CatalogEntry record) {
    if (!record.pendingSnapshots().isEmpty()) {
      throw ControllerFailures.refused(OperatorCode.SNAPSHOT_OWED, subject, asked(record));
    }
  }

  /** The snapshots that nobody was told of. */
  static String asked(CatalogEntry record) {
    return record.pendingSnapshots().stream()
        .map(cut -> "snapshot '" + cut.name() + "' was asked for")
        .collect(Collectors.joining(", "));
  }

  /**
   * Remembers that a snapshot is asked for.
   *
   * @return what was on record of it before; nothing if it was not asked for
   * @throws ControllerException if one of the same name was asked for in another way
   */
  Optional<PendingSnapshot> begin(Subject subject, VolumeKey key, PendingSnapshot cut) {
    return turns.during(
        key,
        () -> {
          CatalogEntry record =
              find(key)
                  .filter(each -> each.volume().isPresent())
                  .orElseThrow(
                      () ->
                          ControllerFailures.refused(
                              OperatorCode.VOLUME_UNKNOWN,
                              subject,
                              "it is being deleted, or is gone"));
          if (intended.containsKey(key)) {
            throw ControllerFailures.refused(OperatorCode.VOLUME_BEING_DELETED, subject, "");
          }
          if (cuts(key).anyMatch(it -> it.isNamedAs(cut) && !it.asked().equals(cut.asked()))) {
            throw ControllerFailures.refused(
                OperatorCode.VOLUME_REQUEST_REFUSED,
                subject,
                "a snapshot of that name is on record with other parameters, places or volumes, and"
                    + " it may be in the storage system; ask for just that one, drop it, or take"
                    + " another name");
          }
          Optional<PendingSnapshot> before = record.cut(cut);
          if (before.isEmpty()) {
            write(subject, record.with(cut));
          }
          return before;
        });
  }

  /**
   * Remembers what a plugin answered about a snapshot that is asked for. Where that cannot be
   * written, the request is on record all the same, and finds the snapshot again.
   */
  void answered(Subject subject, VolumeKey key, PendingSnapshot cut) {
    try {
      turns.during(
          key,
          () ->
              find(key)
                  .filter(
                      record -> isOnRecord(record, cut) && !record.pendingSnapshots().contains(cut))
                  .map(record -> write(subject, record.with(cut))));
    } catch (ControllerException notWritten) {
      LOG.log(
          System.Logger.Level.WARNING,
          "The id of a snapshot is not on record: {0}",
          notWritten.getMessage());
    }
  }

  /**
   * Forgets a snapshot that is there and told, or that is not there. Another one that is on record
   * under the same name stays.
   */
  void end(Subject subject, VolumeKey key, PendingSnapshot cut) {
    try {
      turns.during(
          key,
          () ->
              find(key)
                  .filter(record -> isOnRecord(record, cut))
                  .map(record -> write(subject, record.without(cut))));
    } catch (ControllerException notWritten) {
      // It is told as owed until it is asked for again, which finds it and comes by here.
      LOG.log(
          System.Logger.Level.WARNING,
          "What came of a snapshot is not on record: {0}",
          notWritten.getMessage());
    }
  }

  private static boolean isOnRecord(CatalogEntry record, PendingSnapshot cut) {
    return record.pendingSnapshots().stream().anyMatch(it -> it.asked().equals(cut.asked()));
  }

  private CatalogEntry write(Subject subject, CatalogEntry record) {
    records.put(record.key(), store(subject, record));
    return record;
  }

  private CatalogEntry store(Subject subject, CatalogEntry record) {
    return stored(
        ChangeOutcome.UNAVAILABLE,
        subject,
        () -> {
          store.put(record);
          return record;
        });
  }

  private static <T> T stored(ChangeOutcome ifRefused, Subject subject, Supplier<T> step) {
    try {
      return step.get();
    } catch (StateException refused) {
      throw ControllerFailures.failed(
          ifRefused,
          StateCodes.of(refused.reason()),
          subject,
          String.valueOf(refused.getMessage()),
          refused);
    }
  }

  /** Forgets a volume, and returns its last record. */
  Optional<CatalogEntry> remove(VolumeKey key) {
    return turns.during(key, () -> removed(key));
  }

  /**
   * Forgets a volume of which no snapshot is on record. It is not attached from before the last
   * look on: the look finds a claim that was written before that, and a later one finds no record.
   *
   * @param lastLook throws if the volume must not be forgotten
   * @throws ControllerException if a snapshot is on record, also one that has just begun
   */
  void removeUncut(Subject subject, VolumeKey key, Runnable lastLook) {
    leaving.add(key);
    try {
      lastLook.run();
      Optional<CatalogEntry> ignored =
          turns.during(
              key,
              () -> {
                find(key).ifPresent(record -> refuseCut(subject, record));
                return removed(key);
              });
    } finally {
      leaving.remove(key);
    }
  }

  private Optional<CatalogEntry> removed(VolumeKey key) {
    // What was done with the volume before is done, so that nothing is undone for it.
    return stored(
        ChangeOutcome.UNCERTAIN,
        Subject.of("forgetting volume '" + key + "'"),
        () -> {
          store.remove(key);
          return Optional.ofNullable(records.remove(key));
        });
  }

  /** Another record of the same volume, if there is one: deleting it would take that one's data. */
  Optional<CatalogEntry> other(CatalogEntry record, VolumeId id) {
    return all().stream()
        .filter(each -> !each.key().equals(record.key()))
        .filter(each -> each.spec().plugin().equals(record.spec().plugin()))
        .filter(each -> each.id().equals(Optional.of(id)))
        .findFirst();
  }

  /** Refuses a volume that is on record under another name. */
  void refuseOther(CatalogEntry record, VolumeId id) {
    Optional<CatalogEntry> other = other(record, id);
    if (other.isPresent()) {
      throw ControllerFailures.failed(
          ChangeOutcome.HELD,
          OperatorCode.VOLUME_ID_TAKEN,
          Subject.of(
              "asking for volume '" + record.key() + "', which got the id of",
              new VolumeIdentity(record.spec().plugin(), id)),
          "that is '" + other.get().key() + "'",
          null);
    }
  }
}
