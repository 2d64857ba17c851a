package io.csi4j.volume.store.local;

import io.csi4j.volume.store.RecordKey;
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
import java.util.stream.Stream;

/**
 * A store in the memory of this process, for tests and for hosts whose claims need not survive a
 * restart.
 *
 * @since 1.0
 */
public final class MemoryStore implements RecordStore {

  private final StoreIdentity identity = new StoreIdentity("memory-" + UUID.randomUUID());
  private final ReentrantLock lock = new ReentrantLock();
  private final NavigableMap<RecordKey, StoredRecord> records = new TreeMap<>();
  private final ChangeFeed feed = new ChangeFeed();
  private long lastVersion;
  private volatile boolean closed;

  /** Creates an empty store. */
  public MemoryStore() {}

  @Override
  public Optional<StoredRecord> read(RecordKey key) {
    lock.lock();
    try {
      checkOpen();
      return Optional.ofNullable(records.get(key));
    } finally {
      lock.unlock();
    }
  }

  @Override
  public int together() {
    return Integer.MAX_VALUE;
  }

  @Override
  public WriteResult write(List<RecordWrite> writes) {
    lock.lock();
    try {
      checkOpen();
      if (writes.stream()
          .anyMatch(each -> !Optional.ofNullable(records.get(each.key())).equals(each.seen()))) {
        return new WriteResult.Conflict(
            writes.stream().flatMap(each -> Stream.ofNullable(records.get(each.key()))).toList());
      }
      List<StoredRecord> written = new ArrayList<>();
      for (RecordWrite each : writes) {
        lastVersion++;
        if (each.next().isPresent()) {
          StoredRecord now = new StoredRecord(each.key(), lastVersion, each.next().get());
          records.put(each.key(), now);
          written.add(now);
          feed.report(each.key().space(), new Watch.Change.Written(now));
        } else {
          records.remove(each.key());
          feed.report(each.key().space(), new Watch.Change.Removed(each.key(), lastVersion));
        }
      }
      return new WriteResult.Written(written);
    } finally {
      lock.unlock();
    }
  }

  @Override
  public Page scan(RecordKey.Space space, Optional<RecordKey> after, int limit) {
    lock.lock();
    try {
      checkOpen();
      return page(records, space, after, limit);
    } finally {
      lock.unlock();
    }
  }

  /** Returns a page of the records of a space, in the order of their keys. */
  static Page page(
      NavigableMap<RecordKey, StoredRecord> records,
      RecordKey.Space space,
      Optional<RecordKey> after,
      int limit) {
    RecordKey behind = after.orElseGet(() -> new RecordKey(space, "\0"));
    return Page.of(
        records.tailMap(behind, after.isEmpty()).values().stream()
            .takeWhile(each -> each.key().space() == space)
            .limit(limit)
            .toList(),
        limit);
  }

  @Override
  public Watch watch(RecordKey.Space space) {
    checkOpen();
    return feed.watch(space);
  }

  @Override
  public StoreIdentity identity() {
    return identity;
  }

  @Override
  public void close() {
    closed = true;
    feed.close();
  }

  private void checkOpen() {
    if (closed) {
      throw new RecordStoreException(
          Reason.CLOSED,
          "Using the store '" + identity + "' failed: it is closed. Open another one.");
    }
  }
}
