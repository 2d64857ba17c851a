package io.csi4j.volume.internal.real;

import io.csi4j.mount.model.MountException;
import io.csi4j.mount.model.MountPath;
import io.csi4j.mount.model.MountProbe;
import io.csi4j.mount.model.MountRef;
import io.csi4j.volume.internal.port.Sighting;
import io.csi4j.volume.internal.time.OnDemandThreads;
import io.csi4j.volume.internal.time.Scheduler;
import io.csi4j.volume.model.PluginId;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Asks the servers of mounts whether they are still there, by the name of a file that need not
 * exist.
 *
 * <p>This is the only place where anything below a mount is looked at, and a hung server keeps the
 * thread that does it. A mount has one question at a time, which all its askers share, and a plugin
 * has a bounded number of threads: its hung mounts keep only its own other mounts waiting. No
 * caller waits, and the limit of a question begins with the first asker.
 */
final class MountQuestions implements AutoCloseable {

  /** Maximum number of mounts of one plugin whose servers are asked at the same time. */
  static final int MOST_THREADS = 8;

  static final Duration LIMIT = Duration.ofSeconds(5);

  private static final String NAME = ".csi4j";

  /** ENOTCONN and ESTALE: the kernel's answers for a server that has ended. */
  private static final Set<Integer> ENDED = Set.of(107, 116);

  private final Function<MountPath, MountProbe> look;
  private final Scheduler scheduler;
  private final ConcurrentMap<PluginId, OnDemandThreads> plugins = new ConcurrentHashMap<>();
  private final ConcurrentMap<MountRef, Question> open = new ConcurrentHashMap<>();
  private volatile boolean closed;

  /**
   * Nothing is asked yet.
   *
   * @param look looks at a path, and waits for the server of the mount that the path leads through
   * @param scheduler ends the wait for an answer
   */
  MountQuestions(Function<MountPath, MountProbe> look, Scheduler scheduler) {
    this.look = look;
    this.scheduler = scheduler;
  }

  /**
   * Asks the server of a mount, or joins the question that has no answer yet.
   *
   * @param then called with the answer, or with {@code SILENT} after the limit. An asker that was
   *     waiting at the limit is called once more if the server answers later
   */
  void ask(PluginId plugin, MountRef mount, Consumer<Sighting.Health> then) {
    Question asked = new Question();
    Question pending = open.putIfAbsent(mount, asked);
    if (pending != null) {
      pending.tell(then);
      return;
    }
    asked.tell(then);
    Scheduler.Timer limit =
        scheduler.after(LIMIT, () -> asked.inTime.complete(Sighting.Health.SILENT));
    try {
      threads(plugin).execute(() -> answer(mount, asked, limit));
    } catch (RejectedExecutionException | OutOfMemoryError refused) {
      // Closed, or the machine gives no thread: the answer stays unknown, and the next asker tries.
      limit.cancel();
      open.remove(mount, asked);
    }
  }

  private OnDemandThreads threads(PluginId plugin) {
    OnDemandThreads threads =
        plugins.computeIfAbsent(
            plugin, none -> new OnDemandThreads("csi4j-volume-question", MOST_THREADS));
    if (closed) {
      threads.stop(Duration.ZERO);
    }
    return threads;
  }

  private void answer(MountRef mount, Question question, Scheduler.Timer limit) {
    Sighting.Health health;
    try {
      health = health(mount.path());
    } finally {
      limit.cancel();
      open.remove(mount, question);
    }
    question.answered(health);
  }

  private Sighting.Health health(MountPath mount) {
    try {
      MountProbe there = look.apply(mount.resolve(NAME));
      assert there != null;
      return Sighting.Health.WELL;
    } catch (MountException e) {
      boolean isEnded = e.errno().filter(errno -> ENDED.contains(errno.number())).isPresent();
      return isEnded ? Sighting.Health.DEAD : Sighting.Health.WELL;
    }
  }

  @Override
  public void close() {
    closed = true;
    plugins.values().forEach(threads -> threads.stop(Duration.ZERO));
  }

  /** One question, for all its askers. */
  private static final class Question {

    /** The answer, or that there is none within the limit. */
    private final CompletableFuture<Sighting.Health> inTime = new CompletableFuture<>();

    private final CompletableFuture<Sighting.Health> answer = new CompletableFuture<>();

    void tell(Consumer<Sighting.Health> asker) {
      // A mount may hang for days: later askers are not kept until it answers.
      boolean isWaiting = !inTime.isDone();
      var unused =
          inTime.thenAccept(
              health -> {
                asker.accept(health);
                if (isWaiting && health == Sighting.Health.SILENT) {
                  var late = answer.thenAccept(asker);
                }
              });
    }

    void answered(Sighting.Health health) {
      inTime.complete(health);
      answer.complete(health);
    }
  }
}
