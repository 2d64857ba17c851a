package io.csi4j.conformance.internal.store;

import static io.csi4j.conformance.internal.store.Keys.DB;
import static io.csi4j.conformance.internal.store.Scene.check;
import static io.csi4j.conformance.internal.store.Scene.same;

import io.csi4j.volume.store.RecordStore.Watch;
import io.csi4j.volume.store.StoredRecord;
import java.util.List;

/**
 * Checks that a removal has the same conditions as a write, and that the versions of a removed
 * record are never used again.
 */
final class RemovalChecks {

  private RemovalChecks() {}

  static void addTo(AllChecks all) {
    all.add(
        "a removed record is not there any more",
        scene -> {
          There other = scene.write(Keys.key("other"), "stays");
          There first = scene.write(DB, "a");
          scene.remove(first);
          scene.isThere(There.never(DB), "What was removed");
          same(scene.scanned(), List.of(other), "A scan after a removal");
          scene.isInConflict(first, There.never(DB));
        });
    all.add(
        "a removal expects what is there",
        scene -> {
          There first = scene.write(DB, "a");
          There second = scene.write(first, "b");
          There bytes = There.of(new StoredRecord(DB, second.version(), There.value("c")));
          for (There seen : List.of(first, bytes, second.at(second.version() + 1))) {
            same(
                Scene.conflict(scene.store().write(seen.removal()), seen),
                second,
                "What the conflict says is there");
          }
          scene.isThere(second, "What is there after the conflicts");
        });
    all.add(
        "a removed record cannot be removed again",
        scene -> {
          There first = scene.write(DB, "a");
          scene.remove(first);
          same(
              Scene.conflict(scene.store().write(first.removal()), first),
              There.never(DB),
              "What the conflict says is there");
        });
    all.add(
        "versions keep growing after a removal",
        scene -> {
          long highest = 0;
          for (int i = 0; i < 5; i++) {
            There now = scene.write(scene.write(There.never(DB), "a"), "b");
            check(
                now.version() > highest + 1,
                "Writes after a removal got version "
                    + now.version()
                    + ", which does not follow version "
                    + highest
                    + ".");
            highest = now.version();
            scene.remove(now);
          }
        });
    all.add(
        "a write that expects the record before a removal gets the current one",
        scene -> {
          There first = scene.write(DB, "a");
          scene.remove(first);
          There second = scene.write(There.never(DB), "a");
          scene.isInConflict(first, second);
        });
    all.add(
        "a watch shows a removal in the order of its key",
        scene -> {
          try (Watch watch = scene.watch()) {
            There first = scene.write(DB, "a");
            scene.remove(first);
            There second = scene.write(There.never(DB), "b");
            WatchFollower follower = scene.follower(watch);
            same(follower.next(), first, "What a watch shows first");
            long removal = follower.nextRemoval(DB);
            same(follower.next(), second, "What a watch shows last");
            check(
                first.version() < removal && removal < second.version(),
                "A removal between the versions "
                    + first.version()
                    + " and "
                    + second.version()
                    + " has version "
                    + removal
                    + ".");
          }
        });
  }
}
