package io.csi4j.volume.controller;

import io.csi4j.volume.internal.catalog.CatalogCodec;
import io.csi4j.volume.internal.catalog.CatalogRecord;
import io.csi4j.volume.internal.store.RecordValues;
import io.csi4j.volume.internal.store.RecordValues.Seen;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.store.RecordKey;
import io.csi4j.volume.store.RecordStore;
import io.csi4j.volume.store.RecordStore.Watch;
import io.csi4j.volume.store.RecordStore.Watch.Change;
import io.csi4j.volume.store.RecordStoreException;
import io.csi4j.volume.store.StoredRecord;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The records of the catalog for lists, as a watch reports them. Its contents may be out of date
 * where other processes write, so no decision about a volume is based on it; {@link #upTo} brings
 * it up to a given write.
 */
final class CatalogView implements AutoCloseable {

  private static final int PAGE = 500;

  /**
   * The maximum number of removed records whose versions are kept; when it is exceeded, they are
   * discarded.
   */
  private static final int MOST_GONE = 4096;

  /** The maximum time that a watch may take to report a write before the store is read instead. */
  private static final Duration PATIENCE = Duration.ofSeconds(2);

  private final RecordStore store;
  private final RecordValues<CatalogRecord> records;

  private final ReentrantLock lock = new ReentrantLock();

  /** Signals that no thread waits for the watch any more. */
  private final Condition free = lock.newCondition();

  private final TreeMap<RecordKey, Seen<CatalogRecord>> all = new TreeMap<>();
  private final Map<RecordKey, RecordStoreException> unreadable = new TreeMap<>();

  /** The version up to which the watch or a scan has reported each existing record. */
  private final Map<RecordKey, Long> reported = new HashMap<>();

  /** The versions at which the watch has reported recent records as removed. */
  private final Map<RecordKey, Long> gone = new HashMap<>();

  /**
   * The versions up to which records were removed here, kept until the watch has reported the
   * removal.
   */
  private final Map<RecordKey, Long> removed = new HashMap<>();

  /** The number of removals that were applied; a scan may have applied any of them. */
  private final AtomicLong removals = new AtomicLong();

  private @Nullable Watch watch;

  /**
   * Whether a thread waits for the next report of the watch, without the lock. Meanwhile, only that
   * thread applies reports, because they must be applied in order.
   */
  private boolean isAwaited;

  /** The number of completed waits for the watch. */
  private long waits;

  /** The number of times that all records were read. */
  private long readings;

  private boolean isComplete;
  private boolean isClosed;

  /** The time at which the view was last known to be complete. */
  private long completeAt = System.nanoTime();

  /** The last result that was computed without reading the store. */
  private volatile Peek<CatalogRecord> peek = new Peek<>(List.of(), 0, Duration.ZERO);

  /** Creates a view that has read nothing yet. */
  CatalogView(RecordStore store, CatalogCodec codec) {
    this.store = store;
    this.records = new RecordValues<>(store, codec);
  }

  /**
   * Returns all records.
   *
   * @throws RecordStoreException if the records must be read again and the store cannot be read
   */
  Collection<CatalogRecord> all() {
    lock.lock();
    try {
      catchUp();
      return all.values().stream().flatMap(each -> each.value().stream()).toList();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Returns the first records that are shown, in the order of their keys.
   *
   * @param after only records after this key
   * @param most the maximum number of records
   * @param shown returns empty for a record to skip; does not block
   */
  <T> List<T> first(
      Optional<RecordKey> after, int most, Function<Seen<CatalogRecord>, Optional<T>> shown) {
    lock.lock();
    try {
      catchUp();
      return after
          .<Map<RecordKey, Seen<CatalogRecord>>>map(key -> all.tailMap(key, false))
          .orElse(all)
          .values()
          .stream()
          .flatMap(each -> shown.apply(each).stream())
          .limit(most)
          .toList();
    } finally {
      lock.unlock();
    }
  }

  /**
   * A view that was computed without reading the store.
   *
   * @param records the records
   * @param unreadable the number of unreadable records
   * @param age the time since the view was known to miss nothing from the watch
   */
  record Peek<T>(List<T> records, int unreadable, Duration age) {

    /** Returns the same view with mapped records, without those that map to empty. */
    <S> Peek<S> flatMap(Function<T, Optional<S>> shown) {
      return new Peek<>(
          records.stream().flatMap(each -> shown.apply(each).stream()).toList(), unreadable, age);
    }
  }

  /**
   * Returns the view without reading the store or waiting for a read of it; during a read, returns
   * the previous view.
   */
  Peek<CatalogRecord> peek() {
    if (lock.tryLock()) {
      try {
        while (isComplete && take()) {
          // The watch has the next report.
        }
        noteCompleteness();
        peek =
            new Peek<>(
                all.values().stream().flatMap(each -> each.value().stream()).toList(),
                unreadable.size(),
                isComplete ? Duration.ZERO : Duration.ofNanos(System.nanoTime() - completeAt));
      } finally {
        lock.unlock();
      }
    }
    return peek;
  }

  /** Returns a record as last applied; empty while another thread uses the view. */
  Optional<CatalogRecord> peek(VolumeKey key) {
    if (!lock.tryLock()) {
      return Optional.empty();
    }
    try {
      return Optional.ofNullable(all.get(CatalogCodec.key(key))).flatMap(Seen::value);
    } finally {
      lock.unlock();
    }
  }

  private void noteCompleteness() {
    if (isComplete) {
      completeAt = System.nanoTime();
    }
  }

  /** Returns a record as last known. */
  Optional<CatalogRecord> known(VolumeKey key) {
    lock.lock();
    try {
      catchUp();
      return Optional.ofNullable(all.get(CatalogCodec.key(key))).flatMap(Seen::value);
    } finally {
      lock.unlock();
    }
  }

  /** Returns the failures of the unreadable records, in the order of their keys. */
  SortedMap<RecordKey, RecordStoreException> unreadable() {
    lock.lock();
    try {
      catchUp();
      return new TreeMap<>(unreadable);
    } finally {
      lock.unlock();
    }
  }

  /** Returns the number of applied removals, for {@link #saw}. */
  long removals() {
    return removals.get();
  }

  /**
   * Applies a record that was read or written here, unless it may have been removed since: no later
   * report of the watch would remove it again. If the record still exists, the watch reports it.
   *
   * @param before the number of removals before the store was read
   */
  void saw(Seen<CatalogRecord> now, long before) {
    lock.lock();
    try {
      if (removals.get() == before || all.containsKey(now.key())) {
        put(now);
      }
    } finally {
      lock.unlock();
    }
  }

  /** Applies the removal of a record by this process. */
  void removed(Seen<CatalogRecord> before) {
    lock.lock();
    try {
      removed.merge(before.key(), before.version(), Math::max);
      Seen<CatalogRecord> known = all.get(before.key());
      if (known != null && known.version() <= before.version()) {
        all.remove(before.key());
      }
    } finally {
      lock.unlock();
    }
  }

  /**
   * Applies all writes made before a given write of this record.
   *
   * @param version the version of that write
   * @throws RecordStoreException if the store cannot be read
   */
  void upTo(RecordKey key, long version) {
    upTo(key, version, PATIENCE);
  }

  /**
   * Applies all writes made before a given write of this record. Other threads can read the view
   * meanwhile.
   *
   * @param patience the maximum time to wait for the watch; after that all records are read
   */
  void upTo(RecordKey key, long version, Duration patience) {
    long end = System.nanoTime() + patience.toNanos();
    long before = readings();
    try {
      boolean isThere = false;
      while (!isThere) {
        isThere = isUpTo(key, version, before, end);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      readAgain();
    }
  }

  private long readings() {
    lock.lock();
    try {
      return readings;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Returns whether a write was applied; if not, waits until a report of the watch may have been
   * applied. One thread waits for the watch, without the lock, and the others wait for that thread.
   */
  private boolean isUpTo(RecordKey key, long version, long readingsBefore, long end)
      throws InterruptedException {
    Watch reporting;
    long left;
    lock.lock();
    try {
      catchUp();
      if (readings > readingsBefore || reported(key) >= version) {
        return true;
      }
      left = end - System.nanoTime();
      if (watch == null || left <= 0) {
        readAgain();
        return true;
      }
      if (isAwaited) {
        long waitsBefore = waits;
        while (waits == waitsBefore && left > 0) {
          left = free.awaitNanos(left);
        }
        return false;
      }
      isAwaited = true;
      reporting = watch;
    } finally {
      lock.unlock();
    }
    Optional<Change> next = Optional.empty();
    try {
      next = reporting.next(Duration.ofNanos(left));
    } finally {
      awaited(reporting, next);
    }
    return false;
  }

  private long reported(RecordKey key) {
    return Math.max(reported.getOrDefault(key, 0L), gone.getOrDefault(key, 0L));
  }

  /**
   * Applies the current contents of the store.
   *
   * @throws RecordStoreException if the store cannot be read
   */
  void readAgain() {
    lock.lock();
    try {
      isComplete = false;
      catchUp();
    } finally {
      lock.unlock();
    }
  }

  private void awaited(Watch reporting, Optional<Change> next) {
    lock.lock();
    try {
      isAwaited = false;
      waits++;
      // The scan has already seen the reports of a former watch; those records may even have been
      // written again since.
      if (reporting == watch) {
        next.ifPresent(this::take);
      }
      free.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private void catchUp() {
    if (!isComplete) {
      readAll();
    }
    while (take()) {
      if (!isComplete) {
        readAll();
      }
    }
    noteCompleteness();
  }

  /** Applies the next report of the watch, if there is one, and returns whether there was one. */
  private boolean take() {
    Watch reporting = watch;
    if (reporting == null || isAwaited) {
      return false;
    }
    try {
      Optional<Change> next = reporting.next(Duration.ZERO);
      next.ifPresent(this::take);
      return next.isPresent();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  private void take(Change change) {
    if (change instanceof Change.Written written) {
      take(written.now());
    } else if (change instanceof Change.Removed now) {
      removals.incrementAndGet();
      reported.remove(now.key());
      if (gone.size() >= MOST_GONE) {
        gone.clear();
      }
      gone.put(now.key(), now.version());
      removed.remove(now.key());
      unreadable.remove(now.key());
      Seen<CatalogRecord> known = all.get(now.key());
      if (known != null && known.version() < now.version()) {
        all.remove(now.key());
      }
    } else {
      isComplete = false;
    }
  }

  private void take(StoredRecord now) {
    reported.merge(now.key(), now.version(), Math::max);
    try {
      put(records.seen(now));
    } catch (RecordStoreException wrong) {
      all.remove(now.key());
      unreadable.put(now.key(), wrong);
    }
  }

  private void put(Seen<CatalogRecord> now) {
    if (now.version() <= removed.getOrDefault(now.key(), 0L)) {
      return;
    }
    Seen<CatalogRecord> known = all.get(now.key());
    if (known == null || known.version() < now.version()) {
      unreadable.remove(now.key());
      all.put(now.key(), now);
    }
  }

  private void readAll() {
    closeWatch();
    if (!isClosed) {
      watch = store.watch(RecordKey.Space.VOLUMES);
    }
    Set<RecordKey> found = new HashSet<>();
    Optional<RecordKey> after = Optional.empty();
    do {
      RecordValues.Page<CatalogRecord> page = records.page(after, PAGE);
      for (Seen<CatalogRecord> each : page.records()) {
        found.add(each.key());
        reported.merge(each.key(), each.version(), Math::max);
        put(each);
      }
      for (RecordValues.Unreadable each : page.unreadable()) {
        all.remove(each.key());
        unreadable.put(each.key(), each.problem());
        found.add(each.key());
      }
      after = page.next();
    } while (after.isPresent());
    removals.incrementAndGet();
    readings++;
    all.keySet().retainAll(found);
    unreadable.keySet().retainAll(found);
    reported.keySet().retainAll(found);
    removed.keySet().retainAll(found);
    isComplete = !isClosed;
  }

  private void closeWatch() {
    if (watch != null) {
      watch.close();
      watch = null;
    }
  }

  /** Ends the watch. Operations that end later read the store each time. */
  @Override
  public void close() {
    lock.lock();
    try {
      isClosed = true;
      closeWatch();
      isComplete = false;
    } finally {
      lock.unlock();
    }
  }
}
