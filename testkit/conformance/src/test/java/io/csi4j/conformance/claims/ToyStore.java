package io.csi4j.conformance.claims;

import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.claim.spi.ClaimPage;
import io.csi4j.volume.claim.spi.ClaimStore;
import io.csi4j.volume.store.RecordStoreException;
import io.csi4j.volume.store.RecordStoreException.Reason;
import io.csi4j.volume.claim.spi.ClaimVersion;
import io.csi4j.volume.claim.spi.ClaimWatch;
import io.csi4j.volume.store.StoreIdentity;
import io.csi4j.volume.claim.spi.Versioned;
import io.csi4j.volume.claim.spi.WriteResult;
import io.csi4j.volume.claim.spi.WriteToken;
import io.csi4j.volume.model.ReasonText;
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
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A store of which several clients can be open, and which outlives them. Each part of it is a
 * function that is right as it is, and that a defect replaces before the store is used.
 */
final class ToyStore implements ClaimStore {

  /** What the clients of one store share. */
  static final class Medium {
    final ReentrantLock lock = new ReentrantLock();
    final NavigableMap<VolumeKey, Versioned> claims = new TreeMap<>();
    final Set<VolumeKey> damaged = new HashSet<>();
    final List<ToyStore> clients = new ArrayList<>();
    final StoreIdentity identity = new StoreIdentity("toy-" + UUID.randomUUID());
  }

  interface Match {
    boolean of(Versioned there, ClaimVersion expected, WriteToken token);
  }

  interface Keeping {
    Versioned of(Versioned before, Claim next, WriteToken token);
  }

  interface Paging {
    List<Versioned> of(Optional<VolumeKey> after, int limit);
  }

  interface Scanning {
    ClaimPage of(Optional<VolumeKey> after, int limit);
  }

  interface Writing {
    WriteResult of(Versioned there, Claim next, WriteToken token);
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
  Function<VolumeKey, Versioned> there =
      volume -> medium.claims.getOrDefault(volume, never(volume));

  /** Whether what is there can be read; with the lock. */
  Predicate<VolumeKey> readable = volume -> !medium.damaged.contains(volume);

  /** Whether what is there is what was expected; with the lock. */
  Match matches = (there, expected, token) -> there.version().equals(expected);

  /** What is kept of a write; with the lock. */
  Keeping kept =
      (before, next, token) ->
          new Versioned(next, new ClaimVersion(before.version().value() + 1), Optional.of(token));

  /** What is answered to a write; with the lock. */
  Function<Versioned, WriteResult> answer = WriteResult.Written::new;

  /** What is answered to a write that is not made; with the lock. */
  Writing conflict = (there, next, token) -> new WriteResult.Conflict(there);

  /** Puts it there; with the lock. */
  Consumer<Versioned> put = now -> medium.claims.put(now.claim().volume(), now);

  /** Notifies the watches; with the lock. */
  Consumer<Versioned> tell = now -> medium.clients.forEach(client -> client.feed.tell(now));

  /** One page, of which only an empty one is the last; with the lock. */
  Paging page = (after, limit) -> behind(after, false).limit(limit).toList();

  /** What a page says of claims that cannot be read. */
  Function<List<Versioned>, List<ClaimPage.Unreadable>> unreadable =
      claims ->
          claims.stream()
              .map(each -> each.claim().volume())
              .map(each -> new ClaimPage.Unreadable(each.id(), Optional.of(each), "It is damaged."))
              .toList();

  Function<VolumeKey, Versioned> read = this::readRightly;
  Scanning scan = this::scanRightly;
  Writing replace = ClaimStore.super::replace;
  Supplier<ClaimWatch> watch = feed::watch;
  Supplier<StoreIdentity> identity = () -> medium.identity;
  Function<VolumeKey, Optional<ReasonText>> uncertainty = volume -> Optional.empty();
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
  static ClaimStoreFixture.Place place(Consumer<ToyStore> defect) {
    Medium medium = new Medium();
    return new ClaimStoreFixture.Place() {
      @Override
      public ClaimStore open() {
        ToyStore store = new ToyStore(medium);
        defect.accept(store);
        return store;
      }

      @Override
      public void damage(VolumeKey volume) {
        medium.damaged.add(volume);
      }

      @Override
      public void close() {}
    };
  }

  static Versioned never(VolumeKey volume) {
    return new Versioned(Claim.none(volume), ClaimVersion.NEVER, Optional.empty());
  }

  /** The claims behind a key, or from the key on; all if there is none. */
  Stream<Versioned> behind(Optional<VolumeKey> after, boolean from) {
    return after
        .map(key -> medium.claims.tailMap(key, from))
        .orElse(medium.claims)
        .values()
        .stream();
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

  private Versioned readRightly(VolumeKey volume) {
    checkOpen.run();
    medium.lock.lock();
    try {
      if (!readable.test(volume)) {
        throw new RecordStoreException(Reason.UNREADABLE, "It is damaged. Restore it.");
      }
      return there.apply(volume);
    } finally {
      medium.lock.unlock();
    }
  }

  private ClaimPage scanRightly(Optional<VolumeKey> after, int limit) {
    checkOpen.run();
    medium.lock.lock();
    try {
      List<Versioned> all = page.of(after, limit);
      Map<Boolean, List<Versioned>> parts =
          all.stream()
              .collect(Collectors.partitioningBy(each -> readable.test(each.claim().volume())));
      return new ClaimPage(
          parts.get(true), unreadable.apply(parts.get(false)), ClaimPage.of(all, 1).next());
    } finally {
      medium.lock.unlock();
    }
  }

  @Override
  public Versioned read(VolumeKey volume) {
    return read.apply(volume);
  }

  @Override
  public WriteResult compareAndSet(ClaimVersion expected, Claim next, WriteToken token) {
    checkOpen.run();
    medium.lock.lock();
    try {
      Versioned before = there.apply(next.volume());
      if (!matches.of(before, expected, token)) {
        return conflict.of(before, next, token);
      }
      Versioned now = kept.of(before, next, token);
      put.accept(now);
      tell.accept(now);
      return answer.apply(now);
    } finally {
      medium.lock.unlock();
    }
  }

  @Override
  public WriteResult replace(Versioned seen, Claim next, WriteToken token) {
    return replace.of(seen, next, token);
  }

  @Override
  public ClaimPage scan(Optional<VolumeKey> after, int limit) {
    return scan.of(after, limit);
  }

  @Override
  public ClaimWatch watch() {
    checkOpen.run();
    return watch.get();
  }

  @Override
  public StoreIdentity identity() {
    return identity.get();
  }

  @Override
  public Optional<ReasonText> uncertainty(VolumeKey volume) {
    return uncertainty.apply(volume);
  }

  @Override
  public void close() {
    close.run();
  }
}
