package io.csi4j.conformance.internal.store;

import io.csi4j.conformance.store.RecordStoreFixture;
import io.csi4j.volume.store.RecordKey;
import io.csi4j.volume.store.RecordKey.Space;
import io.csi4j.volume.store.RecordStore;
import io.csi4j.volume.store.RecordStore.Page;
import io.csi4j.volume.store.RecordStore.Watch;
import io.csi4j.volume.store.RecordStore.WriteResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/** A store in the hands of a check, with what checks do again and again. */
final class Scene implements AutoCloseable {

  interface Body {
    void run(Scene scene) throws Exception;
  }

  private final RecordStoreFixture fixture;
  private final RecordStoreFixture.Place place;
  private final List<RecordStore> opened = new ArrayList<>();
  private RecordStore store;

  Scene(RecordStoreFixture fixture, RecordStoreFixture.Place place) {
    this.fixture = fixture;
    this.place = place;
    this.store = opened(place.open());
  }

  /** Returns the scene with a store that has nothing to do with this one. */
  Scene elsewhere(RecordStoreFixture.Place other) {
    return new Scene(fixture, other);
  }

  RecordStoreFixture.Place otherPlace() {
    return fixture.place();
  }

  RecordStore store() {
    return store;
  }

  /** Follows the claims. */
  Watch watch() {
    return store.watch(Space.CLAIMS);
  }

  WatchFollower follower(Watch watch) {
    return new WatchFollower(watch, patience());
  }

  /** How long to wait for what must come. */
  Duration patience() {
    return fixture.patience();
  }

  /** Another client of the same store; not for a check whose store is not shared. */
  RecordStore another() {
    return opened(place.open());
  }

  private RecordStore opened(RecordStore next) {
    opened.add(next);
    return next;
  }

  /** Closes the store and opens it again; only for one that is durable. */
  RecordStore reopened() {
    store.close();
    store = another();
    return store;
  }

  @Override
  public void close() {
    opened.forEach(RecordStore::close);
  }

  // ---- what checks do

  There read(RecordKey key) {
    return read(store, key);
  }

  static There read(RecordStore store, RecordKey key) {
    return new There(key, store.read(key));
  }

  List<There> scanned() {
    return scanned(store, Space.CLAIMS);
  }

  static List<There> scanned(RecordStore store, Space space) {
    return records(pages(store, space, Optional.empty(), 100));
  }

  /**
   * Returns the pages of a scan behind a key. A page may have fewer records than it is asked for,
   * and only the page says whether it is the last.
   */
  static List<Page> pages(RecordStore store, Space space, Optional<RecordKey> after, int limit) {
    List<Page> pages = new ArrayList<>();
    Optional<RecordKey> behind = after;
    int records = 0;
    do {
      Page page = store.scan(space, behind, limit);
      pages.add(page);
      records += page.records().size();
      check(pages.size() <= 10_000 && records <= 10_000, "A scan does not come to an end.");
      behind = page.next();
    } while (behind.isPresent());
    return pages;
  }

  static List<There> records(List<Page> pages) {
    return pages.stream().flatMap(page -> page.records().stream()).map(There::of).toList();
  }

  static List<RecordKey> keys(List<There> records) {
    return records.stream().map(There::key).toList();
  }

  /** Writes what has to be written, as there is no other writer. */
  There write(There before, String text) {
    return write(store, before, text);
  }

  static There write(RecordStore store, There before, String text) {
    return written(store.write(before.next(text)), before);
  }

  /** Writes over what is there. */
  There write(RecordKey key, String text) {
    return write(read(key), text);
  }

  /** Removes what has to be removed, as there is no other writer. */
  void remove(There before) {
    There left = written(store.write(before.removal()), before);
    check(left.record().isEmpty(), "A removal left " + left + ".");
  }

  /** Returns what is there after a write that nothing stood against. */
  static There written(WriteResult result, There before) {
    if (result instanceof WriteResult.Written written) {
      return There.among(written.now(), before.key());
    }
    throw new AssertionError(
        "A write that expected what was there was not made: " + words(result) + ".");
  }

  /** Tries what must not be written; returns what is there instead. */
  There conflict(There seen, String text) {
    return conflict(store.write(seen.next(text)), seen);
  }

  static There conflict(WriteResult result, There seen) {
    if (result instanceof WriteResult.Conflict conflict) {
      return There.among(conflict.now(), seen.key());
    }
    throw new AssertionError(
        "A write that expected version "
            + seen.version()
            + ", which was not there, was no conflict: "
            + words(result)
            + ".");
  }

  /** Fails unless this is there. */
  void isThere(There expected, String what) {
    same(read(expected.key()), expected, what);
  }

  /** Fails unless the write is a conflict that carries what is there. */
  void isInConflict(There seen, There there) {
    same(conflict(seen, "late"), there, "What the conflict says is there");
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
