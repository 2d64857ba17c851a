package io.csi4j.conformance.internal.store;

import static io.csi4j.conformance.internal.store.Keys.DB;
import static io.csi4j.conformance.internal.store.Scene.check;
import static io.csi4j.conformance.internal.store.Scene.same;

import io.csi4j.volume.store.RecordStore.WriteResult;
import io.csi4j.volume.store.RecordWrite;
import io.csi4j.volume.store.StoredRecord;
import java.util.List;

/**
 * Checks that a write succeeds only if the record is in the state that the writer expects, and that
 * no version is used twice.
 */
final class WritingChecks {

  private WritingChecks() {}

  static void addTo(AllChecks all) {
    versions(all);
    conflicts(all);
    repeated(all);
  }

  private static void versions(AllChecks all) {
    all.add(
        "each write has a higher version",
        scene -> {
          There at = scene.read(DB);
          for (int i = 0; i < 20; i++) {
            at = higher(scene, at, "w-" + i);
          }
        });
    all.add(
        "the same bytes again are a write like any other",
        scene -> {
          There now = higher(scene, scene.write(scene.read(DB), "a"), "a");
          scene.isThere(now, "The record that was written again");
        });
    all.add(
        "a version is not used again, even for the same bytes",
        scene -> {
          There first = scene.write(scene.read(DB), "a");
          There third = scene.write(scene.write(first, "b"), "a");
          scene.isInConflict(first, third);
        });
  }

  private static There higher(Scene scene, There before, String next) {
    There now = scene.write(before, next);
    check(
        now.version() > before.version(),
        "A write after version " + before.version() + " got " + now.version() + ".");
    return now;
  }

  private static void conflicts(AllChecks all) {
    all.add(
        "a write that expects an older version gets the current record",
        scene -> {
          There first = scene.write(DB, "a");
          There second = scene.write(first, "b");
          scene.isInConflict(first, second);
        });
    all.add(
        "a write that expects no record gets the current one",
        scene -> {
          There first = scene.write(DB, "a");
          scene.isInConflict(There.never(DB), first);
        });
    all.add(
        "a write that expects a future version gets the current record",
        scene -> {
          There first = scene.write(DB, "a");
          for (long ahead : List.of(1L, 1_000_000L)) {
            scene.isInConflict(first.at(first.version() + ahead), first);
          }
        });
    all.add(
        "a write that expects the version with other bytes gets the current record",
        scene -> {
          There first = scene.write(DB, "a");
          There other = There.of(new StoredRecord(DB, first.version(), There.value("b")));
          scene.isInConflict(other, first);
          scene.isThere(first, "What is there after the conflict");
        });
    all.add(
        "a write that expects a version of an absent record is a conflict",
        scene ->
            scene.isInConflict(
                There.of(new StoredRecord(DB, 1, There.value("a"))), There.never(DB)));
    all.add(
        "a conflict changes nothing",
        scene -> {
          There first = scene.write(DB, "a");
          WriteResult result = scene.store().write(There.never(DB).next("c"));
          scene.isThere(first, "What is there after " + result.getClass().getName());
          same(scene.scanned(), List.of(first), "A scan after a conflict");
        });
    all.add(
        "a conflict uses up nothing that the next write needs",
        scene -> {
          There first = scene.write(DB, "a");
          There second = scene.write(scene.conflict(There.never(DB), "c"), "b");
          check(
              second.version() > first.version(),
              "The write after a conflict has no higher version.");
        });
  }

  private static void repeated(AllChecks all) {
    all.add(
        "the same write twice is made once",
        scene -> {
          RecordWrite write = There.never(DB).next("a");
          There now = Scene.written(scene.store().write(write), There.never(DB));
          There told = told(scene.store().write(write));
          same(told, now, "The record after the second write");
          scene.isThere(now, "The record after the second write");
        });
    all.add(
        "a write that arrives late does nothing",
        scene -> {
          There first = scene.write(DB, "a");
          RecordWrite late = first.next("late");
          There mine = Scene.written(scene.store().write(late), first);
          There other = scene.write(mine, "other");
          same(
              Scene.conflict(scene.store().write(late), first),
              other,
              "What the late write is told");
          scene.isThere(other, "The record after the late write");
        });
  }

  /**
   * Returns the record in the answer to a repeated write. The store may recognize that it already
   * contains the bytes, and report success. It may also report a conflict, so that the writer must
   * compare the bytes.
   */
  static There told(WriteResult result) {
    if (result instanceof WriteResult.Written written) {
      return There.among(written.now(), DB);
    }
    if (result instanceof WriteResult.Conflict conflict) {
      return There.among(conflict.now(), DB);
    }
    throw new AssertionError("A repeated write got " + result + ".");
  }
}
