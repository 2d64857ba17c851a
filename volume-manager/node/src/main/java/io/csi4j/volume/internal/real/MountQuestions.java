package io.csi4j.volume.internal.real;

import io.csi4j.mount.MountTable;
import io.csi4j.mount.model.MountException;
import io.csi4j.mount.model.MountPath;
import io.csi4j.mount.model.MountProbe;
import io.csi4j.volume.internal.port.Sighting;
import io.csi4j.volume.internal.time.OnDemandThreads;
import io.csi4j.volume.internal.time.Scheduler;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/**
 * Asks who serves a mount whether it is still there, by the name of a file that need not exist.
 *
 * <p>This is the only place where anything below a mount is looked at, and a hung server keeps the
 * thread that does it. There are few of them, no caller waits for them, and when all are kept,
 * further questions stay without an answer until one is free again.
 */
final class MountQuestions implements AutoCloseable {

  private static final int MOST_THREADS = 2;
  private static final Duration LIMIT = Duration.ofSeconds(5);
  private static final String NAME = ".csi4j";

  /** ENOTCONN and ESTALE: what the kernel says of a server that has ended. */
  private static final Set<Integer> ENDED = Set.of(107, 116);

  private final MountTable table;
  private final Scheduler scheduler;
  private final OnDemandThreads threads;

  MountQuestions(MountTable table, Scheduler scheduler) {
    this.table = table;
    this.scheduler = scheduler;
    threads = new OnDemandThreads("csi4j-volume-question", MOST_THREADS);
  }

  /** Asks, and tells once how the server is; late, if its turn comes late. */
  void ask(MountPath mount, Consumer<Sighting.Health> then) {
    try {
      threads.execute(() -> askNow(mount, then));
    } catch (RejectedExecutionException | OutOfMemoryError refused) {
      // It is closed, or the machine gives no thread: the answer stays unknown.
    }
  }

  private void askNow(MountPath mount, Consumer<Sighting.Health> then) {
    AtomicBoolean told = new AtomicBoolean();
    Scheduler.Timer limit = scheduler.after(LIMIT, () -> tell(told, Sighting.Health.SILENT, then));
    Sighting.Health health = health(mount);
    limit.cancel();
    tell(told, health, then);
  }

  private static void tell(
      AtomicBoolean told, Sighting.Health health, Consumer<Sighting.Health> then) {
    if (told.compareAndSet(false, true)) {
      then.accept(health);
    }
  }

  private Sighting.Health health(MountPath mount) {
    try {
      MountProbe there = table.probe(mount.resolve(NAME));
      assert there != null;
      return Sighting.Health.WELL;
    } catch (MountException e) {
      boolean isEnded = e.errno().filter(errno -> ENDED.contains(errno.number())).isPresent();
      return isEnded ? Sighting.Health.DEAD : Sighting.Health.WELL;
    }
  }

  @Override
  public void close() {
    threads.stop(Duration.ZERO);
  }
}
