package io.csi4j.conformance.internal.store;

import static io.csi4j.conformance.internal.store.Keys.DB;
import static io.csi4j.conformance.internal.store.Keys.key;
import static io.csi4j.conformance.internal.store.Scene.same;

import io.csi4j.volume.store.RecordKey;
import io.csi4j.volume.store.RecordKey.Space;
import io.csi4j.volume.store.RecordStore.Watch;
import io.csi4j.volume.store.StoredRecord;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Checks that each key has its own record, whatever its name, and that spaces are separate. */
final class KeyChecks {

  private KeyChecks() {}

  static void addTo(AllChecks all) {
    all.add(
        "keys do not touch each other",
        scene -> {
          RecordKey other = key("team", "db");
          There ours = scene.write(DB, "a");
          There theirs = scene.write(other, "b");
          scene.isThere(ours, "The record of " + DB);
          scene.isThere(theirs, "The record of " + other);
        });
    all.add("names of any letters are kept apart", scene -> keptApart(scene, Keys.trickyKeys()));
    all.add(
        "names of a thousand characters are kept apart",
        scene ->
            keptApart(
                scene,
                List.of(
                    key("n", "x".repeat(1024)),
                    key("n", "x".repeat(1023) + "y"),
                    key("x".repeat(1024), "x".repeat(1024)),
                    key("n".repeat(1024), "\ud834\udd1e".repeat(512)),
                    key("n".repeat(1024), "\ud834\udd1e".repeat(511) + "zz"))));
    all.add(
        "a name need not be that of a volume",
        scene ->
            keptApart(
                scene,
                List.of(
                    new RecordKey(Space.CLAIMS, "identity"),
                    new RecordKey(Space.CLAIMS, "default"),
                    new RecordKey(Space.CLAIMS, "\u0001"),
                    new RecordKey(Space.CLAIMS, "\u0003default\u001fdb"),
                    key("default", "db"))));
    all.add(
        "a version belongs to one key only",
        scene -> {
          There ours = scene.write(scene.write(DB, "a"), "b");
          RecordKey other = key("other");
          There elsewhere = There.of(new StoredRecord(other, ours.version(), There.value("b")));
          scene.isInConflict(elsewhere, There.never(other));
        });
    all.add(
        "spaces do not touch each other",
        scene -> {
          for (Space space : Space.values()) {
            same(
                scene.read(Keys.in(space)),
                There.never(Keys.in(space)),
                "A key of a space in which nothing was written");
            There now = scene.write(Keys.in(space), space.name());
            same(Scene.scanned(scene.store(), space), List.of(now), "A scan of the space " + space);
          }
        });
    all.add(
        "a watch shows its space alone",
        scene -> {
          try (Watch watch = scene.store().watch(Space.VOLUMES)) {
            scene.write(Keys.in(Space.CLAIMS), "a");
            scene.write(Keys.in(Space.CLUSTER), "b");
            There now = scene.write(Keys.in(Space.VOLUMES), "c");
            WatchFollower follower = scene.follower(watch);
            same(follower.next(), now, "The changes in a watch of one space");
            follower.nothingMore();
          }
        });
  }

  private static void keptApart(Scene scene, List<RecordKey> keys) {
    Map<RecordKey, There> written = new LinkedHashMap<>();
    for (int i = 0; i < keys.size(); i++) {
      RecordKey key = keys.get(i);
      scene.isThere(There.never(key), "A key before it was written");
      written.put(key, scene.write(key, "w-" + i));
    }
    written.forEach((key, now) -> scene.isThere(now, "The record of a key"));
    same(
        Scene.keys(scene.scanned()),
        keys.stream().sorted().toList(),
        "The names that a scan shows");
  }
}
