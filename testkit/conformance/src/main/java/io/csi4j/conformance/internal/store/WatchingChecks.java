package io.csi4j.conformance.internal.store;

import static io.csi4j.conformance.internal.store.Keys.DB;
import static io.csi4j.conformance.internal.store.Scene.check;
import static io.csi4j.conformance.internal.store.Scene.same;

import io.csi4j.volume.store.RecordKey;
import io.csi4j.volume.store.RecordStore.Watch;
import io.csi4j.volume.store.RecordStore.Watch.Change;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Checks that a watch reports every write, or else reports that it missed events. */
final class WatchingChecks {

  private static final int BURST = 300;

  private WatchingChecks() {}

  /** A check that gets its own watch. */
  private interface Watched {
    void run(Scene scene, Watch watch, WatchFollower follower) throws Exception;
  }

  private static void add(AllChecks all, String name, Watched body) {
    all.add(
        name,
        scene -> {
          try (Watch watch = scene.watch()) {
            body.run(scene, watch, scene.follower(watch));
          }
        });
  }

  static void addTo(AllChecks all) {
    showing(all);
    ending(all);
    add(all, "a watch that nobody reads does not hinder others", WatchingChecks::burst);
  }

  private static void showing(AllChecks all) {
    add(
        all,
        "a watch shows the writes of a key in order, as they are read",
        (scene, watch, follower) -> {
          There at = scene.read(DB);
          for (int i = 0; i < 5; i++) {
            at = scene.write(at, "w-" + i);
            same(follower.next(), at, "What a watch shows");
          }
        });
    all.add(
        "a watch shows nothing of before",
        scene -> {
          There before = scene.write(DB, "a");
          try (Watch watch = scene.watch()) {
            There now = scene.write(before, "b");
            same(scene.follower(watch).next(), now, "What a watch shows first");
          }
        });
    add(
        all,
        "a watch shows each write of every key once",
        (scene, watch, follower) -> {
          RecordKey other = Keys.key("team", "db");
          List<There> ours = new ArrayList<>();
          List<There> theirs = new ArrayList<>();
          for (int i = 0; i < 25; i++) {
            ours.add(scene.write(DB, "w-" + i));
            theirs.add(scene.write(other, "w-" + i));
          }
          List<There> seen = follower.until(theirs.get(24));
          same(WatchFollower.of(DB, seen), ours, "The changes of one key in a watch");
          same(WatchFollower.of(other, seen), theirs, "The changes of another key in a watch");
          follower.nothingMore();
        });
    add(
        all,
        "a watch shows the writes of several keys in their order",
        (scene, watch, follower) -> {
          List<There> written = new ArrayList<>();
          for (int i = 0; i < 9; i++) {
            for (String id : List.of("m", "z", "a")) {
              written.add(scene.write(Keys.key(id), "w-" + i));
            }
          }
          same(follower.until(written.get(26)), written, "The changes of several keys in a watch");
        });
    add(
        all,
        "of two watches each shows everything",
        (scene, watch, follower) -> {
          try (Watch other = scene.watch()) {
            There first = scene.write(DB, "a");
            There second = scene.write(first, "b");
            same(follower.until(second), List.of(first, second), "What one watch shows");
            same(
                scene.follower(other).until(second),
                List.of(first, second),
                "What the other watch shows");
          }
        });
    add(
        all,
        "a watch shows no conflict",
        (scene, watch, follower) -> {
          There first = scene.write(DB, "a");
          There there = scene.conflict(There.never(DB), "c");
          There second = scene.write(there, "b");
          same(follower.until(second), List.of(first, second), "What a watch shows");
        });
    add(
        all,
        "a watch shows nothing where nothing is written",
        (scene, watch, follower) -> {
          There there = scene.read(DB);
          List<There> scanned = scene.scanned();
          check(scanned.isEmpty() && there.record().isEmpty(), "The store was not empty.");
          follower.nothingMore();
        });
  }

  private static void ending(AllChecks all) {
    add(
        all,
        "a closed watch keeps nobody waiting",
        (scene, watch, follower) -> {
          watch.close();
          follower.waiting().isLetGo(scene.patience());
        });
    add(
        all,
        "closing a watch releases its waiting caller",
        (scene, watch, follower) -> {
          WatchFollower.Waiter waiter = follower.waiting();
          watch.close();
          waiter.isLetGo(scene.patience());
        });
    add(
        all,
        "a closed watch shows none of the remaining changes",
        (scene, watch, follower) -> {
          scene.write(DB, "a");
          scene.write(Keys.key("another"), "b");
          check(watch.next(scene.patience()).isPresent(), "A watch did not show what was written.");
          watch.close();
          follower.nothingMore();
        });
    add(
        all,
        "a watch that was closed twice is closed, and others continue",
        (scene, watch, follower) -> {
          Watch closed = scene.watch();
          closed.close();
          closed.close();
          There now = scene.write(DB, "a");
          same(follower.next(), now, "What the other watch shows");
          scene.follower(closed).waiting().isLetGo(scene.patience());
        });
    add(
        all,
        "an interrupt ends the wait, and no change is lost",
        (scene, watch, follower) -> {
          WatchFollower.Waiter waiter = follower.waiting();
          waiter.thread().interrupt();
          try {
            Object got = waiter.waiting().get(scene.patience().toNanos(), TimeUnit.NANOSECONDS);
            throw new AssertionError(
                "A caller that was interrupted while waiting " + "got " + got + ".");
          } catch (TimeoutException e) {
            throw new AssertionError("Who was interrupted went on waiting.", e);
          } catch (ExecutionException e) {
            check(
                e.getCause() instanceof InterruptedException,
                "A caller that was interrupted while waiting got " + e.getCause() + ".");
          }
          There now = scene.write(DB, "a");
          same(follower.next(), now, "The changes in a watch after an interrupt");
        });
    all.add(
        "a watch ends with its store",
        scene -> {
          WatchFollower.Waiter waiter = scene.follower(scene.watch()).waiting();
          scene.store().close();
          waiter.isLetGo(scene.patience());
        });
  }

  private static void burst(Scene scene, Watch watch, WatchFollower follower) throws Exception {
    List<There> written = new ArrayList<>();
    There at = scene.read(DB);
    for (int i = 0; i < BURST; i++) {
      at = scene.write(at, "w-" + i);
      written.add(at);
    }
    boolean missed = false;
    List<There> seen = new ArrayList<>();
    There last = at;
    while (seen.isEmpty() || !seen.get(seen.size() - 1).equals(last)) {
      Optional<Change> next = watch.next(scene.patience());
      if (next.isEmpty() && missed) {
        // The last write may have been among the missed events. After this point, no event may be
        // missed.
        missed = false;
        last = scene.write(last, "after");
        seen.clear();
        written.clear();
        written.add(last);
      } else if (next.isEmpty()) {
        throw new AssertionError(
            "A watch showed " + seen.size() + " of " + BURST + " writes, and no more.");
      } else if (next.get() instanceof Change.Written now) {
        seen.add(There.of(now.now()));
      } else {
        missed = true;
        seen.clear();
      }
    }
    check(
        missed ? written.containsAll(seen) : seen.equals(written),
        "A watch omitted some of " + BURST + " writes without reporting it, or reordered them.");
    follower.nothingMore();
  }
}
