package io.csi4j.conformance.internal.claims;

import static io.csi4j.conformance.internal.claims.SampleClaims.DB;
import static io.csi4j.conformance.internal.claims.SampleClaims.held;
import static io.csi4j.conformance.internal.claims.Scene.check;
import static io.csi4j.conformance.internal.claims.Scene.same;

import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.claim.spi.ClaimPage;
import io.csi4j.volume.claim.spi.Versioned;
import io.csi4j.volume.model.VolumeKey;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;

/** A scan shows all that was ever written, page by page. */
final class ScanningChecks {

  private ScanningChecks() {}

  static void addTo(AllChecks all) {
    all.add(
        "a scan of an empty store is empty",
        scene -> same(scene.scanned(), List.of(), "An empty store"));
    all.add(
        "a scan shows what reads show",
        scene -> {
          List<Versioned> written = writeAll(scene, SampleClaims.keys(5));
          same(scene.scanned(), written, "A scan");
        });
    all.add(
        "a scan goes through all in the order of keys, page by page",
        scene -> {
          List<VolumeKey> keys = SampleClaims.keys(25);
          List<VolumeKey> backwards = new ArrayList<>(keys);
          Collections.reverse(backwards);
          writeAll(scene, backwards);
          for (int limit : List.of(1, 10, 24, 25, 26)) {
            same(walk(scene, limit), keys, "A scan by pages of " + limit);
          }
        });
    all.add(
        "the order of a scan is that of keys, whatever their letters",
        scene -> {
          List<VolumeKey> keys = SampleClaims.trickyKeys();
          writeAll(scene, keys);
          same(walk(scene, 7), keys, "A scan");
        });
    all.add(
        "a page has no more than was asked for",
        scene -> {
          writeAll(scene, SampleClaims.keys(10));
          for (int limit : List.of(1, 3, 10, 1_000)) {
            for (ClaimPage page : Scene.pages(scene.store(), Optional.empty(), limit)) {
              int size = page.claims().size();
              check(size <= limit, "A page of at most " + limit + " claims had " + size + ".");
            }
          }
        });
    all.add(
        "a scan can begin behind a key that is not there",
        scene -> {
          List<VolumeKey> keys = SampleClaims.keys(3);
          writeAll(scene, keys);
          behind(scene, SampleClaims.key("a", "z"), keys);
          behind(scene, VolumeKey.of("v-0000a"), keys.subList(1, 3));
          behind(scene, VolumeKey.of("v-9999"), List.of());
          behind(scene, SampleClaims.key("z", "a"), List.of());
        });
    all.add(
        "a scan shows also what nobody holds any more",
        scene -> {
          Versioned freed = scene.write(scene.write(DB, "a"), Claim.none(DB));
          same(scene.scanned(), List.of(freed), "A scan of what is free");
        });
    all.add(
        "a page does not change after it was given",
        scene -> {
          Versioned first = scene.write(DB, "a");
          List<ClaimPage> pages = Scene.pages(scene.store(), Optional.empty(), 10);
          scene.write(VolumeKey.of("another"), "b");
          scene.write(first, held(DB, "c"));
          same(Scene.claims(pages), List.of(first), "A page of before");
        });
    all.add(
        "what is written between two pages does not move what stays", ScanningChecks::betweenPages);
    all.add(
        "what stays is seen once by a scan while others are written", ScanningChecks::underChange);
  }

  private static List<Versioned> writeAll(Scene scene, List<VolumeKey> keys) {
    return keys.stream().map(key -> scene.write(key, "w")).toList();
  }

  private static void behind(Scene scene, VolumeKey after, List<VolumeKey> expected) {
    same(
        Scene.keys(Scene.claims(Scene.pages(scene.store(), Optional.of(after), 10))),
        expected,
        "What stands behind " + after);
  }

  /** All keys, in the order in which pages of this size show them. */
  private static List<VolumeKey> walk(Scene scene, int limit) {
    return Scene.keys(Scene.claims(Scene.pages(scene.store(), Optional.empty(), limit)));
  }

  /** Adds a claim in front of all and changes the last one, after each page. */
  private static void betweenPages(Scene scene) {
    List<VolumeKey> stay = SampleClaims.keys(12);
    writeAll(scene, stay);
    List<VolumeKey> seen = new ArrayList<>();
    Optional<VolumeKey> after = Optional.empty();
    int pages = 0;
    do {
      ClaimPage page = scene.store().scan(after, 3);
      seen.addAll(Scene.keys(page.claims()));
      after = page.next();
      scene.write(VolumeKey.of("before-" + pages), "new");
      scene.write(stay.get(11), "changed-" + pages);
      pages++;
      check(pages <= 1_000, "A scan does not come to an end.");
    } while (after.isPresent());
    same(seen.stream().filter(stay::contains).toList(), stay, "What the pages of a scan show");
  }

  private static void underChange(Scene scene) throws Exception {
    List<VolumeKey> stay = SampleClaims.keys(40);
    writeAll(scene, stay);
    AtomicBoolean over = new AtomicBoolean();
    List<Integer> writes =
        Crowd.atOnce(
            scene.patience(),
            List.of(
                () -> {
                  int i = 0;
                  while (!over.get() && i < 300) {
                    scene.write(VolumeKey.of("v-%04d-%d".formatted(i % 40, i)), "new");
                    scene.write(VolumeKey.of("v-%04dx".formatted(i % 40)), "changed");
                    i++;
                  }
                  return i;
                },
                () -> {
                  try {
                    for (int i = 0; i < 20; i++) {
                      List<VolumeKey> seen = walk(scene, 7);
                      Set<VolumeKey> once = new HashSet<>(seen);
                      check(once.size() == seen.size(), "A scan showed a key twice.");
                      check(once.containsAll(stay), "A scan left out what was there.");
                      same(seen, seen.stream().sorted().toList(), "The order of a scan");
                    }
                  } finally {
                    over.set(true);
                  }
                  return 0;
                }));
    check(writes.get(0) >= 0, "Nothing was written meanwhile.");
  }
}
