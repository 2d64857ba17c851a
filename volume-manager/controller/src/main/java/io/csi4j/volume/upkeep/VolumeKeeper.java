package io.csi4j.volume.upkeep;

import io.csi4j.client.model.VolumeId;
import io.csi4j.volume.catalog.UnusedVolume;
import io.csi4j.volume.claim.ClaimProgress;
import io.csi4j.volume.claim.coordination.ClaimCoordinator;
import io.csi4j.volume.controller.VolumeController;
import io.csi4j.volume.internal.names.Durations;
import io.csi4j.volume.internal.text.ForeignText;
import io.csi4j.volume.internal.time.Clock;
import io.csi4j.volume.internal.time.ListenerHub;
import io.csi4j.volume.internal.time.OnDemandThreads;
import io.csi4j.volume.internal.time.Rounds;
import io.csi4j.volume.internal.time.Scheduler;
import io.csi4j.volume.internal.time.SystemClock;
import io.csi4j.volume.model.CatalogVolume;
import io.csi4j.volume.model.OperatorException;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.store.RecordStore;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Runs the periodic upkeep of volumes and claims for a host without its own timers: continues
 * interrupted releases, releases what is no longer needed, compares claims with the state of
 * storage systems, and monitors the health of volumes. Each of its parts can be used alone instead.
 *
 * <p>Any number of keepers may run in a cluster: claims change by conditional writes, so that no
 * claim is freed without proof or twice. Two keepers may request the same detachment from a storage
 * system at the same time, which does no harm. With {@link Builder#oneAtATime}, one keeper does
 * each chore, and another one continues when that one is closed or its control plane has ended.
 * Pauses are randomized so that keepers do not run in step, and grow up to sixteen times while a
 * chore fails.
 *
 * <p>Chores run in parallel, each with one round at a time: one that hangs delays no other.
 * Thread-safe.
 *
 * <pre>{@code
 * try (VolumeKeeper keeper =
 *     VolumeKeeper.builder()
 *         .resuming(claims)
 *         .reaping(reaper, Reaper.Throttle.oneEach(Duration.ofSeconds(1)))
 *         .listener(round -> log.accept(round.text()))
 *         .open()) {
 *   keeper.keepNow(); // all of it once, such as before a node is taken out of service
 *   keeper.chores().forEach(log);
 * }
 * }</pre>
 *
 * @since 1.0
 */
public final class VolumeKeeper implements AutoCloseable {

  private static final String THREADS = "csi4j-volume-keeper";
  private static final String EVENTS = "csi4j-volume-keeper-events";
  private static final System.Logger LOG = System.getLogger("io.csi4j.volume");
  private static final Duration CLOSING = Duration.ofSeconds(5);

  /** The maximum number of volumes of one kind that the text of a round names. */
  private static final int MOST_TOLD = 8;

  private final Clock clock;
  private final Scheduler threads;
  private final Runnable ending;
  private final ListenerHub hub = new ListenerHub("the upkeep of volumes", EVENTS);
  private final ListenerHub.Listening<Round> rounds;

  /**
   * Guards the rounds and the timers. Not held during a round, or while the listener is notified.
   */
  private final ReentrantLock lock = new ReentrantLock();

  private final Map<String, Running> chores = new LinkedHashMap<>();

  /** The control plane, if the chores of the cluster are done by one control plane at a time. */
  private final Optional<VolumeController> shared;

  /** The maximum time that closing waits for the store, and for the listener. */
  private final Duration patience;

  private boolean isClosed;

  private VolumeKeeper(
      Builder options, Clock clock, Scheduler threads, Runnable ending, Duration patience) {
    this.patience = patience;
    shared = options.shared;
    this.clock = clock;
    this.threads = threads;
    this.ending = ending;
    rounds = hub.listen(options.listener);
    options.chores.forEach((name, chore) -> chores.put(name, new Running(name, chore, threads)));
    chores.values().stream()
        .filter(chore -> chore.what.isUrgent())
        .forEach(
            chore -> {
              CompletableFuture<Round> ignored = begin(chore);
            });
    lock.lock();
    try {
      chores.values().stream().filter(chore -> !chore.what.isUrgent()).forEach(this::plan);
    } finally {
      lock.unlock();
    }
  }

  /** Returns a builder without chores. */
  public static Builder builder() {
    return new Builder();
  }

  /** The work of one round of a chore. */
  @FunctionalInterface
  public interface Work {

    /**
     * Runs the round.
     *
     * @return the result, in a few words for people, such as {@code "2 claims were freed"}
     * @throws InterruptedException if the keeper is closed meanwhile
     */
    String run() throws InterruptedException;
  }

  /**
   * A completed round of a chore.
   *
   * @param chore the name of the chore
   * @param begun the time at which it began
   * @param elapsed the duration
   * @param done the result, in a few words; empty if it failed
   * @param failure the failure, in one line; empty if it succeeded
   * @since 1.0
   */
  public record Round(
      String chore, Instant begun, Duration elapsed, String done, Optional<String> failure) {

    /** Checks that all parts are set. */
    public Round {
      Objects.requireNonNull(chore, "chore");
      Objects.requireNonNull(begun, "begun");
      Objects.requireNonNull(elapsed, "elapsed");
      Objects.requireNonNull(done, "done");
      Objects.requireNonNull(failure, "failure");
    }

    /** Returns the round as a line for people. */
    public String text() {
      return failure
          .map(why -> "The chore '" + chore + "' failed, and will be retried: " + why)
          .orElseGet(() -> "The chore '" + chore + "' is done: " + done);
    }
  }

  /**
   * The current state of a chore.
   *
   * @param name the name of the chore
   * @param every the approximate pause between two rounds
   * @param isRunning whether a round is running
   * @param failuresInARow the number of failed rounds since the last successful one
   * @param last the last completed round
   * @since 1.0
   */
  public record Task(
      String name, Duration every, boolean isRunning, int failuresInARow, Optional<Round> last) {

    /** Checks that all parts are set. */
    public Task {
      Objects.requireNonNull(name, "name");
      Objects.requireNonNull(every, "every");
      Objects.requireNonNull(last, "last");
    }
  }

  /**
   * The definition of a chore.
   *
   * @param isUrgent whether its first round begins immediately
   * @param isOfCluster whether one keeper does it for all
   */
  private record Definition(Duration every, boolean isUrgent, boolean isOfCluster, Work work) {}

  /** The rounds of one chore. */
  private static final class Running {
    private final String name;
    private final Definition what;
    private final Rounds rounds;
    private @Nullable CompletableFuture<Round> round;
    private @Nullable Round last;
    private int failures;

    Running(String name, Definition what, Scheduler threads) {
      this.name = name;
      this.what = what;
      rounds = new Rounds(threads, Rounds.about(what.every()));
    }
  }

  // ---- current state

  /** Returns the chores, in the order in which they were added to the builder. */
  public List<Task> chores() {
    lock.lock();
    try {
      return chores.values().stream()
          .map(
              chore ->
                  new Task(
                      chore.name,
                      chore.what.every(),
                      chore.round != null,
                      chore.failures,
                      Optional.ofNullable(chore.last)))
          .toList();
    } finally {
      lock.unlock();
    }
  }

  // ---- rounds

  /**
   * Runs each chore once, and waits until all have ended; if a round is running, waits for its end.
   * The listener is notified of these rounds, too. An interrupt ends the wait; the rounds continue.
   *
   * @return the rounds, in the order of the chores
   * @throws IllegalStateException if the keeper is closed
   */
  public List<Round> keepNow() {
    List<CompletableFuture<Round>> begun = new ArrayList<>();
    for (Running chore : chores.values()) {
      begun.add(begin(chore));
    }
    List<Round> ended = new ArrayList<>();
    try {
      for (CompletableFuture<Round> each : begun) {
        ended.add(each.get());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException closed) {
      throw new IllegalStateException("The keeper is closed. Open another one.", closed);
    }
    return ended;
  }

  /** Begins a round, unless one is running. */
  private CompletableFuture<Round> begin(Running chore) {
    CompletableFuture<Round> round = new CompletableFuture<>();
    lock.lock();
    try {
      if (isClosed) {
        round.completeExceptionally(new IllegalStateException("The keeper is closed."));
        return round;
      }
      if (chore.round != null) {
        return chore.round;
      }
      chore.round = round;
      chore.rounds.cancel();
    } finally {
      lock.unlock();
    }
    try {
      threads.execute(() -> run(chore, round));
    } catch (RejectedExecutionException | OutOfMemoryError refused) {
      // The threads are closed, or the JVM reports that the machine has no more threads.
      end(chore, round, new Round(chore.name, clock.wall(), Duration.ZERO, "", words(refused)));
    }
    return round;
  }

  @SuppressWarnings("CatchThrowable") // whatever a chore throws, its next round must be planned
  private void run(Running chore, CompletableFuture<Round> round) {
    Instant begun = clock.wall();
    long nanos = clock.nanos();
    String done = "";
    Optional<String> failure = Optional.empty();
    try {
      Optional<String> other = elsewhere(chore);
      done =
          other.isPresent()
              ? "control plane '" + other.get() + "' runs it"
              : chore.what.work().run();
    } catch (InterruptedException closing) {
      Thread.currentThread().interrupt();
      failure = Optional.of("the keeper was closed");
    } catch (Throwable failed) {
      failure = words(failed);
    }
    Duration elapsed = Duration.ofNanos(Math.max(0, clock.nanos() - nanos));
    end(chore, round, new Round(chore.name, begun, elapsed, done, failure));
  }

  /** Returns the control plane that does a chore, if it is another one. */
  private Optional<String> elsewhere(Running chore) throws InterruptedException {
    if (shared.isEmpty() || !chore.what.isOfCluster()) {
      return Optional.empty();
    }
    Optional<String> other = shared.get().takeUpkeep(chore.name);
    if (other.isEmpty() && isClosed()) {
      shared.get().leaveUpkeep(chore.name);
      throw new InterruptedException("closed before the round");
    }
    return other;
  }

  private boolean isClosed() {
    lock.lock();
    try {
      return isClosed;
    } finally {
      lock.unlock();
    }
  }

  private static Optional<String> words(Throwable failed) {
    String text = String.valueOf(failed.getMessage());
    return Optional.of(ForeignText.of(text.equals("null") ? failed.getClass().getName() : text));
  }

  private void end(Running chore, CompletableFuture<Round> round, Round ended) {
    lock.lock();
    try {
      chore.round = null;
      chore.last = ended;
      chore.failures = ended.failure().isEmpty() ? 0 : chore.failures + 1;
      chore.rounds.ended(ended.failure().isEmpty());
      plan(chore);
    } finally {
      lock.unlock();
    }
    rounds.tell(ended);
    round.complete(ended);
  }

  /** Plans the next round; the lock is held. */
  private void plan(Running chore) {
    if (!isClosed) {
      chore.rounds.plan(
          () -> {
            CompletableFuture<Round> ignored = begin(chore);
          });
    }
  }

  /**
   * Stops beginning rounds, interrupts running ones, leaves the chores of the cluster to the
   * keepers of other control planes, and notifies the listener of the last rounds. Waits at most 5
   * s for the rounds, 5 s for the store, and 5 s for the listener. The next keeper, here or
   * elsewhere, continues unfinished work. Closing it again has no effect.
   */
  @Override
  public void close() {
    lock.lock();
    try {
      isClosed = true;
      chores.values().forEach(chore -> chore.rounds.close());
    } finally {
      lock.unlock();
    }
    ending.run();
    shared.ifPresent(this::leaveChores);
    hub.close(patience);
  }

  /**
   * Leaves the chores of the cluster on a separate thread, as the store may not answer: a chore
   * that is not left in time is left when the store answers, or when the session of the control
   * plane ends.
   */
  private void leaveChores(VolumeController controller) {
    try (OnDemandThreads leaving = new OnDemandThreads(THREADS)) {
      CompletableFuture<Void> left =
          CompletableFuture.runAsync(
              () ->
                  chores.values().stream()
                      .filter(chore -> chore.what.isOfCluster())
                      .forEach(chore -> controller.leaveUpkeep(chore.name)),
              leaving);
      left.get(patience.toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException | TimeoutException | OutOfMemoryError notLeft) {
      // Another control plane takes the chores when the session of this one has ended.
    }
  }

  /** Builder of a {@link VolumeKeeper}. */
  public static final class Builder {

    private final Map<String, Definition> chores = new LinkedHashMap<>();
    private Consumer<Round> listener = Builder::log;
    private Optional<VolumeController> shared = Optional.empty();

    private Builder() {}

    /**
     * Runs each chore only while this control plane has it ({@link VolumeController#takeUpkeep}),
     * so that only one of the control planes that share a store runs it at a time. The chores may
     * be distributed over the control planes. Chores of the host ({@link #chore}) always run. A
     * reaper that gives receipts for its own node ({@link Reaper.Sources#node}) works only for that
     * node: give it a keeper without this setting.
     */
    public Builder oneAtATime(VolumeController controller) {
      shared = Optional.of(controller);
      return this;
    }

    /**
     * Continues releases that were begun and not finished, here or elsewhere ({@link
     * ClaimCoordinator#resume}): immediately, and about every minute.
     */
    public Builder resuming(ClaimCoordinator claims) {
      Objects.requireNonNull(claims, "claims");
      return add("resume", Duration.ofMinutes(1), true, true, () -> resumed(claims.resume()));
    }

    /**
     * Releases what is no longer needed ({@link Reaper#plan}, {@link Reaper#apply}), about every
     * five minutes. The text of a round names the volumes that no workload has used for a long
     * time, if the reaper looks for them ({@link Reaper#unused}). The first round is after one
     * pause, so that a host that has just started can first declare what it needs.
     *
     * @param throttle the pauses between items
     */
    public Builder reaping(Reaper reaper, Reaper.Throttle throttle) {
      Objects.requireNonNull(reaper, "reaper");
      Objects.requireNonNull(throttle, "throttle");
      return add(
          "reap",
          Duration.ofMinutes(5),
          false,
          true,
          () -> reaped(reaper.apply(reaper.plan(), throttle)) + unused(reaper));
    }

    /**
     * Compares claims with the state that the storage systems of a controller's volumes report
     * ({@link DriftCheck}), and does the repairs that the policy permits, about every ten minutes,
     * plugin by plugin. A plugin or volume that cannot be read does not prevent the comparison of
     * others; the round then fails at its end. A volume with several records is not compared; the
     * text of the round names it with their keys.
     *
     * @param controller the controller of the volumes
     * @param claims the claims of these volumes
     * @param policy the permitted repairs
     * @param repair performs the repairs: {@link DriftCheck.Repair#by}
     * @param found notified of each difference, in each round that finds it
     */
    public Builder comparing(
        VolumeController controller,
        RecordStore claims,
        DriftCheck.Policy policy,
        DriftCheck.Repair repair,
        Consumer<Drift> found) {
      Objects.requireNonNull(controller, "controller");
      Objects.requireNonNull(claims, "claims");
      Objects.requireNonNull(policy, "policy");
      Objects.requireNonNull(repair, "repair");
      Objects.requireNonNull(found, "found");
      return add(
          "compare",
          Duration.ofMinutes(10),
          false,
          true,
          () -> compared(controller, claims, policy, repair, found));
    }

    /**
     * Queries the health of volumes ({@link HealthMonitor#look}): immediately, and about every
     * minute. Use a monitor {@linkplain HealthMonitor.Builder#timer without a timer}; the host must
     * close it.
     */
    public Builder watching(HealthMonitor monitor) {
      Objects.requireNonNull(monitor, "monitor");
      return add(
          "health",
          Duration.ofMinutes(1),
          true,
          true,
          () -> count(monitor.look().size(), "change", "was", "were") + " told");
    }

    /**
     * Adds a chore of the host, which runs immediately and then with this pause. Use it for work of
     * the host such as {@code () -> "reconciled: " + manager.reconcile(wanted()).plan()}.
     *
     * @param name its name, different from those of the others
     */
    public Builder chore(String name, Duration every, Work work) {
      return add(name, every, true, false, Objects.requireNonNull(work, "work"));
    }

    /**
     * Adds a chore that one control plane does for all, such as the snapshots of a schedule; it
     * runs immediately and then with this pause. With {@link #oneAtATime}, one of the control
     * planes does it.
     *
     * @param name its name, the same in all control planes and different from those of the others
     */
    public Builder clusterChore(String name, Duration every, Work work) {
      return add(name, every, true, true, Objects.requireNonNull(work, "work"));
    }

    /**
     * Sets the pause of a chore.
     *
     * @param name {@code resume}, {@code reap}, {@code compare}, {@code health}, or a name of
     *     {@link #chore} or {@link #clusterChore}
     * @throws IllegalArgumentException if the chore does not exist, or the pause is not positive
     */
    public Builder every(String name, Duration pause) {
      Definition known = chores.get(name);
      if (known == null) {
        throw new IllegalArgumentException(
            "There is no chore '" + name + "' yet, only " + chores.keySet() + ". Add it first.");
      }
      chores.put(
          name,
          new Definition(
              Durations.positive("pause", pause),
              known.isUrgent(),
              known.isOfCluster(),
              known.work()));
      return this;
    }

    /**
     * Sets the listener for completed rounds. It is notified of one round at a time, in order, and
     * may block. By default, failures are logged as warnings, and other rounds only at a detailed
     * level.
     */
    public Builder listener(Consumer<Round> value) {
      listener = Objects.requireNonNull(value, "value");
      return this;
    }

    /** Opens the keeper; urgent chores begin immediately. */
    public VolumeKeeper open() {
      OnDemandThreads threads = new OnDemandThreads(THREADS);
      return open(new SystemClock(), threads, () -> threads.stop(CLOSING), CLOSING);
    }

    /**
     * Opens the keeper with this clock and these threads.
     *
     * @param patience the maximum time that closing waits for the store, and for the listener
     */
    VolumeKeeper open(Clock clock, Scheduler threads, Runnable ending, Duration patience) {
      return new VolumeKeeper(this, clock, threads, ending, patience);
    }

    private Builder add(
        String name, Duration every, boolean isUrgent, boolean isOfCluster, Work work) {
      if (chores.containsKey(name)) {
        throw new IllegalArgumentException(
            "There is a chore '" + name + "' already. Give this one another name.");
      }
      chores.put(
          name, new Definition(Durations.positive("pause", every), isUrgent, isOfCluster, work));
      return this;
    }

    private static void log(Round round) {
      LOG.log(
          round.failure().isPresent() ? System.Logger.Level.WARNING : System.Logger.Level.DEBUG,
          round.text());
    }
  }

  // ---- the chores

  private static String count(long number, String what, String one, String many) {
    return number + " " + what + (number == 1 ? " " + one : "s " + many);
  }

  private static String resumed(List<ClaimProgress> progress) {
    long gone = progress.stream().filter(ClaimProgress.Gone.class::isInstance).count();
    long unread = progress.stream().filter(ClaimProgress.Unreadable.class::isInstance).count();
    return count(gone, "claim", "was", "were")
        + " freed, and "
        + count(progress.size() - gone - unread, "claim", "waits", "wait")
        + (unread == 0 ? "" : "; " + count(unread, "claim", "cannot", "cannot") + " be read");
  }

  private static String reaped(List<Reaper.Result> ends) throws InterruptedException {
    if (Thread.interrupted()) {
      throw new InterruptedException("closed between two items");
    }
    long done = ends.stream().filter(it -> it.end() == Reaper.Result.End.DONE).count();
    return done + " of " + count(ends.size(), "item", "was", "were") + " released";
  }

  /** The release is done, even if the advice about unused volumes fails. */
  private static String unused(Reaper reaper) {
    List<UnusedVolume> volumes;
    try {
      volumes = reaper.unused();
    } catch (OperatorException failed) {
      return "; the unused volumes are unknown: " + failed.operatorMessage().line();
    }
    return volumes.isEmpty()
        ? ""
        : "; "
            + count(volumes.size(), "volume", "is", "are")
            + " unused: "
            + volumes.stream()
                .limit(MOST_TOLD)
                .map(each -> "'" + each.key() + "' since " + each.since())
                .collect(Collectors.joining(", "))
            + (volumes.size() > MOST_TOLD ? " and " + (volumes.size() - MOST_TOLD) + " more" : "");
  }

  private static String compared(
      VolumeController controller,
      RecordStore claims,
      DriftCheck.Policy policy,
      DriftCheck.Repair repair,
      Consumer<Drift> found)
      throws InterruptedException {
    Set<PluginId> plugins = new TreeSet<>();
    controller.volumes().forEach(volume -> plugins.add(volume.plugin()));
    int differences = 0;
    int repaired = 0;
    List<String> shared = new ArrayList<>();
    List<RuntimeException> failures = new ArrayList<>();
    for (PluginId plugin : plugins) {
      if (Thread.interrupted()) {
        throw new InterruptedException("closed between two plugins");
      }
      shared.addAll(shared(controller, plugin));
      try {
        Map<VolumeId, VolumeKey> handles = controller.handles(plugin);
        DriftCheck check = new DriftCheck(controller, plugin, claims);
        DriftCheck.Report report = check.look(handles);
        failures.addAll(report.failures().values());
        report.findings().forEach(found);
        differences += report.findings().size();
        repaired += check.repair(report, policy, repair).size();
      } catch (RuntimeException failed) {
        failures.add(failed);
      }
    }
    if (!failures.isEmpty()) {
      RuntimeException first = failures.get(0);
      failures.subList(1, failures.size()).forEach(first::addSuppressed);
      throw first;
    }
    return count(differences, "difference", "was", "were")
        + " found, and "
        + repaired
        + " repaired"
        + shared.stream().limit(MOST_TOLD).map("; "::concat).collect(Collectors.joining())
        + (shared.size() > MOST_TOLD ? "; and " + (shared.size() - MOST_TOLD) + " more" : "");
  }

  /** The volumes of a plugin that have several records, each with their keys. */
  private static List<String> shared(VolumeController controller, PluginId plugin) {
    Map<VolumeId, List<VolumeKey>> keys = new LinkedHashMap<>();
    for (CatalogVolume volume : controller.volumes()) {
      if (volume.plugin().equals(plugin)) {
        keys.computeIfAbsent(volume.id(), none -> new ArrayList<>()).add(volume.key());
      }
    }
    List<String> shared = new ArrayList<>();
    keys.forEach(
        (handle, all) -> {
          if (all.size() > 1) {
            shared.add(
                "volume '"
                    + handle
                    + "' of plugin '"
                    + plugin
                    + "' is recorded as "
                    + all.stream().map(key -> "'" + key + "'").collect(Collectors.joining(" and "))
                    + ", and was not compared");
          }
        });
    return shared;
  }
}
