package io.csi4j.conformance.internal.claims;

import static io.csi4j.conformance.internal.claims.SampleClaims.DB;
import static io.csi4j.conformance.internal.claims.SampleClaims.held;
import static io.csi4j.conformance.internal.claims.Scene.check;
import static io.csi4j.conformance.internal.claims.Scene.never;
import static io.csi4j.conformance.internal.claims.Scene.same;
import static io.csi4j.conformance.internal.claims.Scene.token;

import io.csi4j.conformance.claims.ClaimStoreFixture;
import io.csi4j.volume.claim.spi.ClaimStore;
import io.csi4j.volume.store.RecordStoreException;
import io.csi4j.volume.store.RecordStoreException.Reason;
import io.csi4j.volume.claim.spi.ClaimVersion;
import io.csi4j.volume.store.StoreIdentity;
import io.csi4j.volume.claim.spi.Versioned;
import io.csi4j.volume.claim.spi.WriteResult;
import io.csi4j.volume.model.VolumeKey;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

/** Which store it is, and what it says when it is closed. */
final class LifeChecks {

  private LifeChecks() {}

  static void addTo(AllChecks all) {
    all.add(
        "a store has one name as long as it is open",
        scene -> {
          StoreIdentity before = scene.store().identity();
          scene.write(scene.write(DB, "a"), held(DB, "b"));
          same(scene.store().identity(), before, "The identity after some writes");
        });
    all.add(
        "two stores have two names, and share nothing",
        scene -> {
          scene.write(DB, "a");
          try (ClaimStoreFixture.Place place = scene.otherPlace();
              Scene other = scene.elsewhere(place)) {
            check(
                !other.store().identity().equals(scene.store().identity()),
                "Two stores have one identity, " + scene.store().identity() + ".");
            same(other.read(DB), never(DB), "What was written elsewhere");
          }
        });
    all.add(
        "a store that is well is in no doubt",
        scene -> {
          scene.write(DB, "a");
          same(
              scene.store().uncertainty(DB), Optional.empty(), "The doubt of a store that is well");
        });
    all.add(
        "closing twice is harmless",
        scene -> {
          scene.store().close();
          scene.store().close();
        });
    closed(all, "reading", store -> store.read(DB));
    closed(
        all,
        "writing",
        store -> store.compareAndSet(ClaimVersion.NEVER, held(DB, "late"), token()));
    closed(all, "scanning", store -> store.scan(Optional.empty(), 10));
    closed(all, "watching", ClaimStore::watch);
    all.add(
        "who writes while a store is closed is told so or served",
        scene -> {
          for (Versioned told : noneIsLostByClosing(scene)) {
            check(told.claim().holders().size() <= 1, "Somebody was told of another claim.");
          }
        });
  }

  /** Something that a closed store has to refuse. */
  private interface Use {
    Object of(ClaimStore store);
  }

  private static void closed(AllChecks all, String what, Use use) {
    all.add(
        what + " after closing is refused as that",
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

  /** Closes the store while many write; returns what they were told was written last. */
  static List<Versioned> noneIsLostByClosing(Scene scene) throws Exception {
    int callers = 4;
    CountDownLatch busy = new CountDownLatch(callers);
    AtomicInteger turns = new AtomicInteger();
    List<Callable<Optional<Versioned>>> all = new ArrayList<>();
    for (int i = 0; i < callers; i++) {
      VolumeKey key = VolumeKey.of("of-" + i);
      all.add(
          () -> {
            Versioned at = never(key);
            try {
              while (turns.incrementAndGet() < 100_000) {
                WriteResult result =
                    scene.store().compareAndSet(at.version(), held(key, "w"), token());
                if (result instanceof WriteResult.Unknown) {
                  return Optional.empty();
                }
                at = Scene.written(result);
                busy.countDown();
              }
            } catch (RecordStoreException e) {
              same(e.reason(), Reason.CLOSED, "The reason given to who writes while closing");
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
