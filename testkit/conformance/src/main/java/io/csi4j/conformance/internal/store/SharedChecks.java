package io.csi4j.conformance.internal.store;

import static io.csi4j.conformance.internal.store.Keys.DB;
import static io.csi4j.conformance.internal.store.Scene.check;
import static io.csi4j.conformance.internal.store.Scene.same;

import io.csi4j.volume.store.RecordKey.Space;
import io.csi4j.volume.store.RecordStore;
import io.csi4j.volume.store.RecordStore.Watch;
import io.csi4j.volume.store.RecordWrite;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;

/** Checks that several clients, which stand for several processes, can use one store. */
final class SharedChecks {

  private SharedChecks() {}

  static void addTo(AllChecks all) {
    all.add(
        "another client sees a write at once",
        scene -> {
          RecordStore other = scene.another();
          There now = scene.write(DB, "a");
          same(Scene.read(other, DB), now, "What another client reads");
          same(Scene.scanned(other, Space.CLAIMS), List.of(now), "What another client scans");
          There then = Scene.write(other, now, "b");
          scene.isThere(then, "What another client wrote");
        });
    all.add(
        "two clients name one store",
        scene ->
            same(scene.another().identity(), scene.store().identity(), "The identity at a client"));
    all.add(
        "a conflict returns what another client wrote",
        scene -> {
          RecordStore other = scene.another();
          There first = scene.write(DB, "a");
          There second = Scene.write(other, first, "b");
          scene.isInConflict(first, second);
        });
    all.add(
        "a write that is repeated through another client is made once",
        scene -> {
          There before = scene.write(DB, "before");
          RecordWrite write = before.next("a");
          There now = Scene.written(scene.store().write(write), before);
          same(
              WritingChecks.told(scene.another().write(write)),
              now,
              "The record after the second write");
        });
    all.add(
        "another client sees a removal at once",
        scene -> {
          RecordStore other = scene.another();
          There now = scene.write(DB, "a");
          scene.remove(now);
          same(Scene.read(other, DB), There.never(DB), "What another client reads");
          There next = Scene.write(other, There.never(DB), "b");
          check(next.version() > now.version(), "A write after a removal has no higher version.");
        });
    all.add(
        "a watch shows what other clients write",
        scene -> {
          try (Watch watch = scene.another().watch(Space.CLAIMS)) {
            There first = scene.write(DB, "a");
            There second = Scene.write(scene.another(), first, "b");
            same(
                scene.follower(watch).until(second),
                List.of(first, second),
                "The changes of other clients in a watch");
          }
        });
    all.add(
        "closing one client leaves the others",
        scene -> {
          RecordStore other = scene.another();
          try (Watch watch = scene.watch()) {
            other.close();
            There now = scene.write(DB, "a");
            scene.isThere(now, "The record read after another client was closed");
            same(
                scene.follower(watch).next(),
                now,
                "The changes in a watch after another client was closed");
          }
        });
    all.add(
        "of many clients' first writes, one succeeds",
        scene -> CrowdChecks.oneWins(scene, clients(scene)));
    all.add(
        "no write of many clients is lost", scene -> CrowdChecks.noneLost(scene, clients(scene)));
    all.add(
        "the calls and results of many clients fit one order",
        scene -> CrowdChecks.oneOrder(scene, clients(scene)));
    all.add(
        "another client that sees a write also sees earlier writes of other keys",
        scene -> CrowdChecks.acrossKeys(scene, scene.another()));
  }

  static void addTogetherTo(AllChecks all) {
    all.add(
        "writes of several records by many clients are never made in part",
        scene -> TogetherChecks.inStep(scene, clients(scene)));
  }

  /** Returns a function that assigns four clients of the same store to callers in turn. */
  private static IntFunction<RecordStore> clients(Scene scene) {
    List<RecordStore> clients = new ArrayList<>(List.of(scene.store()));
    for (int i = 0; i < 3; i++) {
      clients.add(scene.another());
    }
    return caller -> clients.get(caller % clients.size());
  }
}
