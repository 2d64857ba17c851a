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

/** A store under check, with the actions that checks share. */
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

  /** Returns a scene with a store that is independent of this one. */
  Scene elsewhere(RecordStoreFixture.Place other) {
    return new Scene(fixture, other);
  }

  RecordStoreFixture.Place otherPlace() {
    return fixture.place();
  }

  RecordStore store() {
    return store;
  }

  /** Watches the claims. */
  Watch watch() {
    return store.watch(Space.CLAIMS);
  }

  WatchFollower follower(Watch watch) {
    return new WatchFollower(watch, patience());
  }

  /** Returns how long to wait for an expected event. */
  Duration patience() {
    return fixture.patience();
  }

  /** Returns another client of the same store; only for checks of shared stores. */
  RecordStore another() {
    return opened(place.open());
  }

  private RecordStore opened(RecordStore next) {
    opened.add(next);
    return next;
  }

  /** Closes the store and opens it again; only for durable stores. */
  RecordStore reopened() {
    store.close();
    store = another();
    return store;
  }

  @Override
  public void close() {
    opened.forEach(RecordStore::close);
  }

  // ---- actions of checks

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
   * Returns the pages of a scan after a key. A page may have fewer records than requested, and only
   * the page states whether it is the last.
   */
  static List<Page> pages(RecordStore store, Space space, Optional<RecordKey> after, int limit) {
    List<Page> pages = new ArrayList<>();
    Optional<RecordKey> behind = after;
    int records = 0;
    do {
      Page page = store.scan(space, behind, limit);
      pages.add(page);
      records += page.records().size();
      check(pages.size() <= 10_000 && records <= 10_000, "A scan did not end.");
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

  /** Writes and requires success, because there is no other writer. */
  There write(There before, String text) {
    return write(store, before, text);
  }

  static There write(RecordStore store, There before, String text) {
    return written(store.write(before.next(text)), before);
  }

  /** Overwrites the current record. */
  There write(RecordKey key, String text) {
    return write(read(key), text);
  }

  /** Removes and requires success, because there is no other writer. */
  void remove(There before) {
    There left = written(store.write(before.removal()), before);
    check(left.record().isEmpty(), "A removal left " + left + ".");
  }

  /** Returns the record after a write that must have succeeded. */
  static There written(WriteResult result, There before) {
    if (result instanceof WriteResult.Written written) {
      return There.among(written.now(), before.key());
    }
    throw new AssertionError(
        "A write that expected the current record was not made: " + words(result) + ".");
  }

  /** Tries a write that must be refused; returns the current record. */
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
            + ", which was not current, was not a conflict: "
            + words(result)
            + ".");
  }

  /** Fails unless this record exists. */
  void isThere(There expected, String what) {
    same(read(expected.key()), expected, what);
  }

  /** Fails unless the write is a conflict that contains the current record. */
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
