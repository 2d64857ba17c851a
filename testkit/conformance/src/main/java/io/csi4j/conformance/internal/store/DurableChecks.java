package io.csi4j.conformance.internal.store;

import static io.csi4j.conformance.internal.store.Keys.DB;
import static io.csi4j.conformance.internal.store.Scene.check;
import static io.csi4j.conformance.internal.store.Scene.same;

import io.csi4j.volume.store.StoreIdentity;
import java.util.List;

/** Checks that written claims survive their writer. */
final class DurableChecks {

  private DurableChecks() {}

  static void addTo(AllChecks all) {
    all.add(
        "all is there when a store is opened again",
        scene -> {
          List<There> written =
              Keys.trickyKeys().stream().map(key -> scene.write(key, "w")).toList();
          scene.reopened();
          written.forEach(now -> scene.isThere(now, "What was written before"));
          same(scene.scanned(), written, "A scan after opening again");
        });
    all.add(
        "the name of a store outlives closing",
        scene -> {
          StoreIdentity before = scene.store().identity();
          same(scene.reopened().identity(), before, "The identity after opening an empty store");
          scene.write(DB, "a");
          same(scene.reopened().identity(), before, "The identity after opening again");
        });
    all.add(
        "versions go on when a store is opened again",
        scene -> {
          There at = scene.write(DB, "a");
          for (int i = 0; i < 5; i++) {
            scene.reopened();
            There now = scene.write(scene.read(DB), "w-" + i);
            check(
                now.version() > at.version(),
                "A write after opening again was given version "
                    + now.version()
                    + ", and there was "
                    + at.version()
                    + " before.");
            at = now;
          }
        });
    all.add(
        "versions go on also when the record was removed before the closing",
        scene -> {
          There before = scene.write(scene.write(DB, "a"), "b");
          scene.remove(before);
          scene.reopened();
          scene.isThere(There.never(DB), "What was removed before the closing");
          There now = scene.write(There.never(DB), "c");
          check(
              now.version() > before.version() + 1,
              "A write after a removal was given version "
                  + now.version()
                  + ", and there was "
                  + before.version()
                  + " before.");
        });
    all.add(
        "who expects a version of before the closing is told what is there",
        scene -> {
          There first = scene.write(DB, "a");
          There second = scene.write(first, "b");
          scene.reopened();
          scene.isInConflict(first, second);
          There third = scene.write(second, "c");
          scene.isThere(third, "What was written with a version of before");
        });
    all.add(
        "what was written while a store was closed is there afterwards",
        scene -> {
          List<There> last = LifeChecks.noneIsLostByClosing(scene);
          scene.reopened();
          for (There told : last) {
            check(
                scene.read(told.key()).version() >= told.version(),
                "Version " + told.version() + " of " + told.key() + " was written, and is gone.");
          }
        });
  }
}
