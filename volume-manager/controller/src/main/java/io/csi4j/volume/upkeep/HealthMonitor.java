package io.csi4j.volume.upkeep;

import io.csi4j.client.controller.ControllerCapability;
import io.csi4j.client.model.Experimental;
import io.csi4j.client.model.Listing;
import io.csi4j.client.model.StatusCode;
import io.csi4j.client.model.VolumeHealthEntry;
import io.csi4j.client.model.VolumeHealthReport;
import io.csi4j.client.model.VolumeId;
import io.csi4j.volume.controller.ControllerException;
import io.csi4j.volume.controller.VolumeController;
import io.csi4j.volume.internal.health.HealthBook;
import io.csi4j.volume.internal.names.Durations;
import io.csi4j.volume.internal.text.Messages;
import io.csi4j.volume.internal.text.Subject;
import io.csi4j.volume.internal.time.Clock;
import io.csi4j.volume.internal.time.ListenerHub;
import io.csi4j.volume.internal.time.OnDemandThreads;
import io.csi4j.volume.internal.time.Rounds;
import io.csi4j.volume.internal.time.Scheduler;
import io.csi4j.volume.internal.time.SystemClock;
import io.csi4j.volume.model.CatalogVolume;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.SecretsReference;
import io.csi4j.volume.model.VolumeHealth;
import io.csi4j.volume.model.VolumeIdentity;
import io.csi4j.volume.model.VolumeKey;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Monitors the health of volumes that storage systems report, for the recorded volumes of a {@link
 * VolumeController}, plugin by plugin. Reports when faults begin and end, and repairs nothing.
 *
 * <p>A plugin is queried in the way that it offers: a list of unhealthy volumes, volume by volume,
 * or, before CSI 1.13, the conditions of its volumes. A volume counts as healthy again after two
 * complete lists without its fault, or after one answer about that volume alone. A round in which
 * the plugin does not answer changes nothing; this is reported once, until the plugin answers
 * again.
 *
 * <p>Plugins are queried in parallel: one that hangs delays no other. Thread-safe.
 *
 * <pre>{@code
 * try (HealthMonitor monitor =
 *     HealthMonitor.builder(controller)
 *         .every(Duration.ofMinutes(1))
 *         .listener(change -> page.accept(change.message().line()))
 *         .open()) {
 *   VolumeHealth health = monitor.health(VolumeKey.of("db"));
 *   health.worst().ifPresent(finding -> page.accept(finding.text()));
 * }
 * }</pre>
 *
 * @since 1.0
 */
@Experimental
public final class HealthMonitor implements AutoCloseable {

  private static final String THREADS = "csi4j-volume-health-monitor";
  private static final String EVENTS = "csi4j-volume-health-events";
  private static final System.Logger LOG = System.getLogger("io.csi4j.volume");
  private static final Duration CLOSING = Duration.ofSeconds(5);

  private final VolumeController controller;
  private final Function<PluginId, Listing<VolumeHealthReport>> lists;
  private final Duration interval;
  private final int callsInFlight;
  private final boolean hasTimer;
  private final Clock clock;
  private final Scheduler threads;
  private final Runnable ending;
  private final ListenerHub hub = new ListenerHub("the health of volumes", EVENTS);
  private final ListenerHub.Listening<Change> changes;
  private final ListenerHub.Listening<OperatorMessage> messages;
  private final HealthBook<Watched, VolumeHealth.Source, VolumeHealthEntry> book =
      new HealthBook<>(entry -> List.of(entry.number(), entry.reason()));

  /** Guards the rounds and the timers. Not held during a call, or while listeners are notified. */
  private final ReentrantLock lock = new ReentrantLock();

  private final Map<PluginId, PluginRounds> plugins = new HashMap<>();
  private final Rounds searches;
  private boolean isClosed;

  /** A recorded volume; a volume that is created again with the same key is a different one. */
  private record Watched(VolumeKey key, VolumeIdentity identity) {}

  /**
   * A change in the health of one volume.
   *
   * @param volume the host's key of the volume
   * @param identity the plugin, and the plugin's id of the volume
   * @param finding the fault
   * @param isOver whether the fault has ended; otherwise it has begun
   */
  @Experimental
  public record Change(
      VolumeKey volume, VolumeIdentity identity, VolumeHealth.Finding finding, boolean isOver) {

    /** Checks that all parts are set. */
    public Change {
      Objects.requireNonNull(volume, "volume");
      Objects.requireNonNull(identity, "identity");
      Objects.requireNonNull(finding, "finding");
    }

    /**
     * Returns the message for an operator, with {@link OperatorCode#VOLUME_ABNORMAL} or {@link
     * OperatorCode#VOLUME_WELL_AGAIN}.
     */
    public OperatorMessage message() {
      return Messages.of(
          isOver ? OperatorCode.VOLUME_WELL_AGAIN : OperatorCode.VOLUME_ABNORMAL,
          Subject.of(
              "watching volume '"
                  + identity.handle()
                  + "' ("
                  + volume
                  + ") of plugin '"
                  + identity.plugin()
                  + "'"),
          (isOver ? "the fault is over: " : "") + finding.text());
    }
  }

  private HealthMonitor(Builder options, Clock clock, Scheduler threads, Runnable ending) {
    this.clock = clock;
    this.threads = threads;
    this.ending = ending;
    controller = options.controller;
    lists = options.lists;
    interval = options.interval;
    callsInFlight = options.callsInFlight;
    hasTimer = options.hasTimer;
    searches = times();
    changes = hub.listen(options.listener);
    messages = hub.listen(options.told);
    if (hasTimer) {
      search();
    }
  }

  /** Returns a builder of a monitor of the volumes of this controller. */
  public static Builder builder(VolumeController controller) {
    return new Builder(controller);
  }

  // ---- current health

  /** Returns the known faults of a volume, as of the last rounds. */
  public VolumeHealth health(VolumeKey volume) {
    return controller
        .find(volume)
        .map(HealthMonitor::watched)
        .map(this::health)
        .orElseGet(VolumeHealth::well);
  }

  /** Returns the volumes with known faults, in the order of keys. */
  public SortedMap<VolumeKey, VolumeHealth> unwell() {
    SortedMap<VolumeKey, VolumeHealth> all = new TreeMap<>();
    for (CatalogVolume volume : controller.volumes()) {
      VolumeHealth health = health(watched(volume));
      if (!health.isWell()) {
        all.put(volume.key(), health);
      }
    }
    return all;
  }

  private VolumeHealth health(Watched volume) {
    return new VolumeHealth(book.of(volume).stream().map(HealthMonitor::finding).toList());
  }

  private static VolumeHealth.Finding finding(
      HealthBook.Known<VolumeHealth.Source, VolumeHealthEntry> known) {
    return new VolumeHealth.Finding(known.entry(), known.source(), known.since(), known.asOf());
  }

  private static Watched watched(CatalogVolume volume) {
    return new Watched(volume.key(), new VolumeIdentity(volume.plugin(), volume.id()));
  }

  // ---- rounds

  /**
   * Queries all plugins once, and waits until each has answered or failed. The listener is notified
   * of the changes, too. If a round of a plugin is running, this method waits for the next one. An
   * interrupt ends the wait; the rounds continue.
   *
   * @return the faults that have begun or ended
   * @throws IllegalStateException if the monitor is closed
   */
  public List<Change> look() {
    List<CompletableFuture<List<Change>>> rounds = new ArrayList<>();
    for (PluginId plugin : pluginsOnRecord()) {
      rounds.add(begin(plugin));
    }
    List<Change> news = new ArrayList<>();
    try {
      for (CompletableFuture<List<Change>> round : rounds) {
        news.addAll(round.get());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException unexpected) {
      throw new IllegalStateException("The health of volumes was not read.", unexpected.getCause());
    }
    return news;
  }

  /** The plugins with volumes, and those that had some: the faults of the latter must be ended. */
  private Set<PluginId> pluginsOnRecord() {
    Set<PluginId> all = new TreeSet<>();
    controller.volumes().forEach(volume -> all.add(volume.plugin()));
    lock.lock();
    try {
      if (isClosed) {
        throw new IllegalStateException("The health monitor is closed. Open another one.");
      }
      all.addAll(plugins.keySet());
    } finally {
      lock.unlock();
    }
    return all;
  }

  /** The rounds of one plugin, one at a time. */
  private static final class PluginRounds {

    private final Rounds times;
    private @Nullable CompletableFuture<List<Change>> running;
    private @Nullable CompletableFuture<List<Change>> waiting;

    /** Whether it was reported that the plugin does not answer. Used by the running round only. */
    private boolean isSilenceTold;

    /** Whether it was reported that a volume cannot be read. Used by the running round only. */
    private boolean isUnreadVolumeTold;

    /** The volume at which the last round was aborted. Used by the running round only. */
    private @Nullable VolumeKey next;

    PluginRounds(Rounds times) {
      this.times = times;
    }
  }

  private Rounds times() {
    return new Rounds(threads, Rounds.about(interval));
  }

  /** Begins a round, or plans the next one if a round is running. */
  private CompletableFuture<List<Change>> begin(PluginId plugin) {
    CompletableFuture<List<Change>> round = new CompletableFuture<>();
    PluginRounds rounds;
    lock.lock();
    try {
      rounds = plugins.computeIfAbsent(plugin, none -> new PluginRounds(times()));
      if (isClosed) {
        round.complete(List.of());
        return round;
      } else if (rounds.running != null) {
        CompletableFuture<List<Change>> next = rounds.waiting == null ? round : rounds.waiting;
        rounds.waiting = next;
        return next;
      }
      rounds.running = round;
    } finally {
      lock.unlock();
    }
    start(plugin, rounds, round);
    return round;
  }

  private void start(PluginId plugin, PluginRounds rounds, CompletableFuture<List<Change>> round) {
    try {
      threads.execute(() -> run(plugin, rounds, round));
    } catch (RejectedExecutionException | OutOfMemoryError refused) {
      // The threads are closed, or the JVM reports that the machine has no more threads.
      CompletableFuture<List<Change>> over = round;
      while (over != null) {
        CompletableFuture<List<Change>> next = ended(plugin, rounds, false);
        over.complete(List.of());
        over = next;
      }
    }
  }

  private void run(PluginId plugin, PluginRounds rounds, CompletableFuture<List<Change>> round) {
    List<Change> news = new ArrayList<>();
    boolean isAnswered = false;
    try {
      isAnswered = ask(plugin, rounds, news);
    } catch (ControllerException failed) {
      tellSilence(rounds, failed);
    } catch (RuntimeException | Error unexpected) {
      LOG.log(
          System.Logger.Level.WARNING,
          "A round of health checks ended early because of this exception.",
          unexpected);
      round.completeExceptionally(unexpected);
    }
    CompletableFuture<List<Change>> next = ended(plugin, rounds, isAnswered);
    round.complete(List.copyOf(news));
    if (next != null) {
      start(plugin, rounds, next);
    }
  }

  private @Nullable CompletableFuture<List<Change>> ended(
      PluginId plugin, PluginRounds rounds, boolean isAnswered) {
    lock.lock();
    try {
      CompletableFuture<List<Change>> next = rounds.waiting;
      rounds.running = next;
      rounds.waiting = null;
      rounds.times.ended(isAnswered);
      if (hasTimer && !isClosed) {
        rounds.times.plan(() -> beginAside(plugin));
      }
      return next;
    } finally {
      lock.unlock();
    }
  }

  private void beginAside(PluginId plugin) {
    var unused = begin(plugin);
  }

  /** Periodically begins the rounds of plugins that have got their first volume. */
  private void search() {
    begin(found());
    searches.plan(this::searchAgain);
  }

  private void searchAgain() {
    try {
      begin(found());
    } catch (ControllerException storeDown) {
      // The next search finds them.
    } finally {
      // Also after an unexpected exception of a store, which the timer logs.
      searches.plan(this::searchAgain);
    }
  }

  /** Returns the plugins with volumes whose rounds have not begun yet. */
  private Set<PluginId> found() {
    Set<PluginId> found = new TreeSet<>();
    controller.volumes().forEach(volume -> found.add(volume.plugin()));
    lock.lock();
    try {
      found.removeAll(plugins.keySet());
    } finally {
      lock.unlock();
    }
    return found;
  }

  private void begin(Set<PluginId> found) {
    found.forEach(this::beginAside);
  }

  private void tellSilence(PluginRounds rounds, ControllerException failed) {
    boolean isFirst = !rounds.isSilenceTold;
    rounds.isSilenceTold = true;
    tell(isFirst, failed);
  }

  private void tellUnreadVolume(PluginRounds rounds, ControllerException failed) {
    boolean isFirst = !rounds.isUnreadVolumeTold;
    rounds.isUnreadVolumeTold = true;
    tell(isFirst, failed);
  }

  private void tell(boolean isFirst, ControllerException failed) {
    if (isFirst && !isClosed()) {
      messages.tell(failed.operatorMessage());
    }
  }

  private boolean isClosed() {
    lock.lock();
    try {
      return isClosed;
    } finally {
      lock.unlock();
    }
  }

  // ---- one round of one plugin, on a thread that may block

  /**
   * Queries a plugin for the health of its volumes.
   *
   * @param news the faults that have begun or ended
   * @return whether the plugin has answered
   */
  private boolean ask(PluginId plugin, PluginRounds rounds, List<Change> news) {
    List<Watched> volumes =
        controller.volumes().stream()
            .filter(volume -> volume.plugin().equals(plugin))
            .map(HealthMonitor::watched)
            .toList();
    Set<Watched> now = Set.copyOf(volumes);
    tell(
        book.keepOnly(each -> !each.identity().plugin().equals(plugin) || now.contains(each)),
        news);
    if (volumes.isEmpty()) {
      return true;
    }
    Set<ControllerCapability> offered = controller.offered(plugin);
    boolean tellsConditions = offered.contains(ControllerCapability.VOLUME_CONDITION);
    if (offered.contains(ControllerCapability.LIST_VOLUME_HEALTH)) {
      readList(plugin, volumes, true, news);
    } else if (offered.contains(ControllerCapability.GET_VOLUME_HEALTH)) {
      return readEach(volumes, rounds, news);
    } else if (tellsConditions && offered.contains(ControllerCapability.LIST_VOLUMES)) {
      readList(plugin, volumes, false, news);
    } else if (tellsConditions && offered.contains(ControllerCapability.GET_VOLUME)) {
      return readEach(volumes, rounds, news);
    } else {
      // The plugin no longer reports health, or never did.
      tell(book.listed(VolumeHealth.Source.controller(), Map.of(), now, clock.wall()), news);
    }
    rounds.isSilenceTold = false;
    rounds.isUnreadVolumeTold = false;
    return true;
  }

  /**
   * Reads the complete list before any of it is applied.
   *
   * @param isOfSick whether healthy volumes are omitted
   */
  private void readList(
      PluginId plugin, Collection<Watched> volumes, boolean isOfSick, List<Change> news) {
    // Several records may have the same volume.
    Map<VolumeId, List<Watched>> known =
        volumes.stream().collect(Collectors.groupingBy(each -> each.identity().handle()));
    Map<Watched, List<VolumeHealthEntry>> list = new HashMap<>();
    for (VolumeHealthReport report : lists.apply(plugin)) {
      for (Watched volume : known.getOrDefault(report.volumeId(), List.of())) {
        list.computeIfAbsent(volume, none -> new ArrayList<>()).addAll(report.entries());
      }
    }
    // The plugin may have been upgraded meanwhile to a version that lists in the other way.
    boolean isWhole =
        isOfSick && controller.offered(plugin).contains(ControllerCapability.LIST_VOLUME_HEALTH);
    Set<Watched> asked = isWhole ? Set.copyOf(volumes) : list.keySet();
    tell(book.listed(VolumeHealth.Source.controller(), list, asked, clock.wall()), news);
  }

  /** A running query of one volume. */
  private record Asked(Watched volume, CompletableFuture<Optional<VolumeHealthReport>> answer) {}

  /**
   * Queries volume by volume. A failure does not prevent the queries of other volumes, unless
   * several in a row get no answer: then the next round begins with the first volume that was not
   * answered.
   */
  private boolean readEach(List<Watched> volumes, PluginRounds rounds, List<Change> news) {
    Deque<Asked> open = new ArrayDeque<>();
    Failures failures = new Failures();
    VolumeKey start = rounds.next;
    rounds.next = null;
    try {
      for (Watched volume : startingAt(start, volumes)) {
        if (open.size() == callsInFlight) {
          take(open.remove(), failures, news);
        }
        if (failures.unansweredInARow > callsInFlight) {
          rounds.next = volume.key();
          break;
        }
        open.add(new Asked(volume, controller.async().health(volume.key()).toCompletableFuture()));
      }
      while (!open.isEmpty() && failures.unansweredInARow <= callsInFlight) {
        take(open.remove(), failures, news);
      }
      if (!open.isEmpty()) {
        rounds.next = open.element().volume().key();
      }
    } finally {
      open.forEach(asked -> asked.answer().cancel(true));
    }
    if (failures.hasAnswers || failures.first == null) {
      rounds.isSilenceTold = false;
    }
    if (failures.first == null) {
      rounds.isUnreadVolumeTold = false;
    } else if (failures.hasAnswers || failures.unanswered == null) {
      tellUnreadVolume(rounds, failures.first);
    } else {
      tellSilence(rounds, failures.unanswered);
    }
    return failures.first == null || failures.hasAnswers;
  }

  /** Returns the volumes from a key on, followed by those before it. */
  private static List<Watched> startingAt(@Nullable VolumeKey start, List<Watched> volumes) {
    if (start == null) {
      return volumes;
    }
    return Stream.concat(
            volumes.stream().filter(each -> each.key().compareTo(start) >= 0),
            volumes.stream().filter(each -> each.key().compareTo(start) < 0))
        .toList();
  }

  /** The failures of a round. */
  private static final class Failures {
    private @Nullable ControllerException first;

    /** The first failure without an answer of the plugin. */
    private @Nullable ControllerException unanswered;

    private int unansweredInARow;
    private boolean hasAnswers;
  }

  private void take(Asked asked, Failures failures, List<Change> news) {
    Optional<VolumeHealthReport> answer;
    try {
      answer = asked.answer().get();
    } catch (ExecutionException e) {
      if (!(e.getCause() instanceof ControllerException failed)) {
        throw new IllegalStateException(e.getCause());
      }
      boolean isThere =
          controller.find(asked.volume().key()).map(HealthMonitor::watched).stream()
              .anyMatch(asked.volume()::equals);
      if (isThere) {
        note(failed, failures);
      }
      return;
    } catch (InterruptedException closing) {
      Thread.currentThread().interrupt();
      asked.answer().cancel(true);
      failures.unansweredInARow = Integer.MAX_VALUE;
      return;
    }
    failures.hasAnswers = true;
    failures.unansweredInARow = 0;
    if (answer.isPresent()) {
      tell(
          book.answered(
              asked.volume(),
              VolumeHealth.Source.controller(),
              answer.get().entries(),
              clock.wall()),
          news);
    }
  }

  private static void note(ControllerException failed, Failures failures) {
    if (failures.first == null) {
      failures.first = failed;
    }
    if (failed.code() == OperatorCode.CONTROLLER_SECRETS_MISSING
        || failed.code() == OperatorCode.CONTROLLER_BUSY) {
      // The plugin was not called.
      return;
    }
    StatusCode status = failed.status().orElse(StatusCode.UNAVAILABLE);
    if (status == StatusCode.UNAVAILABLE || status == StatusCode.DEADLINE_EXCEEDED) {
      failures.unansweredInARow++;
      if (failures.unanswered == null) {
        failures.unanswered = failed;
      }
    } else {
      failures.hasAnswers = true;
      failures.unansweredInARow = 0;
    }
  }

  private void tell(
      List<HealthBook.Change<Watched, VolumeHealth.Source, VolumeHealthEntry>> found,
      List<Change> news) {
    for (HealthBook.Change<Watched, VolumeHealth.Source, VolumeHealthEntry> each : found) {
      Change change =
          new Change(
              each.subject().key(),
              each.subject().identity(),
              finding(each.fault()),
              each.isOver());
      news.add(change);
      changes.tell(change);
    }
  }

  /**
   * Ends the running rounds, and delivers pending changes to the listener. Waits at most 5 s for
   * the rounds and 5 s for the listener. Closing again has no effect.
   */
  @Override
  public void close() {
    List<CompletableFuture<List<Change>>> waiting = new ArrayList<>();
    lock.lock();
    try {
      isClosed = true;
      searches.close();
      for (PluginRounds rounds : plugins.values()) {
        rounds.times.close();
        if (rounds.waiting != null) {
          waiting.add(rounds.waiting);
          rounds.waiting = null;
        }
      }
    } finally {
      lock.unlock();
    }
    waiting.forEach(round -> round.complete(List.of()));
    ending.run();
    hub.close(CLOSING);
  }

  /** Builder of a {@link HealthMonitor}. */
  public static final class Builder {

    private final VolumeController controller;
    private Duration interval = Duration.ofMinutes(1);
    private int callsInFlight = 2;
    private boolean hasTimer = true;
    private Consumer<Change> listener = change -> Messages.log(change.message());
    private Consumer<OperatorMessage> told = Messages::log;
    private Function<PluginId, Listing<VolumeHealthReport>> lists;

    private Builder(VolumeController controller) {
      this.controller = Objects.requireNonNull(controller, "controller");
      lists = controller::listHealth;
    }

    /**
     * Sets the approximate interval between queries of each plugin. Pauses are randomized, and grow
     * up to sixteen times while the plugin does not answer. The default is one minute.
     */
    public Builder every(Duration value) {
      interval = Durations.positive("interval", value);
      return this;
    }

    /**
     * Sets whether rounds begin on a timer. By default they do; otherwise rounds run only when
     * {@link #look} is called, for hosts with their own timers.
     */
    public Builder timer(boolean value) {
      hasTimer = value;
      return this;
    }

    /**
     * Sets the number of volumes of a plugin that are queried at the same time. The default is two.
     */
    public Builder callsInFlight(int value) {
      if (value < 1) {
        throw new IllegalArgumentException("At least one call must be allowed, not " + value + ".");
      }
      callsInFlight = value;
      return this;
    }

    /**
     * Sets the listener for the beginnings and ends of faults. It gets each fault of a volume once,
     * however often the plugin reports it. It is notified of one change at a time, in order, and
     * may block. By default, changes are logged.
     */
    public Builder listener(Consumer<Change> value) {
      listener = Objects.requireNonNull(value, "value");
      return this;
    }

    /**
     * Sets the listener for messages to people about plugins whose volumes' health is unknown: one
     * for each plugin that does not answer, until it answers; and one for each plugin with volumes
     * that cannot be read, until a complete round succeeds. By default, messages are logged.
     */
    public Builder told(Consumer<OperatorMessage> value) {
      told = Objects.requireNonNull(value, "value");
      return this;
    }

    /**
     * Sets the reference to the secrets for listing the health of all volumes of a plugin. By
     * default, these are the secrets of its volumes, if all volumes have the same. A single volume
     * is queried with its own secrets.
     */
    public Builder secretsOfLists(Function<PluginId, Optional<SecretsReference>> value) {
      Objects.requireNonNull(value, "value");
      lists = plugin -> controller.listHealth(plugin, value.apply(plugin));
      return this;
    }

    /** Opens the monitor; the first round begins immediately, unless the timer is off. */
    public HealthMonitor open() {
      OnDemandThreads threads = new OnDemandThreads(THREADS);
      return open(new SystemClock(), threads, () -> threads.stop(CLOSING));
    }

    /** Opens the monitor with this clock and these threads. */
    HealthMonitor open(Clock clock, Scheduler threads, Runnable ending) {
      return new HealthMonitor(this, clock, threads, ending);
    }
  }
}
