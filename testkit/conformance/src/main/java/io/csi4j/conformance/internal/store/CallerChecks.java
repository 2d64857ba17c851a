package io.csi4j.conformance.internal.store;

import static io.csi4j.conformance.internal.store.Keys.DB;
import static io.csi4j.conformance.internal.store.Scene.check;
import static io.csi4j.conformance.internal.store.Scene.same;

import io.csi4j.volume.store.RecordStore.WriteResult;
import io.csi4j.volume.store.RecordStoreException;
import io.csi4j.volume.store.RecordWrite;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

/**
 * Checks with interrupted callers. The store must preserve the interrupt, and must not be damaged
 * by it.
 */
final class CallerChecks {

  private static final int TURNS = 40;

  private CallerChecks() {}

  static void addTo(AllChecks all) {
    all.add(
        "an interrupted reader keeps its interrupt, and the store stays usable",
        scene -> {
          There there = scene.write(DB, "a");
          interrupted(scene, () -> scene.read(DB))
              .ifPresent(seen -> same(seen, there, "What is read with an interrupt"));
          servesTheNext(scene);
        });
    all.add(
        "an interrupted scan keeps its interrupt, and the store stays usable",
        scene -> {
          There there = scene.write(DB, "a");
          interrupted(scene, () -> scene.scanned())
              .ifPresent(seen -> same(seen, List.of(there), "What is scanned with an interrupt"));
          servesTheNext(scene);
        });
    all.add(
        "an interrupted writer keeps its interrupt, and gets the result of the write",
        CallerChecks::write);
    all.add("interrupts at any moment lose nothing", CallerChecks::hail);
  }

  /**
   * Runs the task on an interrupted thread. The store may refuse the call, but must preserve the
   * interrupt.
   */
  private static <T> Optional<T> interrupted(Scene scene, Supplier<T> work) throws Exception {
    AtomicReference<Optional<T>> result = new AtomicReference<>(Optional.empty());
    List<Boolean> kept =
        Crowd.atOnce(
            scene.patience(),
            List.of(
                () -> {
                  Thread.currentThread().interrupt();
                  try {
                    result.set(Optional.of(work.get()));
                  } catch (RecordStoreException e) {
                    result.set(Optional.empty());
                  }
                  return Thread.interrupted();
                }));
    check(kept.get(0), "The interrupt of a caller was swallowed.");
    return result.get();
  }

  private static void servesTheNext(Scene scene) {
    There now = scene.write(DB, "next");
    scene.isThere(now, "What the next caller wrote");
  }

  private static void write(Scene scene) throws Exception {
    There before = scene.write(DB, "a");
    Optional<WriteResult> said =
        interrupted(scene, () -> scene.store().write(before.next("interrupted")));
    There there = scene.read(DB);
    if (said.isEmpty()) {
      same(there, before, "The record after a refused write");
    } else if (said.get() instanceof WriteResult.Written written) {
      same(there, There.among(written.now(), DB), "The record after an interrupted write");
    } else {
      check(
          said.get() instanceof WriteResult.Unknown,
          "An interrupted write ended as a conflict, although there was no other writer.");
    }
    servesTheNext(scene);
  }

  /** Writes repeatedly under constant interrupts, and checks the result of each write. */
  private static void hail(Scene scene) throws Exception {
    AtomicReference<Optional<Thread>> victim = new AtomicReference<>(Optional.empty());
    AtomicBoolean over = new AtomicBoolean();
    Callable<Integer> writer =
        () -> {
          victim.set(Optional.of(Thread.currentThread()));
          try {
            return writes(scene, victim);
          } finally {
            over.set(true);
          }
        };
    Callable<Integer> interrupter =
        () -> {
          while (!over.get()) {
            victim.get().ifPresent(Thread::interrupt);
            Thread.onSpinWait();
          }
          return 0;
        };
    long said = Crowd.atOnce(scene.patience(), List.of(writer, interrupter)).get(0);
    long there = scene.read(DB).text().length();
    check(
        said <= there && there <= TURNS,
        said + " of " + TURNS + " writes were reported as done, but " + there + " took effect.");
  }

  /**
   * Writes repeatedly, and returns the number of writes that the store reported as done. Each write
   * appends one character.
   */
  private static int writes(Scene scene, AtomicReference<Optional<Thread>> victim) {
    int said = 0;
    for (int turn = 0; turn < TURNS; turn++) {
      There at = calmly(scene, victim);
      RecordWrite write = at.next(at.text() + "+");
      for (int i = 0; i < 1_000_000_000 && !Thread.currentThread().isInterrupted(); i++) {
        Thread.onSpinWait();
      }
      try {
        WriteResult result = scene.store().write(write);
        said += result instanceof WriteResult.Written ? 1 : 0;
      } catch (RecordStoreException e) {
        check(
            calmly(scene, victim).equals(at),
            "A write that was refused with '" + e.getMessage() + "' took effect.");
      }
    }
    return said;
  }

  /**
   * Reads on an interrupted thread. If the store refuses the read, stops the interrupts and tries
   * again. A last interrupt may still arrive after that, so several attempts may be needed.
   */
  private static There calmly(Scene scene, AtomicReference<Optional<Thread>> victim) {
    try {
      for (int tries = 0; ; tries++) {
        try {
          return scene.read(DB);
        } catch (RecordStoreException e) {
          if (tries > 100_000) {
            throw new AssertionError("A caller that was interrupted is never served again.", e);
          }
          victim.set(Optional.empty());
          // Clears the interrupt flag.
          Thread.interrupted();
        }
      }
    } finally {
      victim.set(Optional.of(Thread.currentThread()));
    }
  }
}
