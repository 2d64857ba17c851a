package io.csi4j.mount.internal.change;

import io.csi4j.mount.model.MountException;
import io.csi4j.mount.model.MountException.Reason;
import io.csi4j.mount.model.MountPath;
import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * Admits one caller at a time to each target, so that of two threads that mount the same, the
 * second one finds the mount of the first. Another thread than the one that got the turn may return
 * it.
 *
 * <p>A caller waits for a turn on its own thread: a target that hangs occupies only one thread of
 * the pool.
 */
final class TargetTurns {

  private final ConcurrentHashMap<MountPath, Turn> turns = new ConcurrentHashMap<>();
  private final Duration deadline;

  TargetTurns(Duration deadline) {
    this.deadline = deadline;
  }

  private static final class Turn {
    private final Semaphore free = new Semaphore(1);

    /** The number of callers that have the turn or wait for it; changed in {@code compute} only. */
    private int users;
  }

  /**
   * Waits for the turn, then runs the work with the remaining time.
   *
   * @throws MountException with {@link Reason#DEADLINE} if the turn of another caller does not end
   *     in time
   */
  <T> T call(MountCallPool pool, String doing, MountPath target, MountCallPool.Work<T> work) {
    long start = System.nanoTime();
    take(doing, target);
    Duration waited = Duration.ofNanos(System.nanoTime() - start);
    return pool.call(doing, waited.negated(), work, () -> giveBack(target));
  }

  /** Returns the number of targets that are in use or waited for. */
  int size() {
    return turns.size();
  }

  private void take(String doing, MountPath target) {
    Turn turn =
        turns.compute(
            target,
            (path, there) -> {
              Turn joined = there == null ? new Turn() : there;
              joined.users++;
              return joined;
            });
    boolean taken = false;
    try {
      taken = turn.free.tryAcquire(MountCallPool.nanos(deadline), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw MountException.builder(
              Reason.INTERRUPTED,
              doing + " was not begun: this thread was interrupted. Nothing was changed.")
          .target(target)
          .build();
    } finally {
      if (!taken) {
        leave(target);
      }
    }
    if (!taken) {
      throw MountException.builder(
              Reason.DEADLINE,
              doing
                  + " did not begin in time: another call for the same target has not returned"
                  + " from the kernel. Nothing was changed. Find out which server hangs; a forced"
                  + " unmount of it frees the call.")
          .target(target)
          .build();
    }
  }

  private void giveBack(MountPath target) {
    Turn turn = turns.get(target);
    if (turn != null) {
      turn.free.release();
      leave(target);
    }
  }

  private void leave(MountPath target) {
    turns.computeIfPresent(target, (path, turn) -> --turn.users == 0 ? null : turn);
  }
}
