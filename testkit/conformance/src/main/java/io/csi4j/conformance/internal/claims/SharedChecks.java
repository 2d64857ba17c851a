package io.csi4j.conformance.internal.claims;

import static io.csi4j.conformance.internal.claims.SampleClaims.DB;
import static io.csi4j.conformance.internal.claims.SampleClaims.held;
import static io.csi4j.conformance.internal.claims.Scene.same;
import static io.csi4j.conformance.internal.claims.Scene.token;

import io.csi4j.volume.claim.Claim;
import io.csi4j.volume.claim.spi.ClaimStore;
import io.csi4j.volume.claim.spi.ClaimVersion;
import io.csi4j.volume.claim.spi.ClaimWatch;
import io.csi4j.volume.claim.spi.Versioned;
import io.csi4j.volume.claim.spi.WriteToken;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;

/** A store that several processes have open is one store. */
final class SharedChecks {

  private SharedChecks() {}

  static void addTo(AllChecks all) {
    all.add(
        "another client sees a write at once",
        scene -> {
          ClaimStore other = scene.another();
          Versioned now = scene.write(DB, "a");
          same(other.read(DB), now, "What another client reads");
          same(Scene.scanned(other), List.of(now), "What another client scans");
          Versioned then = Scene.write(other, now, held(DB, "b"));
          scene.isThere(then, "What another client wrote");
        });
    all.add(
        "two clients name one store",
        scene ->
            same(scene.another().identity(), scene.store().identity(), "The identity at a client"));
    all.add(
        "a conflict carries what another client wrote",
        scene -> {
          ClaimStore other = scene.another();
          Versioned first = scene.write(DB, "a");
          Versioned second = Scene.write(other, first, held(DB, "b"));
          scene.isToldByConflict(first.version(), held(DB, "c"), second);
        });
    all.add(
        "a try that is repeated through another client is told by its mark",
        scene -> {
          WriteToken token = token();
          Claim claim = held(DB, "a");
          ClaimVersion before = scene.write(DB, "before").version();
          Versioned now = Scene.written(scene.store().compareAndSet(before, claim, token));
          same(
              Scene.told(scene.another().compareAndSet(before, claim, token)),
              now,
              "What the second try is told");
        });
    all.add(
        "a watch shows what other clients write",
        scene -> {
          try (ClaimWatch watch = scene.another().watch()) {
            Versioned first = scene.write(DB, "a");
            Versioned second = Scene.write(scene.another(), first, held(DB, "b"));
            same(
                scene.follower(watch).until(second),
                List.of(first, second),
                "What a watch shows of other clients");
          }
        });
    all.add(
        "closing one client leaves the others",
        scene -> {
          ClaimStore other = scene.another();
          try (ClaimWatch watch = scene.store().watch()) {
            other.close();
            Versioned now = scene.write(DB, "a");
            scene.isThere(now, "What is read after another client closed");
            same(
                scene.follower(watch).next(),
                now,
                "What a watch shows after another client closed");
          }
        });
    all.add(
        "of the first writes of many clients one is made",
        scene -> CrowdChecks.oneWins(scene, clients(scene)));
    all.add(
        "no write of many clients is lost", scene -> CrowdChecks.noneLost(scene, clients(scene)));
    all.add(
        "what many clients do and see fits one order",
        scene -> CrowdChecks.oneOrder(scene, clients(scene)));
  }

  /** Four clients, taken in turn. */
  private static IntFunction<ClaimStore> clients(Scene scene) {
    List<ClaimStore> clients = new ArrayList<>(List.of(scene.store()));
    for (int i = 0; i < 3; i++) {
      clients.add(scene.another());
    }
    return caller -> clients.get(caller % clients.size());
  }
}
