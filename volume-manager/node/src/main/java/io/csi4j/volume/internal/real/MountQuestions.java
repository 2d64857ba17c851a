package io.csi4j.volume.internal.real;

import io.csi4j.mount.model.MountException;
import io.csi4j.mount.model.MountPath;
import io.csi4j.mount.model.MountProbe;
import io.csi4j.mount.model.MountRef;
import io.csi4j.volume.internal.port.Sighting;
import io.csi4j.volume.internal.time.Failures;
import io.csi4j.volume.internal.time.OnDemandThreads;
import io.csi4j.volume.internal.time.Scheduler;
import io.csi4j.volume.model.PluginId;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Determines whether the servers of mounts are alive, by looking up a file that need not exist.
 *
 * <p>This is the only class that accesses a path below a mount, and a hung server blocks the thread
 * that does so. Each mount has one lookup at a time, which all callers share. Each plugin has a
 * bounded number of threads, so its hung mounts delay only lookups for the same plugin. The calling
 * thread never waits. The time limit of a caller starts with its request.
 */
final class MountQuestions implements AutoCloseable {

  /** Maximum number of concurrent lookups for the mounts of one plugin. */
  static final int MOST_THREADS = 8;

  static final Duration LIMIT = Duration.ofSeconds(5);

  private static final String NAME = ".csi4j";

  /** ENOTCONN and ESTALE: the errors that the kernel returns if the server of a mount has ended. */
  private static final Set<Integer> ENDED = Set.of(107, 116);

  private final Function<MountPath, MountProbe> look;
  private final Scheduler scheduler;
  private final ConcurrentMap<PluginId, OnDemandThreads> plugins = new ConcurrentHashMap<>();
  private final ConcurrentMap<MountRef, Question> open = new ConcurrentHashMap<>();
  private volatile boolean closed;

  /**
   * Creates the object without lookups.
   *
   * @param look looks up a path. This waits for the server of the mount that contains the path
   * @param scheduler runs the timers that limit the wait for an answer
   */
  MountQuestions(Function<MountPath, MountProbe> look, Scheduler scheduler) {
    this.look = look;
    this.scheduler = scheduler;
  }

  /**
   * Starts a lookup on a mount, or joins the running lookup.
   *
   * @param then receives the health of the mount, or {@code SILENT} after the limit. One of the
   *     callers that received {@code SILENT} is called again when the server answers
   */
  void ask(PluginId plugin, MountRef mount, Consumer<Sighting.Health> then) {
    Question asked = new Question();
    Question pending = open.putIfAbsent(mount, asked);
    (pending == null ? asked : pending).join(new Asker(then));
    if (pending == null) {
      begin(plugin, mount, asked);
    }
  }

  private void begin(PluginId plugin, MountRef mount, Question question) {
    try {
      threads(plugin).execute(() -> answer(mount, question));
    } catch (RuntimeException | Error refused) {
      Failures.rethrowEnd(refused);
      // This object is closed, or the machine provides no thread. The callers receive no answer,
      // and the next request tries again.
      open.remove(mount, question);
      question.drop();
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

  private void answer(MountRef mount, Question question) {
    Sighting.Health health;
    try {
      health = health(mount.path());
    } finally {
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

  /** A caller that waits for the answer until its time limit. */
  private static final class Asker {

    private final Consumer<Sighting.Health> then;
    private volatile Scheduler.Timer limit = () -> {};

    Asker(Consumer<Sighting.Health> then) {
      this.then = then;
    }
  }

  /**
   * One lookup, shared by all its callers. The thread that removes a caller from the set notifies
   * it.
   */
  private final class Question {

    private final Set<Asker> waiting = ConcurrentHashMap.newKeySet();
    private final CompletableFuture<Sighting.Health> answer = new CompletableFuture<>();

    /**
     * Whether a caller is kept beyond its time limit. Only one caller is kept, because a mount may
     * hang for days and callers would accumulate.
     */
    private final AtomicBoolean isKept = new AtomicBoolean();

    void join(Asker asker) {
      waiting.add(asker);
      asker.limit = scheduler.after(LIMIT, () -> isLate(asker));
      if (answer.isDone()) {
        tell(asker, answer.join());
      }
    }

    private void isLate(Asker asker) {
      if (waiting.remove(asker)) {
        asker.then.accept(Sighting.Health.SILENT);
        if (isKept.compareAndSet(false, true)) {
          var unused = answer.thenAccept(asker.then);
        }
      }
    }

    void answered(Sighting.Health health) {
      answer.complete(health);
      waiting.forEach(asker -> tell(asker, health));
    }

    private void tell(Asker asker, Sighting.Health health) {
      if (waiting.remove(asker)) {
        asker.limit.cancel();
        asker.then.accept(health);
      }
    }

    void drop() {
      waiting.forEach(asker -> asker.limit.cancel());
      waiting.clear();
    }
  }
}
