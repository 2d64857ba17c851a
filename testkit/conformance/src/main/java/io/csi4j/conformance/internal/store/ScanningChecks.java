package io.csi4j.conformance.internal.store;

import static io.csi4j.conformance.internal.store.Keys.DB;
import static io.csi4j.conformance.internal.store.Scene.check;
import static io.csi4j.conformance.internal.store.Scene.same;

import io.csi4j.volume.store.RecordKey;
import io.csi4j.volume.store.RecordKey.Space;
import io.csi4j.volume.store.RecordStore.Page;
import io.csi4j.volume.store.StoredRecord;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/** Checks that a scan returns all written records, page by page. */
final class ScanningChecks {

  private ScanningChecks() {}

  static void addTo(AllChecks all) {
    all.add(
        "a scan of an empty store is empty",
        scene -> same(scene.scanned(), List.of(), "An empty store"));
    all.add(
        "a scan shows what reads show",
        scene -> {
          List<There> written = writeAll(scene, Keys.keys(5));
          same(scene.scanned(), written, "A scan");
        });
    all.add(
        "a scan returns all records in the order of keys, page by page",
        scene -> {
          List<RecordKey> keys = Keys.keys(25);
          List<RecordKey> backwards = new ArrayList<>(keys);
          Collections.reverse(backwards);
          writeAll(scene, backwards);
          for (int limit : List.of(1, 10, 24, 25, 26)) {
            same(walk(scene, limit), keys, "A scan by pages of " + limit);
          }
        });
    all.add("each space has its own pages", ScanningChecks::pagesOfSpaces);
    all.add(
        "a scan follows the order of keys, whatever their letters",
        scene -> {
          List<RecordKey> keys = Keys.trickyKeys();
          writeAll(scene, keys);
          same(walk(scene, 7), keys, "A scan");
        });
    all.add(
        "a page has no more records than requested",
        scene -> {
          writeAll(scene, Keys.keys(10));
          for (int limit : List.of(1, 3, 10, 1_000)) {
            for (Page page : Scene.pages(scene.store(), Space.CLAIMS, Optional.empty(), limit)) {
              int size = page.records().size();
              check(size <= limit, "A page of at most " + limit + " records had " + size + ".");
            }
          }
        });
    all.add(
        "a scan can begin after a key that does not exist",
        scene -> {
          List<RecordKey> keys = Keys.keys(3);
          writeAll(scene, keys);
          behind(scene, Keys.key("a", "z"), keys);
          behind(scene, Keys.key("v-0000a"), keys.subList(1, 3));
          behind(scene, Keys.key("v-9999"), List.of());
          behind(scene, Keys.key("z", "a"), List.of());
        });
    all.add(
        "a page does not change after it was returned",
        scene -> {
          There first = scene.write(DB, "a");
          List<Page> pages = Scene.pages(scene.store(), Space.CLAIMS, Optional.empty(), 10);
          scene.write(Keys.key("another"), "b");
          scene.write(first, "c");
          same(Scene.records(pages), List.of(first), "A page of before");
        });
    all.add("writes between two pages do not move other records", ScanningChecks::betweenPages);
    all.add("a scan during writes returns each unchanged record once", ScanningChecks::underChange);
  }

  private static List<There> writeAll(Scene scene, List<RecordKey> keys) {
    return keys.stream().map(key -> scene.write(key, "w")).toList();
  }

  private static void behind(Scene scene, RecordKey after, List<RecordKey> expected) {
    same(
        Scene.keys(Scene.records(Scene.pages(scene.store(), Space.CLAIMS, Optional.of(after), 10))),
        expected,
        "What stands behind " + after);
  }

  /**
   * Scans each space page by page. The pages of one space must not contain records of other spaces.
   */
  private static void pagesOfSpaces(Scene scene) {
    Map<Space, List<RecordKey>> written = new EnumMap<>(Space.class);
    for (Space space : Space.values()) {
      List<RecordKey> keys =
          Keys.keys(5 + space.name().length()).stream()
              .map(key -> new RecordKey(space, key.name()))
              .toList();
      writeAll(scene, keys);
      written.put(space, keys);
    }
    written.forEach(
        (space, keys) -> {
          for (int limit : List.of(1, 2, 5, keys.size(), 100)) {
            same(
                Scene.keys(
                    Scene.records(Scene.pages(scene.store(), space, Optional.empty(), limit))),
                keys,
                "A scan of the space " + space + " by pages of " + limit);
          }
          same(
              Scene.keys(
                  Scene.records(Scene.pages(scene.store(), space, Optional.of(keys.get(3)), 2))),
              keys.subList(4, keys.size()),
              "What stands behind " + keys.get(3));
        });
  }

  /** Returns all keys, in the order of a scan with pages of this size. */
  private static List<RecordKey> walk(Scene scene, int limit) {
    return Scene.keys(
        Scene.records(Scene.pages(scene.store(), Space.CLAIMS, Optional.empty(), limit)));
  }

  /** After each page of a scan, adds a claim before all others, and changes the last claim. */
  private static void betweenPages(Scene scene) {
    List<RecordKey> stay = Keys.keys(12);
    writeAll(scene, stay);
    List<RecordKey> seen = new ArrayList<>();
    Optional<RecordKey> after = Optional.empty();
    int pages = 0;
    do {
      Page page = scene.store().scan(Space.CLAIMS, after, 3);
      seen.addAll(page.records().stream().map(StoredRecord::key).toList());
      after = page.next();
      scene.write(Keys.key("before-" + pages), "new");
      scene.write(stay.get(11), "changed-" + pages);
      pages++;
      check(pages <= 1_000, "A scan did not end.");
    } while (after.isPresent());
    same(seen.stream().filter(stay::contains).toList(), stay, "The records on the pages of a scan");
  }

  private static void underChange(Scene scene) throws Exception {
    List<RecordKey> stay = Keys.keys(40);
    writeAll(scene, stay);
    AtomicBoolean over = new AtomicBoolean();
    AtomicInteger written = new AtomicInteger();
    Callable<Integer> writer =
        () -> {
          for (int i = 0; !over.get(); i++) {
            scene.write(Keys.key("v-%04d-%d".formatted(i % 40, i % 300)), "new");
            scene.write(Keys.key("v-%04dx".formatted(i % 40)), "changed");
            written.incrementAndGet();
          }
          return 0;
        };
    Callable<Integer> scanner =
        () -> {
          int scans = 0;
          try {
            while ((scans < 20 || written.get() < 20) && !Thread.currentThread().isInterrupted()) {
              List<RecordKey> seen = walk(scene, 7);
              Set<RecordKey> once = new HashSet<>(seen);
              check(once.size() == seen.size(), "A scan showed a key twice.");
              check(once.containsAll(stay), "A scan omitted a record.");
              same(seen, seen.stream().sorted().toList(), "The order of a scan");
              scans++;
            }
          } finally {
            over.set(true);
          }
          return scans;
        };
    // If writes had to wait until no scan is running, the writer would never return.
    int scans = Crowd.atOnce(scene.patience(), List.of(writer, scanner)).get(1);
    check(scans >= 20 && written.get() >= 20, "A caller was interrupted by something else.");
  }
}
