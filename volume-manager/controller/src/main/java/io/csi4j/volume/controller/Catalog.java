package io.csi4j.volume.controller;

import io.csi4j.client.model.VolumeId;
import io.csi4j.volume.catalog.CatalogEntry;
import io.csi4j.volume.catalog.CatalogEntry.PendingSnapshot;
import io.csi4j.volume.catalog.CatalogEntry.State;
import io.csi4j.volume.catalog.ClusterIdentity;
import io.csi4j.volume.catalog.VolumeFilter;
import io.csi4j.volume.catalog.VolumeSummary;
import io.csi4j.volume.internal.catalog.CatalogCodec;
import io.csi4j.volume.internal.catalog.CatalogRecord;
import io.csi4j.volume.internal.catalog.CatalogWork;
import io.csi4j.volume.internal.catalog.CatalogWork.Kind;
import io.csi4j.volume.internal.catalog.CatalogWork.Owner;
import io.csi4j.volume.internal.catalog.ClusterNames;
import io.csi4j.volume.internal.path.StateCodes;
import io.csi4j.volume.internal.store.RecordBook;
import io.csi4j.volume.internal.store.RecordBook.Decision;
import io.csi4j.volume.internal.store.RecordBook.Part;
import io.csi4j.volume.internal.store.RecordFailure;
import io.csi4j.volume.internal.store.RecordValues;
import io.csi4j.volume.internal.store.RecordValues.Seen;
import io.csi4j.volume.internal.text.Subject;
import io.csi4j.volume.internal.time.Clock;
import io.csi4j.volume.model.CatalogVolume;
import io.csi4j.volume.model.ChangeOutcome;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.VolumeIdentity;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.state.StateException;
import io.csi4j.volume.store.RecordKey;
import io.csi4j.volume.store.RecordStore;
import io.csi4j.volume.store.RecordStore.Watch;
import io.csi4j.volume.store.RecordStore.Watch.Change;
import io.csi4j.volume.store.RecordStoreException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The recorded volumes, in a store that other control planes may have open, too. Each decision
 * about a volume is made on its record in the store; lists come from a {@link CatalogView}.
 */
final class Catalog implements AutoCloseable {

  /**
   * More than any real contention needs: each retry means that another process has written the
   * record.
   */
  private static final int TURNS = 1_000;

  /** The number of records that are read at a time. */
  private static final int PAGE = 500;

  /**
   * The interval at which the session of another control plane is checked while its work is waited
   * for.
   */
  private static final Duration PAUSE = Duration.ofMillis(500);

  private static final Subject READING = Subject.of("reading the catalog of volumes");

  private final RecordStore store;
  private final CatalogCodec codec = new CatalogCodec();
  private final RecordBook<CatalogRecord> book;
  private final CatalogView view;
  private final CatalogCluster cluster;
  private final ControlPlaneSession session;
  private final Clock clock;
  private final Duration longestWait;

  /**
   * Opens the catalog in this store.
   *
   * @param expected the cluster that the host has configured, if any
   * @param longestWait the maximum total time that a request waits for the work of other control
   *     planes
   * @throws ControllerException if the store or a record in it cannot be read, or if the store
   *     belongs to another cluster or is a copy
   */
  Catalog(
      RecordStore store,
      Optional<ClusterIdentity> expected,
      ControlPlaneSession session,
      Clock clock,
      Duration longestWait) {
    this.store = store;
    this.session = session;
    this.clock = clock;
    this.longestWait = longestWait;
    this.view = new CatalogView(store, codec);
    try {
      this.book = asked(READING, () -> new RecordBook<>(store, codec, Optional.empty()));
      this.cluster = new CatalogCluster(store);
      cluster.open(expected);
      refuseUnreadable(READING);
    } catch (ControllerException failed) {
      view.close();
      throw failed;
    }
  }

  // ---- the cluster

  /**
   * Rejects calls to a storage system if the store was restored and no person has settled that, or
   * if the catalog is a copy: its cluster works with another store.
   */
  void refuseCopy(Subject subject) {
    asked(subject, store::readOnly)
        .ifPresent(
            why -> {
              throw ControllerFailures.failed(
                  ChangeOutcome.HELD, OperatorCode.CATALOG_WENT_BACK, subject, why.text(), null);
            });
    cluster.check(subject);
  }

  /** Returns the identity of the cluster; empty if it has none. */
  Optional<ClusterIdentity> cluster() {
    return cluster.identity(READING);
  }

  /**
   * Returns the records of the volumes that this cluster has requested: their names carry its
   * identity. For a cluster without an identity, these are the volumes whose names carry none.
   */
  Stream<CatalogEntry> own() {
    Optional<ClusterIdentity> own = cluster();
    return all().stream()
        .filter(
            record -> record.name().filter(it -> ClusterNames.cluster(it).equals(own)).isPresent());
  }

  // ---- one volume

  /** Returns the record of a volume as it is in the store now. */
  Optional<CatalogEntry> find(VolumeKey key) {
    return look(Subject.of("reading the record of volume '" + key + "'"), key).flatMap(this::shown);
  }

  private Optional<CatalogRecord> look(Subject subject, VolumeKey key) {
    long before = view.removals();
    Seen<CatalogRecord> now = asked(subject, () -> book.look(CatalogCodec.key(key), false));
    if (now.value().isPresent()) {
      view.saw(now, before);
    }
    return now.value();
  }

  /** The record of a volume that exists. */
  CatalogEntry there(VolumeKey key, String doing) {
    return there(find(key), key, doing);
  }

  /** The record of a volume that exists. */
  static CatalogEntry there(Optional<CatalogEntry> found, VolumeKey key, String doing) {
    Subject subject = Subject.of(doing + " volume '" + key + "'");
    CatalogEntry record =
        found.orElseThrow(
            () -> ControllerFailures.refused(OperatorCode.VOLUME_UNKNOWN, subject, ""));
    if (record.state() instanceof State.Deleting) {
      throw ControllerFailures.refused(OperatorCode.VOLUME_BEING_DELETED, subject, "");
    }
    if (record.volume().isEmpty()) {
      throw ControllerFailures.refused(
          OperatorCode.VOLUME_UNKNOWN, subject, "it is still being created");
    }
    return record;
  }

  /** Returns an existing volume. */
  CatalogVolume volume(VolumeKey key, String doing) {
    return there(key, doing).volume().orElseThrow();
  }

  /** The record of a volume that may be attached; empty if the volume is being deregistered. */
  Optional<CatalogEntry> findToAttach(VolumeKey key) {
    Subject subject = Subject.of("reading the record of volume '" + key + "'");
    cluster.check(subject);
    return look(subject, key)
        .filter(
            record ->
                record
                    .work(CatalogWork.VOLUME)
                    .filter(work -> work.kind() == Kind.DEREGISTRATION)
                    .filter(work -> !isLeft(key, work) && !isOver(subject, key, work))
                    .isEmpty())
        .flatMap(this::shown);
  }

  /**
   * Returns what lists show of a record. A deletion that an ended owner intended is shown as still
   * running. A volume that is being adopted is not shown.
   */
  private Optional<CatalogEntry> shown(CatalogRecord record) {
    return record.isBeingAdopted() ? Optional.empty() : Optional.of(goneOnWith(record));
  }

  private CatalogEntry goneOnWith(CatalogRecord record) {
    return record
        .work(CatalogWork.VOLUME)
        .filter(work -> work.kind() == Kind.DELETION && isLeft(record.entry().key(), work))
        .map(work -> VolumeDeletion.doomed(record.entry()))
        .orElseGet(record::entry);
  }

  private boolean isLeft(VolumeKey key, CatalogWork work) {
    return session.isKnownOver(key, work) || session.isGivenUp(key, work);
  }

  // ---- lists

  Collection<CatalogEntry> all() {
    return asked(READING, view::all).stream().flatMap(each -> shown(each).stream()).toList();
  }

  /**
   * A record in a list.
   *
   * @param entry the entry to show
   * @param written the version and times of the record
   */
  record Listed(CatalogEntry entry, VolumeSummary.Written written) {}

  /**
   * Returns the first matching records, in the order of their keys.
   *
   * @param after only records after this key
   */
  List<Listed> list(Optional<VolumeKey> after, VolumeFilter wanted, int most) {
    return asked(
        READING,
        () ->
            view.first(
                after.map(CatalogCodec::key),
                most,
                seen ->
                    seen.value()
                        .flatMap(record -> listed(seen.version(), record))
                        .filter(listed -> wanted.matches(listed.entry()))));
  }

  private Optional<Listed> listed(long version, CatalogRecord record) {
    return shown(record).map(entry -> new Listed(entry, written(version, record)));
  }

  /**
   * Returns the unreadable records whose keys may match a filter, in the order of their keys.
   *
   * @param after only records after this key
   * @param last only those up to this key
   */
  List<VolumeSummary.Unreadable> unreadable(
      Optional<VolumeKey> after, Optional<VolumeKey> last, VolumeFilter wanted) {
    return asked(READING, view::unreadable).entrySet().stream()
        .filter(each -> after.filter(it -> !isBehind(each.getKey(), it)).isEmpty())
        .filter(each -> last.filter(it -> isBehind(each.getKey(), it)).isEmpty())
        .filter(each -> each.getKey().volume().filter(it -> !wanted.matches(it)).isEmpty())
        .map(
            each ->
                new VolumeSummary.Unreadable(
                    each.getKey(),
                    failure(READING, RecordBook.failure(each.getValue())).operatorMessage()))
        .toList();
  }

  private static boolean isBehind(RecordKey key, VolumeKey other) {
    return key.compareTo(CatalogCodec.key(other)) > 0;
  }

  private static VolumeSummary.Written written(long version, CatalogRecord record) {
    return new VolumeSummary.Written(version, record.created(), record.changed());
  }

  /**
   * Returns all records as they are in the store now, for decisions about volumes without a record.
   * Includes a volume that is being adopted, as long as the owner of that work lasts.
   *
   * @throws ControllerException if a record cannot be read
   */
  List<CatalogEntry> scanned() {
    List<CatalogEntry> found = new ArrayList<>();
    Optional<RecordKey> after = Optional.empty();
    do {
      Optional<RecordKey> behind = after;
      RecordValues.Page<CatalogRecord> page = asked(READING, () -> book.page(behind, PAGE));
      if (!page.unreadable().isEmpty()) {
        throw failure(READING, RecordBook.failure(page.unreadable().get(0).problem()));
      }
      page.records().stream()
          .flatMap(each -> each.value().stream())
          .filter(record -> leftAdoption(record).isEmpty())
          .map(CatalogRecord::entry)
          .forEach(found::add);
      after = page.next();
    } while (after.isPresent());
    return found;
  }

  List<CatalogVolume> volumes() {
    return all().stream().flatMap(each -> each.volume().stream()).toList();
  }

  /** Returns what lists show of a volume. */
  Optional<CatalogEntry> known(VolumeKey key) {
    return asked(READING, () -> view.known(key)).flatMap(this::shown);
  }

  /** Whether another control plane works on a volume, according to the view. */
  boolean isWorkedOnElsewhere(VolumeKey key) {
    return asked(READING, () -> view.known(key)).flatMap(this::elsewhere).isPresent();
  }

  /** The work of another control plane on a volume, unless that work is known to have ended. */
  private Optional<CatalogWork> elsewhere(CatalogRecord record) {
    return record
        .work(CatalogWork.VOLUME)
        .filter(work -> !session.isOwn(work.owner()))
        .filter(work -> !session.isKnownOver(record.entry().key(), work));
  }

  /**
   * A volume as known without reading the store.
   *
   * @param entry the entry that lists show
   * @param changed the time at which its record was last changed
   * @param owner the name of the control plane that works on it, if any
   * @param isHere whether that control plane is this one
   */
  record Known(
      CatalogEntry entry, Optional<Instant> changed, Optional<String> owner, boolean isHere) {

    /** Whether another control plane works on the volume. */
    boolean isElsewhere() {
      return owner.isPresent() && !isHere;
    }
  }

  /** Returns the known volumes without reading the store or waiting for it. */
  CatalogView.Peek<Known> peek() {
    return view.peek().flatMap(this::seen);
  }

  /** Returns a known volume in the same way; empty while the view is being read. */
  Optional<Known> peek(VolumeKey key) {
    return view.peek(key).flatMap(this::seen);
  }

  private Optional<Known> seen(CatalogRecord record) {
    return shown(record).map(entry -> seen(record, entry));
  }

  private Known seen(CatalogRecord record, CatalogEntry entry) {
    VolumeKey key = entry.key();
    boolean isHere =
        record
            .work(CatalogWork.VOLUME)
            .filter(work -> session.isOwn(work.owner()) && !session.isGivenUp(key, work))
            .isPresent();
    return new Known(
        entry,
        record.changed(),
        isHere
            ? Optional.of(session.controlPlane())
            : elsewhere(record).map(work -> work.owner().controlPlane()),
        isHere);
  }

  /** Returns the time of day. */
  Instant wall() {
    return clock.wall();
  }

  /**
   * Checks the sessions of all control planes. An owner of work that has ended is known from then
   * on, so that its work is taken over even if no request needs it.
   */
  void lookAtOwners() {
    asked(READING, view::all).stream()
        .flatMap(record -> record.work().stream())
        .map(CatalogWork::owner)
        .distinct()
        .forEach(this::lookAt);
    try {
      session.endLeft();
    } catch (RuntimeException unknown) {
      // The next check tries again.
    }
  }

  private void lookAt(Owner owner) {
    try {
      var unused = asked(READING, () -> session.isOver(owner));
    } catch (RuntimeException unknown) {
      // The next check tries again. Work of the other sessions continues.
    }
  }

  /** Whether other control planes may have the store open. */
  boolean isShared() {
    return session.isShared();
  }

  // ---- work on a volume

  /**
   * Does work on a volume once no other control plane works on it. If the record changes before the
   * first write, the work is decided again.
   */
  <T> T work(Subject subject, VolumeKey key, Function<VolumeWork, T> work) {
    return worked(subject, key, Optional.of(patience()), work).orElseThrow();
  }

  /** Does work on a volume, unless another control plane works on it. */
  <T> Optional<T> workIfFree(Subject subject, VolumeKey key, Function<VolumeWork, T> work) {
    return worked(subject, key, Optional.empty(), work);
  }

  /**
   * Returns the remaining time in nanoseconds that one request may wait for other control planes.
   */
  AtomicLong patience() {
    return new AtomicLong(longestWait.toNanos());
  }

  private <T> Optional<T> worked(
      Subject subject, VolumeKey key, Optional<AtomicLong> patience, Function<VolumeWork, T> work) {
    cluster.check(subject);
    for (int turn = 0; turn < TURNS; turn++) {
      if (!isFree(subject, key, CatalogWork.VOLUME, patience)) {
        return Optional.empty();
      }
      Optional<CatalogRecord> now = look(subject, key);
      if (taken(subject, now, CatalogWork.VOLUME).isPresent()) {
        continue;
      }
      VolumeWork begun = new VolumeWork(this, session, key, now, now.flatMap(this::goingOn));
      try {
        return Optional.of(work.apply(begun));
      } catch (VolumeWork.Overtaken again) {
        // Nothing has begun: the work is decided again.
      } finally {
        begun.giveUp(subject);
      }
    }
    throw ControllerFailures.unavailable(
        OperatorCode.CONTROLLER_BUSY,
        subject,
        "other control planes have changed its record " + TURNS + " times meanwhile");
  }

  /**
   * Returns the entry for a control plane that takes the record over: a deletion intended by an
   * ended owner goes on, and an adoption that its owner has not decided is undone.
   */
  private Optional<CatalogEntry> goingOn(CatalogRecord record) {
    if (record.isBeingAdopted()) {
      return Optional.empty();
    }
    CatalogEntry entry = record.entry();
    return Optional.of(
        record.work(CatalogWork.VOLUME).map(work -> goingOn(entry, work)).orElse(entry));
  }

  private CatalogEntry goingOn(CatalogEntry entry, CatalogWork left) {
    if (left.kind() == Kind.DELETION) {
      return VolumeDeletion.doomed(entry);
    }
    // A late call of the former owner may still delete the volume: it is not kept, even if the
    // storage system refuses the deletion now.
    return entry.state() instanceof State.Deleting going
            && left.kind() == Kind.CHANGE
            && !session.isOwn(left.owner())
        ? entry.in(new State.Deleting(going.id(), Optional.empty()))
        : entry;
  }

  /** The work of another control plane on a part of a volume, if its session has not ended. */
  private Optional<CatalogWork> taken(
      Subject subject, Optional<CatalogRecord> record, String part) {
    return record
        .flatMap(it -> it.work(part))
        .filter(work -> !session.isOwn(work.owner()))
        .filter(work -> !isOver(subject, record.get().entry().key(), work));
  }

  private boolean isOver(Subject subject, VolumeKey key, CatalogWork work) {
    return asked(subject, () -> session.isOver(key, work));
  }

  /**
   * Waits until no other control plane works on a part of a volume.
   *
   * @param patience the remaining time to wait; empty if the work does not wait
   */
  private boolean isFree(
      Subject subject, VolumeKey key, String part, Optional<AtomicLong> patience) {
    Optional<CatalogWork> owner =
        session.isShared() ? taken(subject, look(subject, key), part) : Optional.empty();
    if (owner.isEmpty() || patience.isEmpty()) {
      return owner.isEmpty();
    }
    long begin = clock.nanos();
    OperationReports.Wait wait = session.reports().waiting(key, owner.get().owner().controlPlane());
    try (Watch watch = asked(subject, () -> store.watch(RecordKey.Space.VOLUMES))) {
      while (true) {
        Optional<CatalogWork> other = taken(subject, look(subject, key), part);
        if (other.isEmpty()) {
          return true;
        }
        if (clock.nanos() - begin >= patience.get().get()) {
          throw ControllerFailures.unavailable(
              OperatorCode.CONTROLLER_BUSY,
              subject,
              "control plane '"
                  + other.get().owner().controlPlane()
                  + "' works on it, and this request has waited "
                  + longestWait.toSeconds()
                  + " s for others");
        }
        awaitChange(subject, watch, CatalogCodec.key(key));
      }
    } finally {
      wait.close();
      patience.get().addAndGet(begin - clock.nanos());
    }
  }

  private static void awaitChange(Subject subject, Watch watch, RecordKey key) {
    long end = System.nanoTime() + PAUSE.toNanos();
    try {
      for (long left = PAUSE.toNanos(); left > 0; left = end - System.nanoTime()) {
        Optional<Change> change = watch.next(Duration.ofNanos(left));
        if (change.filter(it -> isOf(it, key)).isPresent()) {
          return;
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw ControllerFailures.unavailable(
          OperatorCode.CONTROLLER_CALL_CANCELLED,
          subject,
          "the thread that waited for another control plane was interrupted");
    }
  }

  private static boolean isOf(Change change, RecordKey key) {
    return change instanceof Change.Written written
        ? written.now().key().equals(key)
        : !(change instanceof Change.Removed removed) || removed.key().equals(key);
  }

  /** Begins work under the session of this control plane. */
  ControlPlaneSession.Ownership enter(Subject subject) {
    cluster.check(subject);
    return asked(subject, session::enter);
  }

  /**
   * Changes a record by a rule, and returns the record after that.
   *
   * @param beside changes to other records in the same store, written in the same write
   */
  Optional<CatalogRecord> apply(
      Subject subject,
      VolumeKey key,
      boolean acquires,
      Function<Optional<CatalogRecord>, Decision<CatalogRecord>> rule,
      Part<?>... beside) {
    long before = view.removals();
    Part<CatalogRecord> own =
        book.part(CatalogCodec.key(key), acquires, there -> at(there, rule.apply(there)));
    List<Part<?>> parts = new ArrayList<>(List.of(own));
    parts.addAll(List.of(beside));
    RecordBook.Change<CatalogRecord> change =
        asked(
            subject,
            () -> {
              RecordBook.apply(parts);
              return own.change();
            });
    if (change.changes()) {
      session.wrote(key, change.before().value(), change.after().value());
    }
    if (change.after().value().isPresent()) {
      view.saw(change.after(), before);
    } else if (change.changes()) {
      view.removed(change.before());
    }
    return change.after().value();
  }

  private Decision<CatalogRecord> at(
      Optional<CatalogRecord> before, Decision<CatalogRecord> decided) {
    if (!(decided instanceof Decision.Write<CatalogRecord> write)) {
      return decided;
    }
    return CatalogRoom.refusal(before.map(CatalogRecord::entry), write.next().entry())
        .map(
            why ->
                (Decision<CatalogRecord>)
                    new Decision.Refuse<CatalogRecord>(OperatorCode.VOLUME_RECORD_FULL, why))
        .orElseGet(() -> new Decision.Write<>(write.next().at(clock.wall(), before)));
  }

  /** Returns a call that is sent only if this is still permitted when its turn comes. */
  static <T> ControllerCall<T> guarded(ControllerCall<T> call, BooleanSupplier maySend) {
    return call.sentBy(
        (services, secrets) -> {
          if (!maySend.getAsBoolean()) {
            throw ControllerFailures.unavailable(
                OperatorCode.CONTROLLER_CALL_CANCELLED,
                call.subject(),
                "the session of this control plane was not renewed in time, so another one may"
                    + " have taken over the work");
          }
          return call.sending().send(services, secrets);
        });
  }

  // ---- snapshots

  /**
   * Returns the recorded snapshots of a volume alone, or the groups that it belongs to. The groups
   * include those that a crash has left only on the records of other volumes. Those are searched
   * last.
   */
  Stream<PendingSnapshot> cuts(VolumeKey key, boolean ofGroups) {
    Stream<PendingSnapshot> own =
        find(key).stream()
            .flatMap(record -> record.pendingSnapshots().stream())
            .filter(cut -> cut.group().isEmpty() != ofGroups);
    return ofGroups
        ? Stream.concat(own, Stream.of(key).flatMap(it -> groups(new TreeSet<>(Set.of(it)))))
        : own;
  }

  /**
   * Returns the recorded groups to which any of these volumes belongs. The result includes all
   * groups written before the newest write of the last volume; if that volume has no record, before
   * this call.
   */
  Stream<PendingSnapshot> groups(SortedSet<VolumeKey> volumes) {
    catchUp(volumes.last());
    return all().stream()
        .filter(record -> record.pendingSnapshots().stream().anyMatch(it -> isOf(it, volumes)))
        .flatMap(record -> find(record.key()).stream())
        .flatMap(record -> record.pendingSnapshots().stream())
        .filter(cut -> isOf(cut, volumes));
  }

  private static boolean isOf(PendingSnapshot cut, Set<VolumeKey> volumes) {
    return !Collections.disjoint(cut.group(), volumes);
  }

  /** The recorded snapshots as text for people; empty if there are none. */
  static Optional<String> asked(CatalogEntry record) {
    return record.pendingSnapshots().isEmpty()
        ? Optional.empty()
        : Optional.of(
            record.pendingSnapshots().stream()
                .map(cut -> "snapshot '" + cut.name() + "' was requested")
                .collect(Collectors.joining(", ")));
  }

  // ---- several records

  /**
   * Returns another record of the same volume, if there is one: deleting the volume would delete
   * that record's data. Considers all records written before the newest write of this one,
   * including that of a volume that is being adopted.
   */
  Optional<CatalogEntry> other(CatalogEntry record, VolumeId id) {
    catchUp(record.key());
    return asked(READING, view::all).stream()
        .filter(each -> !each.entry().key().equals(record.key()))
        .filter(each -> each.entry().spec().plugin().equals(record.spec().plugin()))
        .filter(each -> each.entry().id().equals(Optional.of(id)))
        .filter(each -> !isTakenBack(each))
        .map(CatalogRecord::entry)
        .findFirst();
  }

  /**
   * Brings the view up to the newest write of a volume; if the volume has no record, up to the
   * current state of the store.
   */
  private void catchUp(VolumeKey volume) {
    RecordKey key = CatalogCodec.key(volume);
    checked(
        READING,
        () -> {
          long version = book.look(key, false).version();
          if (version > 0) {
            view.upTo(key, version);
          } else if (isShared()) {
            view.readAgain();
          }
        });
  }

  /**
   * Returns the work of an adoption that its owner left undecided because it has ended or has given
   * the work up.
   */
  private Optional<CatalogWork> leftAdoption(CatalogRecord record) {
    VolumeKey key = record.entry().key();
    return record
        .work(CatalogWork.VOLUME)
        .filter(work -> record.isBeingAdopted())
        .filter(work -> isLeft(key, work) || isOver(READING, key, work));
  }

  /**
   * Removes the record of an undecided adoption, and returns whether the record is gone. A late
   * write of the former owner finds no record, and fails.
   */
  private boolean isTakenBack(CatalogRecord record) {
    Optional<CatalogWork> left = leftAdoption(record);
    return left.isPresent()
        && apply(
                READING,
                record.entry().key(),
                false,
                there ->
                    there.flatMap(it -> it.work(CatalogWork.VOLUME)).equals(left)
                        ? new Decision.Remove<>()
                        : new Decision.Keep<>())
            .isEmpty();
  }

  /** Rejects a volume that another key may already have a record of. */
  void refuseOther(CatalogEntry record, VolumeId id) {
    Subject subject =
        Subject.of(
            "requesting volume '" + record.key() + "', which got the id of",
            new VolumeIdentity(record.spec().plugin(), id));
    Optional<CatalogEntry> other = other(record, id);
    if (other.isPresent()) {
      throw ControllerFailures.failed(
          ChangeOutcome.HELD,
          OperatorCode.VOLUME_ID_TAKEN,
          subject,
          "that id belongs to '" + other.get().key() + "'",
          null);
    }
    refuseUnreadable(subject);
  }

  /**
   * Rejects the operation while a record cannot be read: ignoring that record could leak a volume.
   */
  private void refuseUnreadable(Subject subject) {
    asked(subject, view::unreadable).values().stream()
        .findFirst()
        .ifPresent(
            wrong -> {
              throw failure(subject, RecordBook.failure(wrong));
            });
  }

  // ---- failures

  static <T> T asked(Subject subject, Supplier<T> question) {
    try {
      return question.get();
    } catch (RecordFailure failed) {
      throw failure(subject, failed);
    } catch (RecordStoreException refused) {
      throw failure(subject, RecordBook.failure(refused));
    }
  }

  static void checked(Subject subject, Runnable check) {
    var unused =
        asked(
            subject,
            () -> {
              check.run();
              return subject;
            });
  }

  private static ControllerException failure(Subject subject, RecordFailure failed) {
    return ControllerFailures.failed(
        failed.outcome(), code(failed), subject, failed.seen(), failed);
  }

  /** The code of a failure of a store, the same as for claims. */
  private static OperatorCode code(RecordFailure failed) {
    if (failed.getCause() instanceof RecordStoreException refused
        && refused.getCause() instanceof StateException state) {
      return StateCodes.of(state.reason());
    }
    if (failed.key().filter(key -> key.space() == RecordKey.Space.CLAIMS).isPresent()) {
      return failed.code();
    }
    return switch (failed.code()) {
      case CLAIM_STORE_DOWN -> OperatorCode.CATALOG_DOWN;
      case CLAIM_STORE_WENT_BACK -> OperatorCode.CATALOG_WENT_BACK;
      case CLAIM_UNREADABLE -> OperatorCode.CATALOG_UNREADABLE;
      case CLAIM_UNCONFIRMED -> OperatorCode.CATALOG_UNCONFIRMED;
      case CLAIM_TOO_LARGE -> OperatorCode.VOLUME_RECORD_FULL;
      default -> failed.code();
    };
  }

  /** Returns work on snapshots, which begins with its first write. */
  SnapshotWork snapshots() {
    return new SnapshotWork(this, session);
  }

  /**
   * Waits until no other control plane works on a snapshot of a volume.
   *
   * @param patience the remaining time to wait
   */
  void awaitFree(Subject subject, VolumeKey key, String part, AtomicLong patience) {
    var unused = isFree(subject, key, part, Optional.of(patience));
  }

  /** Ends the session and the watch; the store stays open. */
  @Override
  public void close() {
    session.close();
    view.close();
  }
}
