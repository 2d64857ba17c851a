package io.csi4j.conformance.internal.claims;

import io.csi4j.conformance.claims.ClaimStoreFixture;
import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.claim.spi.ClaimPage;
import io.csi4j.volume.claim.spi.ClaimStore;
import io.csi4j.volume.claim.spi.ClaimVersion;
import io.csi4j.volume.claim.spi.ClaimWatch;
import io.csi4j.volume.claim.spi.Versioned;
import io.csi4j.volume.claim.spi.WriteResult;
import io.csi4j.volume.claim.spi.WriteToken;
import io.csi4j.volume.model.VolumeKey;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;

/** A store in the hands of a check, with what checks do again and again. */
final class Scene implements AutoCloseable {

  interface Body {
    void run(Scene scene) throws Exception;
  }

  private final ClaimStoreFixture fixture;
  private final ClaimStoreFixture.Place place;
  private final List<ClaimStore> opened = new ArrayList<>();
  private ClaimStore store;

  Scene(ClaimStoreFixture fixture, ClaimStoreFixture.Place place) {
    this.fixture = fixture;
    this.place = place;
    this.store = opened(place.open());
  }

  /** Returns the scene with a store that has nothing to do with this one. */
  Scene elsewhere(ClaimStoreFixture.Place other) {
    return new Scene(fixture, other);
  }

  ClaimStoreFixture.Place otherPlace() {
    return fixture.place();
  }

  ClaimStore store() {
    return store;
  }

  WatchFollower follower(ClaimWatch watch) {
    return new WatchFollower(watch, patience());
  }

  /** How long to wait for what must come. */
  Duration patience() {
    return fixture.patience();
  }

  /** Another client of the same store; not for a check whose store is not shared. */
  ClaimStore another() {
    return opened(place.open());
  }

  /** Makes the record of a claim unreadable; only in a store that is damageable. */
  void damage(VolumeKey volume) {
    place.damage(volume);
  }

  private ClaimStore opened(ClaimStore next) {
    opened.add(next);
    return next;
  }

  /** Closes the store and opens it again; only for one that is durable. */
  ClaimStore reopened() {
    store.close();
    store = another();
    return store;
  }

  @Override
  public void close() {
    opened.forEach(ClaimStore::close);
  }

  // ---- what checks do

  static WriteToken token() {
    return new WriteToken(UUID.randomUUID());
  }

  /** Returns how a volume looks of which nothing was ever written. */
  static Versioned never(VolumeKey volume) {
    return new Versioned(Claim.none(volume), ClaimVersion.NEVER, Optional.empty());
  }

  Versioned read(VolumeKey volume) {
    return store.read(volume);
  }

  List<Versioned> scanned() {
    return scanned(store);
  }

  static List<Versioned> scanned(ClaimStore store) {
    return claims(pages(store, Optional.empty(), 100));
  }

  /**
   * Returns the pages of a scan behind a key. A page may have fewer claims than it is asked for,
   * and only the page says whether it is the last.
   */
  static List<ClaimPage> pages(ClaimStore store, Optional<VolumeKey> after, int limit) {
    List<ClaimPage> pages = new ArrayList<>();
    Optional<VolumeKey> behind = after;
    int claims = 0;
    do {
      ClaimPage page = store.scan(behind, limit);
      check(page.unreadable().isEmpty(), "A scan cannot read what was written.");
      pages.add(page);
      claims += page.claims().size();
      check(pages.size() <= 10_000 && claims <= 10_000, "A scan does not come to an end.");
      behind = page.next();
    } while (behind.isPresent());
    return pages;
  }

  static List<Versioned> claims(List<ClaimPage> pages) {
    return pages.stream().flatMap(page -> page.claims().stream()).toList();
  }

  static List<VolumeKey> keys(List<Versioned> claims) {
    return claims.stream().map(each -> each.claim().volume()).toList();
  }

  /** Writes what has to be written, as there is no other writer. */
  Versioned write(Versioned before, Claim next) {
    return write(store, before, next);
  }

  static Versioned write(ClaimStore store, Versioned before, Claim next) {
    return written(store.compareAndSet(before.version(), next, token()));
  }

  /** Returns what was written by a write that nothing stood against. */
  static Versioned written(WriteResult result) {
    if (result instanceof WriteResult.Written written) {
      return written.now();
    }
    throw new AssertionError(
        "A write that expected what was there was not made: " + words(result) + ".");
  }

  /** Writes a claim of these workloads over any that is there. */
  Versioned write(VolumeKey volume, String... workloads) {
    return write(read(volume), SampleClaims.held(volume, workloads));
  }

  /** Replaces what was seen, which is still there. */
  Versioned replaced(Versioned seen, Claim next) {
    return written(store.replace(seen, next, token()));
  }

  /** Tries to replace what is not there any more, and gives what is there instead. */
  Versioned notReplaced(Versioned seen, Claim next) {
    return conflict(store.replace(seen, next, token()), seen.version()).now();
  }

  /** Tries what must not be written. */
  WriteResult.Conflict conflict(ClaimVersion expected, Claim next) {
    return conflict(store.compareAndSet(expected, next, token()), expected);
  }

  static WriteResult.Conflict conflict(WriteResult result, ClaimVersion expected) {
    if (result instanceof WriteResult.Conflict conflict) {
      return conflict;
    }
    throw new AssertionError(
        "A write that expected version "
            + expected
            + ", which was not there, was no conflict: "
            + words(result)
            + ".");
  }

  /**
   * Returns what a caller who tries again is told. A store may know its own mark and say that it is
   * written, or leave that to the caller and say that it is a conflict.
   */
  static Versioned told(WriteResult result) {
    if (result instanceof WriteResult.Written written) {
      return written.now();
    }
    if (result instanceof WriteResult.Conflict conflict) {
      return conflict.now();
    }
    throw new AssertionError("A write that was tried again was told " + words(result) + ".");
  }

  /** Fails unless this is there of the sample volume. */
  void isThere(Versioned expected, String what) {
    same(read(SampleClaims.DB), expected, what);
  }

  /** Fails unless the write is a conflict that tells what is there. */
  void isToldByConflict(ClaimVersion expected, Claim next, Versioned there) {
    same(conflict(expected, next).now(), there, "What the conflict says is there");
  }

  static void check(boolean holds, String otherwise) {
    if (!holds) {
      throw new AssertionError(otherwise);
    }
  }

  static void same(Object seen, Object expected, String what) {
    check(
        Objects.equals(seen, expected),
        what + " was " + words(seen) + ", and not " + words(expected) + ".");
  }

  private static String words(Object value) {
    String text = String.valueOf(value);
    return text.length() <= 600 ? text : text.substring(0, 600) + "…";
  }
}
