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

/** A store that is being checked, with the actions that several checks need. */
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

  /** Returns a scene with another, independent store. */
  Scene elsewhere(RecordStoreFixture.Place other) {
    return new Scene(fixture, other);
  }

  RecordStoreFixture.Place otherPlace() {
    return fixture.place();
  }

  RecordStore store() {
    return store;
  }

  /** Returns a watch for the space of claims. */
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

  /**
   * Returns another client of the same store. Only checks of shared stores may call this method.
   */
  RecordStore another() {
    return opened(place.open());
  }

  private RecordStore opened(RecordStore next) {
    opened.add(next);
    return next;
  }

  /** Closes the store and opens it again. Only checks of durable stores may call this method. */
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
   * Returns the pages of a scan that begins after a key. A page may have fewer records than
   * requested. Each page states whether it is the last page.
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

  /** Writes a record. Fails unless the write succeeds, because there is no other writer. */
  There write(There before, String text) {
    return write(store, before, text);
  }

  static There write(RecordStore store, There before, String text) {
    return written(store.write(before.next(text)), before);
  }

  /** Overwrites the current record of a key. */
  There write(RecordKey key, String text) {
    return write(read(key), text);
  }

  /** Removes a record. Fails unless the removal succeeds, because there is no other writer. */
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

  /** Tries a write that the store must refuse, and returns the current record from the refusal. */
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

  /** Fails unless the store contains exactly this record for its key. */
  void isThere(There expected, String what) {
    same(read(expected.key()), expected, what);
  }

  /**
   * Fails unless a write that expects {@code seen} is a conflict that contains the current record
   * {@code there}.
   */
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
