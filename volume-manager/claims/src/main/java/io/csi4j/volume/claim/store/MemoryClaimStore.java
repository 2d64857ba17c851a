package io.csi4j.volume.claim.store;

import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.claim.spi.ClaimPage;
import io.csi4j.volume.claim.spi.ClaimStore;
import io.csi4j.volume.claim.spi.ClaimVersion;
import io.csi4j.volume.claim.spi.ClaimWatch;
import io.csi4j.volume.claim.spi.Versioned;
import io.csi4j.volume.claim.spi.WriteResult;
import io.csi4j.volume.claim.spi.WriteToken;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.store.RecordStoreException;
import io.csi4j.volume.store.RecordStoreException.Reason;
import io.csi4j.volume.store.StoreIdentity;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A store in this process, which forgets everything with it. For one host, and for tests.
 *
 * @since 1.0
 */
public final class MemoryClaimStore implements ClaimStore {

  private final StoreIdentity identity = new StoreIdentity("memory-" + UUID.randomUUID());
  private final ReentrantLock lock = new ReentrantLock();
  private final NavigableMap<VolumeKey, Versioned> claims = new TreeMap<>();
  private final ClaimFeed feed = new ClaimFeed();
  private volatile boolean closed;

  /** A store in which nothing is claimed. */
  public MemoryClaimStore() {}

  @Override
  public Versioned read(VolumeKey volume) {
    lock.lock();
    try {
      return there(volume);
    } finally {
      lock.unlock();
    }
  }

  private Versioned there(VolumeKey volume) {
    checkOpen();
    Versioned known = claims.get(volume);
    return known == null
        ? new Versioned(Claim.none(volume), ClaimVersion.NEVER, Optional.empty())
        : known;
  }

  @Override
  public WriteResult compareAndSet(ClaimVersion expected, Claim next, WriteToken token) {
    lock.lock();
    try {
      Versioned before = there(next.volume());
      if (!before.version().equals(expected)) {
        return new WriteResult.Conflict(before);
      }
      Versioned now =
          new Versioned(next, new ClaimVersion(expected.value() + 1), Optional.of(token));
      claims.put(next.volume(), now);
      feed.tell(now);
      return new WriteResult.Written(now);
    } finally {
      lock.unlock();
    }
  }

  @Override
  public ClaimPage scan(Optional<VolumeKey> after, int limit) {
    lock.lock();
    try {
      checkOpen();
      return ClaimPage.of(
          after.map(key -> claims.tailMap(key, false)).orElse(claims).values().stream()
              .limit(limit)
              .toList(),
          limit);
    } finally {
      lock.unlock();
    }
  }

  @Override
  public ClaimWatch watch() {
    checkOpen();
    return feed.watch();
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
          "Asking the store of claims '" + identity + "' failed: it is closed. Open another one.");
    }
  }
}
