package io.csi4j.conformance.internal.store;

import static io.csi4j.conformance.internal.store.Keys.key;
import static io.csi4j.conformance.internal.store.Scene.check;
import static io.csi4j.conformance.internal.store.Scene.same;

import io.csi4j.volume.store.RecordKey;
import io.csi4j.volume.store.RecordKey.Space;
import io.csi4j.volume.store.RecordStore;
import io.csi4j.volume.store.RecordStore.Watch;
import io.csi4j.volume.store.RecordStore.WriteResult;
import io.csi4j.volume.store.RecordWrite;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;

/** Checks that a write of several records writes all of them or none of them. */
final class TogetherChecks {

  private static final RecordKey CLAIM = Keys.in(Space.CLAIMS);
  private static final RecordKey VOLUME = Keys.in(Space.VOLUMES);

  private TogetherChecks() {}

  static void addTo(AllChecks all) {
    all.add(
        "several records of several spaces are written, changed and removed in one write",
        scene -> {
          check(
              scene.store().together() >= 3,
              "A store writes " + scene.store().together() + " records together.");
          There claim = scene.write(CLAIM, "a");
          There gone = scene.write(key("gone"), "b");
          WriteResult result =
              scene
                  .store()
                  .write(List.of(claim.next("c"), gone.removal(), There.never(VOLUME).next("d")));
          There now = Scene.written(result, claim);
          There made = Scene.written(result, There.never(VOLUME));
          same(now.text() + made.text(), "cd", "What was written together");
          check(
              now.version() > claim.version(),
              "A record that was written together with others has no higher version.");
          scene.isThere(now, "The record that was changed");
          scene.isThere(made, "The record that was made");
          scene.isThere(There.never(gone.key()), "The record that was removed");
          same(
              ((WriteResult.Written) result).now().stream().map(There::of).toList(),
              List.of(now, made),
              "The order of the answer");
        });
    all.add(
        "several records are all left unchanged if one of them has changed",
        scene -> {
          There first = scene.write(key("a"), "a");
          There second = scene.write(key("b"), "b");
          There third = scene.write(VOLUME, "c");
          List<RecordWrite> right = List.of(first.next("x"), second.removal(), third.next("z"));
          List<RecordWrite> wrong =
              List.of(
                  first.at(first.version() + 1).next("x"),
                  second.at(second.version() + 1).removal(),
                  There.never(VOLUME).next("z"));
          for (int i = 0; i < right.size(); i++) {
            List<RecordWrite> writes = new ArrayList<>(right);
            writes.set(i, wrong.get(i));
            WriteResult result = scene.store().write(writes);
            for (There each : List.of(first, second, third)) {
              same(Scene.conflict(result, each), each, "What the conflict says is there");
              scene.isThere(each, "The records after a write of several that was not made");
            }
          }
        });
    all.add(
        "a watch shows each record of a joint write in its space",
        scene -> {
          try (Watch claims = scene.watch();
              Watch volumes = scene.store().watch(Space.VOLUMES)) {
            There claim = scene.write(CLAIM, "a");
            WriteResult result =
                scene.store().write(List.of(claim.removal(), There.never(VOLUME).next("b")));
            same(scene.follower(claims).next(), claim, "What a watch shows first");
            long removal = scene.follower(claims).nextRemoval(CLAIM);
            check(removal > claim.version(), "A removal has no higher version.");
            same(
                scene.follower(volumes).next(),
                Scene.written(result, There.never(VOLUME)),
                "The changes in a watch of another space");
          }
        });
    all.add(
        "a write of several records is never made in part",
        scene -> inStep(scene, i -> scene.store()));
  }

  /**
   * Checks that concurrent callers, which always increment two records together, always read equal
   * values in both.
   */
  static void inStep(Scene scene, IntFunction<RecordStore> clients) throws Exception {
    int callers = 6;
    List<Integer> made =
        Crowd.atOnce(
            scene.patience(),
            callers,
            i -> {
              RecordStore client = clients.apply(i);
              return () -> raise(client);
            });
    int writes = made.stream().mapToInt(each -> each).sum();
    same(scene.read(CLAIM).text().length(), writes, "The counter in the one record");
    same(scene.read(VOLUME).text().length(), writes, "The counter in the other record");
  }

  private static int raise(RecordStore client) {
    int made = 0;
    for (int i = 0; i < 20; i++) {
      There claim = Scene.read(client, CLAIM);
      There volume = Scene.read(client, VOLUME);
      WriteResult result =
          client.write(List.of(claim.next(claim.text() + "+"), volume.next(volume.text() + "+")));
      made += result instanceof WriteResult.Written ? 1 : 0;
    }
    return made;
  }
}
