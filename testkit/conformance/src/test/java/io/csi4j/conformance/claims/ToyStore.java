package io.csi4j.conformance.claims;

import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.claim.spi.ClaimPage;
import io.csi4j.volume.claim.spi.ClaimStore;
import io.csi4j.volume.claim.spi.ClaimStoreException;
import io.csi4j.volume.claim.spi.ClaimStoreException.Reason;
import io.csi4j.volume.claim.spi.ClaimVersion;
import io.csi4j.volume.claim.spi.ClaimWatch;
import io.csi4j.volume.claim.spi.StoreIdentity;
import io.csi4j.volume.claim.spi.Versioned;
import io.csi4j.volume.claim.spi.WriteResult;
import io.csi4j.volume.claim.spi.WriteToken;
import io.csi4j.volume.model.VolumeKey;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * A store of which several clients can be open, and which outlives them; right as it is, and made
 * to be broken in one place by a subclass.
 */
class ToyStore implements ClaimStore {

  /** What the clients of one store share. */
  static final class Medium {
    final ReentrantLock lock = new ReentrantLock();
    final NavigableMap<VolumeKey, Versioned> claims = new TreeMap<>();
    final Set<VolumeKey> damaged = new HashSet<>();
    final List<ToyStore> clients = new ArrayList<>();
    final StoreIdentity identity = new StoreIdentity("toy-" + UUID.randomUUID());
  }

  final Medium medium;
  final ToyFeed feed = new ToyFeed();
  volatile boolean closed;

  ToyStore(Medium medium) {
    this.medium = medium;
    medium.lock.lock();
    try {
      medium.clients.add(this);
    } finally {
      medium.lock.unlock();
    }
  }

  /** A place for stores of this kind. */
  static ClaimStoreFixture.Place place(Function<Medium, ToyStore> kind) {
    Medium medium = new Medium();
    return new ClaimStoreFixture.Place() {
      @Override
      public ClaimStore open() {
        return kind.apply(medium);
      }

      @Override
      public void damage(VolumeKey volume) {
        medium.damaged.add(volume);
      }

      @Override
      public void close() {}
    };
  }

  void checkOpen() {
    if (closed) {
      throw new ClaimStoreException(Reason.CLOSED, "It is closed. Open it again.");
    }
  }

  static Versioned never(VolumeKey volume) {
    return new Versioned(Claim.none(volume), ClaimVersion.NEVER, Optional.empty());
  }

  /** What is there; with the lock. */
  Versioned there(VolumeKey volume) {
    Versioned there = medium.claims.get(volume);
    return there == null ? never(volume) : there;
  }

  /** Whether what is there can be read; with the lock. */
  boolean isReadable(VolumeKey volume) {
    return !medium.damaged.contains(volume);
  }

  /** Whether what is there is what was expected; with the lock. */
  boolean matches(Versioned there, ClaimVersion expected, WriteToken token) {
    return there.version().equals(expected);
  }

  /** What is kept of a write; with the lock. */
  Versioned kept(Versioned before, Claim next, WriteToken token) {
    return new Versioned(next, new ClaimVersion(before.version().value() + 1), Optional.of(token));
  }

  /** What is answered to a write; with the lock. */
  WriteResult answer(Versioned now) {
    return new WriteResult.Written(now);
  }

  /** What is answered to a write that is not made; with the lock. */
  WriteResult conflict(Versioned there, Claim next, WriteToken token) {
    return new WriteResult.Conflict(there);
  }

  /** Puts it there; with the lock. */
  void put(Versioned now) {
    medium.claims.put(now.claim().volume(), now);
  }

  /** Tells the watches; with the lock. */
  void tell(Versioned now) {
    medium.clients.forEach(client -> client.feed.tell(now));
  }

  @Override
  public Versioned read(VolumeKey volume) {
    checkOpen();
    medium.lock.lock();
    try {
      if (!isReadable(volume)) {
        throw new ClaimStoreException(Reason.UNREADABLE, "It is damaged. Restore it.");
      }
      return there(volume);
    } finally {
      medium.lock.unlock();
    }
  }

  @Override
  public WriteResult compareAndSet(ClaimVersion expected, Claim next, WriteToken token) {
    checkOpen();
    medium.lock.lock();
    try {
      Versioned before = there(next.volume());
      if (!matches(before, expected, token)) {
        return conflict(before, next, token);
      }
      Versioned now = kept(before, next, token);
      put(now);
      tell(now);
      return answer(now);
    } finally {
      medium.lock.unlock();
    }
  }

  @Override
  public ClaimPage scan(Optional<VolumeKey> after, int limit) {
    checkOpen();
    medium.lock.lock();
    try {
      List<Versioned> page = page(after, limit);
      Map<Boolean, List<Versioned>> parts =
          page.stream()
              .collect(Collectors.partitioningBy(each -> isReadable(each.claim().volume())));
      return new ClaimPage(
          parts.get(true), unreadable(parts.get(false)), ClaimPage.of(page, 1).next());
    } finally {
      medium.lock.unlock();
    }
  }

  /** What a page says of claims that cannot be read. */
  List<ClaimPage.Unreadable> unreadable(List<Versioned> claims) {
    return claims.stream()
        .map(each -> each.claim().volume())
        .map(each -> new ClaimPage.Unreadable(each.id(), Optional.of(each), "It is damaged."))
        .toList();
  }

  /** One page, of which only an empty one is the last; with the lock. */
  List<Versioned> page(Optional<VolumeKey> after, int limit) {
    return after
        .map(key -> medium.claims.tailMap(key, false))
        .orElse(medium.claims)
        .values()
        .stream()
        .limit(limit)
        .toList();
  }

  @Override
  public ClaimWatch watch() {
    checkOpen();
    return feed.watch();
  }

  @Override
  public StoreIdentity identity() {
    return medium.identity;
  }

  @Override
  public void close() {
    closed = true;
    feed.close();
  }
}
