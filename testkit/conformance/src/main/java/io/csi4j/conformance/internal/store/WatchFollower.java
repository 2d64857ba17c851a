package io.csi4j.conformance.internal.store;

import static io.csi4j.conformance.internal.store.Scene.check;
import static io.csi4j.conformance.internal.store.Scene.same;

import io.csi4j.volume.store.RecordKey;
import io.csi4j.volume.store.RecordStore.Watch;
import io.csi4j.volume.store.RecordStore.Watch.Change;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.FutureTask;

/** Reads the events of a watch. */
final class WatchFollower {

  /**
   * A wait that is longer than any check, so that only an event or the closing of the watch ends
   * it.
   */
  private static final Duration EVER = Duration.ofHours(1);

  private final Watch watch;
  private final Duration patience;

  WatchFollower(Watch watch, Duration patience) {
    this.watch = watch;
    this.patience = patience;
  }

  /**
   * Returns the next write. Fails if the watch missed events, because every watch must buffer at
   * least a few writes.
   */
  There next() throws InterruptedException {
    Change change = change();
    if (change instanceof Change.Written written) {
      return There.of(written.now());
    }
    throw new AssertionError("A watch missed one of a few writes: " + change + ".");
  }

  /** Expects the removal of a record as the next event, and returns the version of the removal. */
  long nextRemoval(RecordKey key) throws InterruptedException {
    Change change = change();
    if (change instanceof Change.Removed removed && removed.key().equals(key)) {
      return removed.version();
    }
    throw new AssertionError("A watch missed a removal, and showed " + change + ".");
  }

  private Change change() throws InterruptedException {
    return watch
        .next(patience)
        .orElseThrow(
            () ->
                new AssertionError(
                    "A watch did not show within "
                        + patience.toMillis()
                        + " ms what was written."));
  }

  /** Returns all writes up to and including the write {@code last}. */
  List<There> until(There last) throws InterruptedException {
    List<There> seen = new ArrayList<>();
    while (seen.isEmpty() || !seen.get(seen.size() - 1).equals(last)) {
      seen.add(next());
      check(seen.size() <= 100_000, "A watch did not end.");
    }
    return seen;
  }

  void nothingMore() throws InterruptedException {
    same(watch.next(Duration.ZERO), Optional.empty(), "The changes in a watch without a write");
  }

  static List<There> of(RecordKey key, List<There> seen) {
    return seen.stream().filter(each -> each.key().equals(key)).toList();
  }

  /**
   * Starts a thread that waits for a change without a time limit. Returns when the thread is
   * waiting, or when its wait has already ended.
   */
  Waiter waiting() {
    FutureTask<Optional<Change>> wait = new FutureTask<>(() -> watch.next(EVER));
    Thread thread = Crowd.started(wait);
    for (long tries = 0; tries < 10_000_000 && !isWaiting(thread); tries++) {
      Thread.onSpinWait();
    }
    return new Waiter(thread, wait);
  }

  private static boolean isWaiting(Thread thread) {
    return switch (thread.getState()) {
      case WAITING, TIMED_WAITING, TERMINATED -> true;
      case NEW, RUNNABLE, BLOCKED -> false;
    };
  }

  record Waiter(Thread thread, FutureTask<Optional<Change>> waiting) {

    /** Fails unless the wait ended without an event. */
    void isLetGo(Duration patience) throws Exception {
      try {
        same(
            Crowd.result(waiting, patience),
            Optional.empty(),
            "The changes after a wait that timed out");
      } finally {
        thread.interrupt();
      }
    }
  }
}
