package io.csi4j.conformance.internal.store;

import static io.csi4j.conformance.internal.store.Keys.DB;
import static io.csi4j.conformance.internal.store.Scene.check;
import static io.csi4j.conformance.internal.store.Scene.same;

import io.csi4j.volume.store.StoreIdentity;
import java.util.List;

/** Checks that written claims survive the closing of the store. */
final class DurableChecks {

  private DurableChecks() {}

  static void addTo(AllChecks all) {
    all.add(
        "all records are there after a store is reopened",
        scene -> {
          List<There> written =
              Keys.trickyKeys().stream().map(key -> scene.write(key, "w")).toList();
          scene.reopened();
          written.forEach(now -> scene.isThere(now, "What was written before"));
          same(scene.scanned(), written, "A scan after opening again");
        });
    all.add(
        "the name of a store stays the same after closing",
        scene -> {
          StoreIdentity before = scene.store().identity();
          same(scene.reopened().identity(), before, "The identity after opening an empty store");
          scene.write(DB, "a");
          same(scene.reopened().identity(), before, "The identity after opening again");
        });
    all.add(
        "versions keep growing after a store is reopened",
        scene -> {
          There at = scene.write(DB, "a");
          for (int i = 0; i < 5; i++) {
            scene.reopened();
            There now = scene.write(scene.read(DB), "w-" + i);
            check(
                now.version() > at.version(),
                "A write after reopening got version "
                    + now.version()
                    + ", which does not follow version "
                    + at.version()
                    + ".");
            at = now;
          }
        });
    all.add(
        "versions keep growing even if the record was removed before closing",
        scene -> {
          There before = scene.write(scene.write(DB, "a"), "b");
          scene.remove(before);
          scene.reopened();
          scene.isThere(There.never(DB), "What was removed before the closing");
          There now = scene.write(There.never(DB), "c");
          check(
              now.version() > before.version() + 1,
              "A write after a removal got version "
                  + now.version()
                  + ", which does not follow the removal of version "
                  + before.version()
                  + ".");
        });
    all.add(
        "a write that expects a version from before closing gets the current record",
        scene -> {
          There first = scene.write(DB, "a");
          There second = scene.write(first, "b");
          scene.reopened();
          scene.isInConflict(first, second);
          There third = scene.write(second, "c");
          scene.isThere(third, "The record written over a version from before closing");
        });
    all.add(
        "writes that were made while a store was being closed are there afterwards",
        scene -> {
          List<There> last = LifeChecks.noneIsLostByClosing(scene);
          scene.reopened();
          for (There told : last) {
            check(
                scene.read(told.key()).version() >= told.version(),
                "Version "
                    + told.version()
                    + " of "
                    + told.key()
                    + " was written, but is "
                    + "missing.");
          }
        });
  }
}
