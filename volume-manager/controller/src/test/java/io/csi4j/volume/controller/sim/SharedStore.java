package io.csi4j.volume.controller.sim;

import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.internal.catalog.CatalogCodec;
import io.csi4j.volume.internal.catalog.CatalogRecord;
import io.csi4j.volume.internal.catalog.CatalogWork;
import io.csi4j.volume.internal.catalog.SessionCodec;
import io.csi4j.volume.internal.catalog.SessionRecord;
import io.csi4j.volume.internal.claims.ClaimCodec;
import io.csi4j.volume.internal.fields.MalformedRecordException;
import io.csi4j.volume.internal.fields.UnknownFields;
import io.csi4j.volume.internal.store.MoveMark;
import io.csi4j.volume.model.ReasonText;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.state.StateValue;
import io.csi4j.volume.store.RecordKey;
import io.csi4j.volume.store.RecordStore;
import io.csi4j.volume.store.RecordStoreException;
import io.csi4j.volume.store.RecordWrite;
import io.csi4j.volume.store.StoreIdentity;
import io.csi4j.volume.store.StoredRecord;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;

/** The store that all control planes share: linearizable, with lost answers and late writes. */
final class SharedStore {

  private static final CatalogCodec VOLUMES = new CatalogCodec();
  private static final SessionCodec SESSIONS = SessionCodec.ofSessions();
  private static final ClaimCodec CLAIMS = new ClaimCodec();

  /** A change of a record, for watches. */
  private record Logged(RecordStore.Watch.Change change, long at) {}

  private final PlaneWorld world;
  private final Timeline timeline;

  /** The sessions in the order in which they began: their ids are random, and a seed is not. */
  private final Map<RecordKey, Integer> begun = new HashMap<>();

  private final NavigableMap<RecordKey, StoredRecord> records =
      new TreeMap<>(
          Comparator.comparing(RecordKey::space)
              .thenComparing(this::begun)
              .thenComparing(Comparator.naturalOrder()));

  private final Map<RecordKey.Space, List<Logged>> log = new HashMap<>();

  /** When each session was renewed last. */
  private final Map<RecordKey, Long> renewed = new HashMap<>();

  private long revision;

  SharedStore(PlaneWorld world) {
    this.world = world;
    this.timeline = world.timeline;
  }

  private int begun(RecordKey key) {
    return key.space() == RecordKey.Space.CLUSTER
        ? begun.computeIfAbsent(key, it -> begun.size())
        : 0;
  }

  // ---- what is really written

  Optional<CatalogRecord> volume(VolumeKey key) {
    return Optional.ofNullable(records.get(CatalogCodec.key(key))).map(SharedStore::volume);
  }

  Claim claim(VolumeKey key) {
    return Optional.ofNullable(records.get(ClaimCodec.key(key)))
        .map(SharedStore::claim)
        .orElseGet(() -> Claim.none(key));
  }

  Optional<SessionRecord> session(CatalogWork.Owner owner) {
    return Optional.ofNullable(records.get(SessionCodec.key(owner))).map(SharedStore::session);
  }

  private static SessionRecord session(StoredRecord record) {
    try {
      return SESSIONS.decode(record.value().bytes()).value();
    } catch (MalformedRecordException e) {
      throw new IllegalArgumentException(e);
    }
  }

  private static CatalogRecord volume(StoredRecord record) {
    try {
      return VOLUMES.decode(record.value().bytes()).value();
    } catch (MalformedRecordException e) {
      throw new IllegalArgumentException(e);
    }
  }

  private static Claim claim(StoredRecord record) {
    try {
      return CLAIMS.decode(record.value().bytes()).value();
    } catch (MalformedRecordException e) {
      throw new IllegalArgumentException(e);
    }
  }

  // ---- writes

  private RecordStore.WriteResult write(List<RecordWrite> writes, Line line) {
    if (writes.size() > 1 && world.lost(LostRule.JOINT_WRITE_IS_TORN) && timeline.pick(4) == 0) {
      var unused = write(List.of(writes.get(0)), line);
      return unknown();
    }
    if (!writes.stream().allMatch(each -> isMet(each, there(each)))) {
      return new RecordStore.WriteResult.Conflict(
          writes.stream().flatMap(each -> line.shown(there(each)).stream()).toList());
    }
    return new RecordStore.WriteResult.Written(
        writes.stream().flatMap(each -> made(each, line).stream()).toList());
  }

  private static RecordStore.WriteResult unknown() {
    return new RecordStore.WriteResult.Unknown(new ReasonText("the answer was lost"));
  }

  private Optional<StoredRecord> there(RecordWrite write) {
    return Optional.ofNullable(records.get(write.key()));
  }

  private Optional<StoredRecord> made(RecordWrite write, Line line) {
    RecordKey key = write.key();
    Optional<StoredRecord> there = there(write);
    Optional<StoredRecord> next =
        write.next().map(value -> new StoredRecord(key, revision + 1, value));
    if (isLost(write, there, next)) {
      return next;
    }
    revision++;
    judge(key, there, next, line);
    line.wrote(key, next);
    RecordStore.Watch.Change change;
    if (next.isPresent()) {
      records.put(key, next.get());
      change = new RecordStore.Watch.Change.Written(next.get());
    } else {
      records.remove(key);
      change = new RecordStore.Watch.Change.Removed(key, revision);
    }
    log.computeIfAbsent(key.space(), it -> new ArrayList<>())
        .add(new Logged(change, timeline.now()));
    return next;
  }

  private boolean isMet(RecordWrite write, Optional<StoredRecord> there) {
    RecordKey.Space space = write.key().space();
    boolean isAny =
        (world.lost(LostRule.RECORD_WITHOUT_CONDITION) && space == RecordKey.Space.VOLUMES)
            || (world.lost(LostRule.CLAIM_WITHOUT_CONDITION) && space == RecordKey.Space.CLAIMS)
            || (world.lost(LostRule.SESSION_WITHOUT_CONDITION)
                && space == RecordKey.Space.CLUSTER
                && write.next().isEmpty());
    // What a lost rule hides is not compared: the version alone decides then.
    return isAny
        || write.seen().equals(there)
        || (isHiding(space)
            && write.seen().map(StoredRecord::version).equals(there.map(StoredRecord::version)));
  }

  private boolean isHiding(RecordKey.Space space) {
    return space == RecordKey.Space.VOLUMES
        && (world.lost(LostRule.EPOCH_IS_FORGOTTEN)
            || world.lost(LostRule.TAKEOVER_IS_NOT_SEEN)
            || world.lost(LostRule.SNAPSHOT_WORK_IS_NOT_SEEN)
            || world.lost(LostRule.SNAPSHOT_IS_NOT_SEEN));
  }

  private boolean isLost(
      RecordWrite write, Optional<StoredRecord> there, Optional<StoredRecord> next) {
    if (write.key().space() == RecordKey.Space.CLAIMS) {
      return world.lost(LostRule.NOTHING_IS_HELD)
          && next.map(SharedStore::claim).flatMap(it -> it.holder(Claim.DELETION)).isPresent()
          && there.map(SharedStore::claim).flatMap(it -> it.holder(Claim.DELETION)).isEmpty();
    }
    return world.lost(LostRule.WRITE_IS_LOST)
        && write.key().space() == RecordKey.Space.VOLUMES
        && world.happens(0.02);
  }

  private void judge(
      RecordKey key, Optional<StoredRecord> there, Optional<StoredRecord> next, Line line) {
    if (key.space() == RecordKey.Space.CLUSTER) {
      if (next.isEmpty() && there.isPresent()) {
        world.judge.sessionEnded(session(there.get()).owner(), renewed.get(key), line.plane.name);
      }
      if (there.isEmpty() && next.isPresent() && renewed.containsKey(key)) {
        throw world.judge.sessionBack(session(next.get()).owner());
      }
      renewed.put(key, timeline.now());
    } else if (key.space() == RecordKey.Space.VOLUMES) {
      world.judge.written(
          key.volume().orElseThrow(),
          there.map(SharedStore::volume),
          next.map(SharedStore::volume),
          line.plane.name);
    }
  }

  // ---- the way of one control plane to it

  /** The connection of a control plane. */
  final class Line implements RecordStore {

    private final ControlPlane plane;

    /** The work on each volume that was written here last, where an epoch is forgotten. */
    private final Map<RecordKey, CatalogWork> own = new HashMap<>();

    Line(ControlPlane plane) {
      this.plane = plane;
    }

    private void travel(RecordKey.Space space) {
      timeline.live();
      long time = world.latency();
      if (space == RecordKey.Space.CLUSTER) {
        // A session is written while other work waits for its turn to begin.
        timeline.sleepAlone(time);
      } else {
        timeline.sleep(time);
      }
      if (plane.isCutOff() || world.happens(0.01)) {
        throw new RecordStoreException("no answer", new IllegalStateException("cut off"));
      }
    }

    @Override
    public Optional<StoredRecord> read(RecordKey key) {
      if (key.equals(MoveMark.KEY)) {
        // Nothing is moved in this world.
        return Optional.empty();
      }
      travel(key.space());
      return shown(Optional.ofNullable(records.get(key)));
    }

    private void wrote(RecordKey key, Optional<StoredRecord> next) {
      if (world.lost(LostRule.EPOCH_IS_FORGOTTEN) && key.space() == RecordKey.Space.VOLUMES) {
        Optional<CatalogWork> work =
            next.flatMap(record -> volume(record).work(CatalogWork.VOLUME));
        if (work.isPresent()) {
          own.put(key, work.get());
        } else {
          own.remove(key);
        }
      }
    }

    private Optional<StoredRecord> shown(Optional<StoredRecord> there) {
      if (there.isEmpty() || !isHiding(there.get().key().space())) {
        return there;
      }
      StoredRecord stored = there.get();
      CatalogRecord record = volume(stored);
      if (world.lost(LostRule.SNAPSHOT_IS_NOT_SEEN)) {
        return Optional.of(with(stored, record.with(record.entry().cutting(List.of()))));
      }
      if (world.lost(LostRule.SNAPSHOT_WORK_IS_NOT_SEEN)) {
        for (CatalogWork each : record.work()) {
          if (!each.part().equals(CatalogWork.VOLUME)
              && !each.owner().controlPlane().equals(plane.name)) {
            record = record.without(each.part());
          }
        }
        return Optional.of(with(stored, record));
      }
      Optional<CatalogWork> work = record.work(CatalogWork.VOLUME);
      CatalogWork mine = own.get(stored.key());
      if (work.isEmpty()) {
        return there;
      }
      if (mine != null) {
        return Optional.of(with(stored, record.with(mine)));
      }
      boolean isLeft =
          world.lost(LostRule.TAKEOVER_IS_NOT_SEEN)
              && !work.get().owner().controlPlane().equals(plane.name)
              && session(work.get().owner()).isEmpty();
      return isLeft ? Optional.of(with(stored, record.without(CatalogWork.VOLUME))) : there;
    }

    private StoredRecord with(StoredRecord stored, CatalogRecord shown) {
      return new StoredRecord(
          stored.key(),
          stored.version(),
          StateValue.of(VOLUMES.encode(shown, new UUID(0, stored.version()), UnknownFields.NONE)));
    }

    @Override
    public int together() {
      return world.play.together() ? 2 : 1;
    }

    @Override
    public WriteResult write(List<RecordWrite> writes) {
      RecordWrite write = writes.get(0);
      if (writes.size() > together()) {
        throw world.violation(writes.size() + " records are written at once");
      }
      if (writes.size() > 1) {
        world.count(PlaneWorld.Count.WRITTEN_TOGETHER);
      }
      travel(write.key().space());
      if (write.key().space() == RecordKey.Space.CLUSTER
          && write.next().isEmpty()
          && world.happens(0.2)) {
        // The end of a session is late: the session may be renewed meanwhile.
        timeline.sleepAlone(world.millis(20_000));
      }
      int fate = world.happens(0.04) ? 1 + timeline.pick(3) : 0;
      WriteResult result =
          switch (fate) {
            case 1 -> unknown();
            case 2 -> {
              SharedStore.this.write(writes, this);
              yield unknown();
            }
            case 3 -> {
              late(writes);
              yield unknown();
            }
            default -> SharedStore.this.write(writes, this);
          };
      if (fate > 0) {
        world.tell(plane.name + " has no answer to its write of " + write.key() + " " + fate);
      }
      if (write.key().space() == RecordKey.Space.CLUSTER) {
        timeline.sleepAlone(world.latency());
      } else {
        timeline.sleep(world.latency());
      }
      return result;
    }

    private void late(List<RecordWrite> writes) {
      timeline.after(
          world.network,
          Duration.ofMillis(timeline.pick(60_000)).toNanos(),
          () -> {
            WriteResult result = SharedStore.this.write(writes, this);
            world.tell("a write of " + plane.name + " arrives late: " + result);
          });
    }

    /** A view of the catalog scans under its lock. */
    @Override
    public Page scan(RecordKey.Space space, Optional<RecordKey> after, int limit) {
      travel(RecordKey.Space.CLUSTER);
      return Page.of(
          after.map(key -> records.tailMap(key, false)).orElse(records).values().stream()
              .filter(each -> each.key().space() == space)
              .limit(limit)
              .flatMap(each -> shown(Optional.of(each)).stream())
              .toList(),
          limit);
    }

    @Override
    public Watch watch(RecordKey.Space space) {
      timeline.live();
      if (plane.isCutOff()) {
        throw new RecordStoreException("no answer", new IllegalStateException("cut off"));
      }
      return new LoggedWatch(this, space);
    }

    @Override
    public StoreIdentity identity() {
      return new StoreIdentity("simulated");
    }

    @Override
    public void close() {}
  }

  /** A watch, which may be behind, and may miss changes. */
  private final class LoggedWatch implements RecordStore.Watch {

    private final Line line;
    private final List<Logged> changes;

    /** Set for the watch of a view, which waits under its lock; that of a waiter only waits. */
    private boolean isOfView;

    /** So often in a row a view has waited for a report, and there was none. */
    private int silent;

    private int at;
    private long behind;

    LoggedWatch(Line line, RecordKey.Space space) {
      this.line = line;
      this.changes = log.computeIfAbsent(space, it -> new ArrayList<>());
      this.at = changes.size();
      this.behind = lag();
    }

    private long lag() {
      return Duration.ofMillis(timeline.pick(world.happens(0.02) ? 40_000 : 300)).toNanos();
    }

    @Override
    public Optional<Change> next(Duration wait) {
      timeline.live();
      Optional<Change> next = visible();
      if (next.isPresent() || wait.isZero()) {
        isOfView |= wait.isZero();
        return next;
      }
      if (isOfView) {
        timeline.sleepAlone(Duration.ofMillis(500).toNanos());
        Optional<Change> later = visible();
        silent = later.isPresent() ? 0 : silent + 1;
        if (silent == 120) {
          // A view loses its patience by the time of the machine, which hardly passes here.
          silent = 0;
          throw new RecordStoreException("no report", new IllegalStateException("60 s"));
        }
        return later;
      }
      timeline.sleep(Duration.ofMillis(500).toNanos());
      // A waiter measures the time of the machine: it is made to look again.
      return visible().or(() -> Optional.of(missed()));
    }

    private Change missed() {
      return new Change.Missed(new ReasonText("the watch was broken"));
    }

    private Optional<Change> visible() {
      if (at == changes.size() || changes.get(at).at() + behind > timeline.now()) {
        return Optional.empty();
      }
      if (line.plane.isCutOff()) {
        return Optional.empty();
      }
      behind = lag();
      if (world.happens(0.03)) {
        at = changes.size();
        return Optional.of(missed());
      }
      Change next = changes.get(at++).change();
      return Optional.of(
          next instanceof Change.Written written
              ? new Change.Written(line.shown(Optional.of(written.now())).orElseThrow())
              : next);
    }

    @Override
    public void close() {}
  }
}
