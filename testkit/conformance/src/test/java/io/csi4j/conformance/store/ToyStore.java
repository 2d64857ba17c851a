package io.csi4j.conformance.store;

import io.csi4j.volume.model.ReasonText;
import io.csi4j.volume.store.RecordKey;
import io.csi4j.volume.store.RecordKey.Space;
import io.csi4j.volume.store.RecordStore;
import io.csi4j.volume.store.RecordStoreException;
import io.csi4j.volume.store.RecordStoreException.Reason;
import io.csi4j.volume.store.RecordWrite;
import io.csi4j.volume.store.StoreIdentity;
import io.csi4j.volume.store.StoredRecord;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiPredicate;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * A store of which several clients can be open, and which outlives them. Each part of it is a
 * function that is right as it is, and that a defect replaces before the store is used.
 */
final class ToyStore implements RecordStore {

  /** What the clients of one store share. */
  static final class Medium {
    final ReentrantLock lock = new ReentrantLock();
    final NavigableMap<RecordKey, StoredRecord> records = new TreeMap<>();
    final List<ToyStore> clients = new ArrayList<>();
    final StoreIdentity identity = new StoreIdentity("toy-" + UUID.randomUUID());
    long version;
  }

  interface Keeping {
    StoredRecord of(Optional<StoredRecord> before, RecordWrite write);
  }

  interface Paging {
    List<StoredRecord> of(Space space, Optional<RecordKey> after, int limit);
  }

  interface Scanning {
    Page of(Space space, Optional<RecordKey> after, int limit);
  }

  interface Answering {
    WriteResult of(List<StoredRecord> now, List<RecordWrite> writes);
  }

  interface Telling {
    void of(Space space, Watch.Change change);
  }

  final ToyFeed feed = new ToyFeed();

  /** Whether others had the store open before, and closed it. */
  final boolean openedAgain;

  Medium medium;
  volatile boolean closed;

  Runnable checkOpen =
      () -> {
        if (closed) {
          throw new RecordStoreException(Reason.CLOSED, "It is closed. Open it again.");
        }
      };

  /** What is there; with the lock. */
  Function<RecordKey, Optional<StoredRecord>> there =
      key -> Optional.ofNullable(medium.records.get(key));

  /** Whether what is there is what was seen; with the lock. */
  BiPredicate<Optional<StoredRecord>, RecordWrite> matches =
      (there, write) -> there.equals(write.seen());

  /** Gives the next version; with the lock. */
  Supplier<Long> version = () -> ++medium.version;

  /** What is kept of a write; with the lock. */
  Keeping kept =
      (before, write) -> new StoredRecord(write.key(), version.get(), write.next().orElseThrow());

  /** What is answered to writes that are made; with the lock. */
  Answering answer = (now, writes) -> new WriteResult.Written(now);

  /** What is answered to writes that are not made; with the lock. */
  Answering conflict = (there, writes) -> new WriteResult.Conflict(there);

  /** Puts it there; with the lock. */
  Consumer<StoredRecord> put = now -> medium.records.put(now.key(), now);

  /** Removes it; with the lock. */
  Consumer<RecordKey> drop = key -> medium.records.remove(key);

  /** Notifies the watches; with the lock. */
  Telling tell =
      (space, change) -> medium.clients.forEach(client -> client.feed.tell(space, change));

  /** One page, of which only an empty one is the last; with the lock. */
  Paging page = (space, after, limit) -> behind(space, after, false).limit(limit).toList();

  /** Whether all writes are made, one of which was not to be; with the lock. */
  boolean inParts;

  Function<RecordKey, Optional<StoredRecord>> read = this::readRightly;
  Scanning scan = this::scanRightly;
  Function<Space, Watch> watch = feed::watch;
  Supplier<StoreIdentity> identity = () -> medium.identity;
  Function<RecordKey, Optional<ReasonText>> uncertainty = key -> Optional.empty();
  Runnable close =
      () -> {
        closed = true;
        feed.close();
      };

  private ToyStore(Medium medium) {
    this.medium = medium;
    medium.lock.lock();
    try {
      openedAgain =
          !medium.clients.isEmpty() && medium.clients.stream().allMatch(client -> client.closed);
      medium.clients.add(this);
    } finally {
      medium.lock.unlock();
    }
  }

  /** A place for stores with this defect. */
  static RecordStoreFixture.Place place(Consumer<ToyStore> defect) {
    Medium medium = new Medium();
    return new RecordStoreFixture.Place() {
      @Override
      public RecordStore open() {
        ToyStore store = new ToyStore(medium);
        defect.accept(store);
        return store;
      }

      @Override
      public void close() {}
    };
  }

  /** The records of a space behind a key, or from the key on; all if there is none. */
  Stream<StoredRecord> behind(Space space, Optional<RecordKey> after, boolean from) {
    return after
        .map(key -> medium.records.tailMap(key, from))
        .orElse(medium.records)
        .values()
        .stream()
        .filter(each -> each.key().space() == space);
  }

  /** Does it with the lock. */
  void locked(Runnable work) {
    medium.lock.lock();
    try {
      work.run();
    } finally {
      medium.lock.unlock();
    }
  }

  private Optional<StoredRecord> readRightly(RecordKey key) {
    checkOpen.run();
    medium.lock.lock();
    try {
      return there.apply(key);
    } finally {
      medium.lock.unlock();
    }
  }

  private Page scanRightly(Space space, Optional<RecordKey> after, int limit) {
    checkOpen.run();
    medium.lock.lock();
    try {
      return Page.of(page.of(space, after, limit), 1);
    } finally {
      medium.lock.unlock();
    }
  }

  @Override
  public Optional<StoredRecord> read(RecordKey key) {
    return read.apply(key);
  }

  @Override
  public int together() {
    return 3;
  }

  @Override
  public WriteResult write(List<RecordWrite> writes) {
    checkOpen.run();
    medium.lock.lock();
    try {
      boolean isConflict =
          writes.stream().anyMatch(each -> !matches.test(there.apply(each.key()), each));
      List<StoredRecord> now = new ArrayList<>();
      for (RecordWrite each : writes) {
        if (!isConflict || (inParts && matches.test(there.apply(each.key()), each))) {
          made(each).ifPresent(now::add);
        }
      }
      return isConflict
          ? conflict.of(
              writes.stream().flatMap(each -> there.apply(each.key()).stream()).toList(), writes)
          : answer.of(now, writes);
    } finally {
      medium.lock.unlock();
    }
  }

  private Optional<StoredRecord> made(RecordWrite write) {
    RecordKey key = write.key();
    if (write.next().isEmpty()) {
      drop.accept(key);
      tell.of(key.space(), new Watch.Change.Removed(key, version.get()));
      return Optional.empty();
    }
    StoredRecord now = kept.of(there.apply(key), write);
    put.accept(now);
    tell.of(key.space(), new Watch.Change.Written(now));
    return Optional.of(now);
  }

  @Override
  public Page scan(Space space, Optional<RecordKey> after, int limit) {
    return scan.of(space, after, limit);
  }

  @Override
  public Watch watch(Space space) {
    checkOpen.run();
    return watch.apply(space);
  }

  @Override
  public StoreIdentity identity() {
    return identity.get();
  }

  @Override
  public Optional<ReasonText> uncertainty(RecordKey key) {
    return uncertainty.apply(key);
  }

  @Override
  public void close() {
    close.run();
  }
}
