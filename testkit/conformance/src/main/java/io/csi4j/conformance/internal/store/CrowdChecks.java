package io.csi4j.conformance.internal.store;

import static io.csi4j.conformance.internal.store.Keys.DB;
import static io.csi4j.conformance.internal.store.Scene.check;
import static io.csi4j.conformance.internal.store.Scene.same;

import io.csi4j.volume.store.RecordKey;
import io.csi4j.volume.store.RecordKey.Space;
import io.csi4j.volume.store.RecordStore;
import io.csi4j.volume.store.RecordStore.Watch;
import io.csi4j.volume.store.RecordStore.WriteResult;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.Phaser;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.IntFunction;

/** Checks with many concurrent callers. */
final class CrowdChecks {

  private static final int CALLERS = 8;
  private static final int TRIES = 15;

  private CrowdChecks() {}

  static void addTo(AllChecks all) {
    all.add(
        "of many concurrent first writes, one succeeds",
        scene -> oneWins(scene, i -> scene.store()));
    all.add(
        "of many writes that expect the same version, one succeeds",
        scene -> {
          There before = scene.write(DB, "before");
          oneWins(scene, before, i -> scene.store());
        });
    all.add("no write is lost among many", scene -> noneLost(scene, i -> scene.store()));
    all.add(
        "the calls and results of many callers fit one order",
        scene -> oneOrder(scene, i -> scene.store()));
    all.add(
        "a caller that sees a write also sees earlier writes of other keys",
        scene -> acrossKeys(scene, scene.store()));
    all.add("the only writer of a key has no conflict", CrowdChecks::alone);
    all.add("a watch shows the writes of many callers in their order", CrowdChecks::watched);
  }

  static void oneWins(Scene scene, IntFunction<RecordStore> clients) throws Exception {
    oneWins(scene, scene.read(DB), clients);
  }

  private static void oneWins(Scene scene, There before, IntFunction<RecordStore> clients)
      throws Exception {
    List<WriteResult> results =
        Crowd.atOnce(
            scene.patience(),
            CALLERS,
            i -> {
              RecordStore client = clients.apply(i);
              return () -> client.write(before.next("w-" + i));
            });
    There there = scene.read(DB);
    long made = results.stream().filter(WriteResult.Written.class::isInstance).count();
    check(made == 1, made + " of " + CALLERS + " writes that expected the same version succeeded.");
    for (WriteResult result : results) {
      if (result instanceof WriteResult.Conflict conflict) {
        same(There.among(conflict.now(), DB), there, "What a loser is told");
      } else if (result instanceof WriteResult.Written written) {
        same(There.among(written.now(), DB), there, "What the winner is told");
      } else {
        throw new AssertionError("One of many was told " + result + ".");
      }
    }
  }

  static void noneLost(Scene scene, IntFunction<RecordStore> clients) throws Exception {
    int lost =
        sum(
            Crowd.atOnce(
                scene.patience(),
                CALLERS,
                i -> {
                  RecordStore client = clients.apply(i);
                  return () -> join(client);
                }));
    There there = scene.read(DB);
    same(there.text().length(), CALLERS, "The number of those who joined");
    check(
        lost <= CALLERS * (CALLERS - 1),
        "Writes ended as conflicts " + lost + " times, more often than others succeeded.");
  }

  private static int join(RecordStore client) {
    There at = Scene.read(client, DB);
    for (int lost = 0; lost < 1_000; lost++) {
      WriteResult result = client.write(at.next(at.text() + "+"));
      if (result instanceof WriteResult.Written) {
        return lost;
      }
      at = Scene.conflict(result, at);
    }
    throw new AssertionError("A writer lost 1000 times.");
  }

  static void oneOrder(Scene scene, IntFunction<RecordStore> clients) throws Exception {
    History history = new History();
    Phaser turn = new Phaser(CALLERS / 2);
    int writers =
        sum(
            Crowd.atOnce(
                scene.patience(),
                CALLERS,
                i -> {
                  RecordStore client = clients.apply(i);
                  return i % 2 == 0
                      ? () -> writes(history, client, "w-" + i, Optional.of(turn))
                      : () -> reads(history, client);
                }));
    history.check();
    List<There> written = history.written();
    check(writers > 0 && !written.isEmpty(), "Of many writes none was made.");
    scene.isThere(written.get(written.size() - 1), "What is there in the end");
  }

  /** Writes two keys in turn, repeatedly, while a reader reads the two keys in reverse order. */
  static void acrossKeys(Scene scene, RecordStore reader) throws Exception {
    RecordKey second = Keys.in(Space.VOLUMES);
    AtomicBoolean over = new AtomicBoolean();
    Callable<Integer> writes =
        () -> {
          try {
            There first = scene.read(DB);
            There then = scene.read(second);
            for (int i = 0; i < 100; i++) {
              first = scene.write(first, "+".repeat(i + 1));
              then = scene.write(then, "+".repeat(i + 1));
            }
          } finally {
            over.set(true);
          }
          return 0;
        };
    Callable<Integer> reads =
        () -> {
          int seen = 0;
          while (!over.get() || seen == 0) {
            seen = Scene.read(reader, second).text().length();
            int before = Scene.read(reader, DB).text().length();
            check(
                before >= seen,
                "A reader saw write "
                    + seen
                    + " of the second key, but only write "
                    + before
                    + " of the first, which was written before it.");
          }
          return seen;
        };
    Crowd.atOnce(scene.patience(), List.of(writes, reads));
  }

  /** Reads and writes in turn, concurrently with the other callers. */
  private static int writes(
      History history, RecordStore client, String workload, Optional<Phaser> together)
      throws Exception {
    try {
      for (int i = 0; i < TRIES; i++) {
        if (together.isPresent()) {
          together.get().awaitAdvanceInterruptibly(together.get().arrive());
        }
        There at = history.read(client, DB);
        WriteResult result = history.write(client, at, workload + "-" + i);
        check(
            !(result instanceof WriteResult.Unknown),
            "The result of a write was unknown, although nothing prevented it.");
      }
      return 1;
    } finally {
      together.ifPresent(Phaser::arriveAndDeregister);
    }
  }

  private static int reads(History history, RecordStore client) {
    for (int i = 0; i < 4 * TRIES; i++) {
      There seen = history.read(client, DB);
      same(seen.key(), DB, "The key of what is read");
    }
    return 0;
  }

  private static void alone(Scene scene) throws Exception {
    List<There> last =
        Crowd.atOnce(
            scene.patience(),
            CALLERS,
            i ->
                () -> {
                  RecordKey key = Keys.key("of-" + i);
                  There at = scene.read(key);
                  for (int turn = 0; turn < TRIES; turn++) {
                    at = scene.write(at, "turn-" + turn);
                  }
                  return at;
                });
    same(scene.scanned(), last, "What is there in the end");
  }

  private static int sum(List<Integer> counts) {
    return counts.stream().mapToInt(count -> count).sum();
  }

  private static void watched(Scene scene) throws Exception {
    try (Watch watch = scene.watch()) {
      History history = new History();
      int writers =
          sum(
              Crowd.atOnce(
                  scene.patience(),
                  CALLERS,
                  i -> () -> writes(history, scene.store(), "w-" + i, Optional.empty())));
      List<There> written = history.written();
      check(writers == CALLERS && !written.isEmpty(), "Of many writes none was made.");
      same(
          scene.follower(watch).until(written.get(written.size() - 1)),
          written,
          "The changes of many callers in a watch");
    }
  }
}
