package io.csi4j.conformance.internal.store;

import static io.csi4j.conformance.internal.store.Keys.DB;
import static io.csi4j.conformance.internal.store.Scene.check;
import static io.csi4j.conformance.internal.store.Scene.same;

import io.csi4j.conformance.store.RecordStoreFixture;
import io.csi4j.volume.store.RecordKey;
import io.csi4j.volume.store.RecordKey.Space;
import io.csi4j.volume.store.RecordStore;
import io.csi4j.volume.store.RecordStore.WriteResult;
import io.csi4j.volume.store.RecordStoreException;
import io.csi4j.volume.store.RecordStoreException.Reason;
import io.csi4j.volume.store.StoreIdentity;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

/** Checks of the identity of a store, and of the behaviour of a closed store. */
final class LifeChecks {

  private LifeChecks() {}

  static void addTo(AllChecks all) {
    all.add(
        "a store has one name while it is open",
        scene -> {
          StoreIdentity before = scene.store().identity();
          scene.write(scene.write(DB, "a"), "b");
          same(scene.store().identity(), before, "The identity after some writes");
        });
    all.add(
        "two stores have two names, and share nothing",
        scene -> {
          scene.write(DB, "a");
          try (RecordStoreFixture.Place place = scene.otherPlace();
              Scene other = scene.elsewhere(place)) {
            check(
                !other.store().identity().equals(scene.store().identity()),
                "Two stores have one identity, " + scene.store().identity() + ".");
            same(other.read(DB), There.never(DB), "What was written elsewhere");
          }
        });
    all.add(
        "a healthy store is not uncertain",
        scene -> {
          scene.write(DB, "a");
          same(
              scene.store().uncertainty(DB),
              Optional.empty(),
              "The uncertainty of a healthy " + "store");
        });
    all.add(
        "closing twice is harmless",
        scene -> {
          scene.store().close();
          scene.store().close();
        });
    closed(all, "reading", store -> store.read(DB));
    closed(all, "writing", store -> store.write(There.never(DB).next("late")));
    closed(all, "scanning", store -> store.scan(Space.CLAIMS, Optional.empty(), 10));
    closed(all, "watching", store -> store.watch(Space.CLAIMS));
    all.add(
        "a write while a store is being closed is made, or refused for that reason",
        scene -> {
          for (There told : noneIsLostByClosing(scene)) {
            check(told.text().length() <= 1, "A writer got another record.");
          }
        });
  }

  /** A call that a closed store must refuse. */
  private interface Use {
    Object of(RecordStore store);
  }

  private static void closed(AllChecks all, String what, Use use) {
    all.add(
        what + " after closing is refused because the store is closed",
        scene -> {
          scene.write(DB, "a");
          scene.store().close();
          Object given;
          try {
            given = use.of(scene.store());
          } catch (RecordStoreException e) {
            same(e.reason(), Reason.CLOSED, "The reason of the refusal after closing");
            return;
          }
          throw new AssertionError(
              "After closing, " + what + " gave " + given.getClass().getSimpleName() + ".");
        });
  }

  /**
   * Closes the store during many writes. For each key, returns the last write that the store
   * reported as done.
   */
  static List<There> noneIsLostByClosing(Scene scene) throws Exception {
    int callers = 4;
    CountDownLatch busy = new CountDownLatch(callers);
    AtomicInteger turns = new AtomicInteger();
    List<Callable<Optional<There>>> all = new ArrayList<>();
    for (int i = 0; i < callers; i++) {
      RecordKey key = Keys.key("of-" + i);
      all.add(
          () -> {
            There at = There.never(key);
            try {
              while (turns.incrementAndGet() < 100_000) {
                WriteResult result = scene.store().write(at.next("w"));
                if (result instanceof WriteResult.Unknown) {
                  return Optional.empty();
                }
                at = Scene.written(result, at);
                busy.countDown();
              }
            } catch (RecordStoreException e) {
              same(e.reason(), Reason.CLOSED, "The reason of a refused write while closing");
            } finally {
              busy.countDown();
            }
            return Optional.of(at);
          });
    }
    all.add(
        () -> {
          busy.await();
          scene.store().close();
          return Optional.empty();
        });
    return Crowd.atOnce(scene.patience(), all).stream().flatMap(Optional::stream).toList();
  }
}
