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
 * Watches what storage systems say of the health of volumes: of those that a {@link
 * VolumeController} has on record, plugin by plugin. It tells what begins and what ends, and
 * repairs nothing.
 *
 * <p>A plugin is asked in the way that it offers: for a list of what is not well, volume by volume,
 * or, before CSI 1.13, for the conditions of its volumes. A volume is believed to be well again
 * after two whole lists without its fault, or after one answer about that volume alone. A round in
 * which the plugin does not answer changes nothing; that is told once, until it answers again.
 *
 * <p>Plugins are asked beside each other: one that hangs delays no other. Safe for many threads.
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

  /** Guards the rounds and the timers. Not held during a call, or while listeners are told. */
  private final ReentrantLock lock = new ReentrantLock();

  private final Map<PluginId, PluginRounds> plugins = new HashMap<>();
  private final Rounds searches;
  private boolean isClosed;

  /** A volume on record: made again under the same key, it is another one. */
  private record Watched(VolumeKey key, VolumeIdentity identity) {}

  /**
   * News of one volume.
   *
   * @param volume the host's key of the volume
   * @param identity the plugin, and the volume as the plugin names it
   * @param finding what is wrong, or was
   * @param isOver whether it is over; it has begun otherwise
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
          (isOver ? "it is over: " : "") + finding.text());
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

  /** A monitor of the volumes of this controller that is not open yet. */
  public static Builder builder(VolumeController controller) {
    return new Builder(controller);
  }

  // ---- questions

  /** Returns what is known to be wrong with a volume, as of the last rounds. */
  public VolumeHealth health(VolumeKey volume) {
    return controller
        .find(volume)
        .map(HealthMonitor::watched)
        .map(this::health)
        .orElseGet(VolumeHealth::well);
  }

  /** Returns the volumes of which it is known that something is wrong, in the order of keys. */
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
   * Asks all plugins once, and waits until each has answered or failed. The listener is told of the
   * changes too. Where a round of a plugin is under way, the next one is waited for. An interrupt
   * ends the waiting, and the rounds go on.
   *
   * @return what has begun and what is over
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

  /** Those with volumes, and those that had some: what was wrong with these has to end. */
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

    /** Whether it was told that the plugin gives no answer. Used by the running round only. */
    private boolean isSilenceTold;

    /** Whether it was told that a volume cannot be read. Used by the running round only. */
    private boolean isUnreadVolumeTold;

    /** The volume at which the last round was broken off. Used by the running round only. */
    private @Nullable VolumeKey next;

    PluginRounds(Rounds times) {
      this.times = times;
    }
  }

  private Rounds times() {
    return new Rounds(threads, Rounds.about(interval));
  }

  /** Begins a round; or the next one, if one is under way. */
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
      // The runner is closed, or the JVM reports that the machine has no more threads.
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
          "A round of the health of volumes ended early. Look for the cause.",
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

  /** Begins the rounds of plugins that have got their first volume, again and again. */
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

  /** Returns the plugins with volumes that have no rounds yet. */
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

  // ---- one round of one plugin, on a thread that is there for it

  /**
   * Asks a plugin about its volumes.
   *
   * @param news what has begun and what is over
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
      // It says nothing of health any more, or never did.
      tell(book.listed(VolumeHealth.Source.controller(), Map.of(), now, clock.wall()), news);
    }
    rounds.isSilenceTold = false;
    rounds.isUnreadVolumeTold = false;
    return true;
  }

  /**
   * Reads the whole list before anything of it is believed.
   *
   * @param isOfSick whether volumes that are well are left out
   */
  private void readList(
      PluginId plugin, Collection<Watched> volumes, boolean isOfSick, List<Change> news) {
    // Several records may be of one volume.
    Map<VolumeId, List<Watched>> known =
        volumes.stream().collect(Collectors.groupingBy(each -> each.identity().handle()));
    Map<Watched, List<VolumeHealthEntry>> list = new HashMap<>();
    for (VolumeHealthReport report : lists.apply(plugin)) {
      for (Watched volume : known.getOrDefault(report.volumeId(), List.of())) {
        list.computeIfAbsent(volume, none -> new ArrayList<>()).addAll(report.entries());
      }
    }
    // The plugin may have become another version meanwhile, which lists in the other way.
    boolean isWhole =
        isOfSick && controller.offered(plugin).contains(ControllerCapability.LIST_VOLUME_HEALTH);
    Set<Watched> asked = isWhole ? Set.copyOf(volumes) : list.keySet();
    tell(book.listed(VolumeHealth.Source.controller(), list, asked, clock.wall()), news);
  }

  /** A question about one volume that is under way. */
  private record Asked(Watched volume, CompletableFuture<Optional<VolumeHealthReport>> answer) {}

  /**
   * Asks volume by volume. One that fails does not keep the others from being asked, unless several
   * in a row get no answer at all: the next round begins with the first that was not heard then.
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

  /** Returns the volumes from a key on, and then those before it. */
  private static List<Watched> startingAt(@Nullable VolumeKey start, List<Watched> volumes) {
    if (start == null) {
      return volumes;
    }
    return Stream.concat(
            volumes.stream().filter(each -> each.key().compareTo(start) >= 0),
            volumes.stream().filter(each -> each.key().compareTo(start) < 0))
        .toList();
  }

  /** How the questions of a round have ended. */
  private static final class Failures {
    private @Nullable ControllerException first;

    /** The first that came without an answer of the plugin. */
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
   * Ends the rounds that are under way, and tells the listener what it was not told yet. Waits 5 s
   * for the rounds and 5 s for the listener at most. Doing it twice is harmless.
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

  /** Collects what a monitor is opened with. */
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
     * How often each plugin is asked, about: the pauses are spread at random, and become longer, up
     * to sixteen times, while the plugin does not answer. A minute by default.
     */
    public Builder every(Duration value) {
      interval = Durations.positive("interval", value);
      return this;
    }

    /**
     * Sets whether rounds begin on a timer. They do by default; else only when {@link #look} is
     * called, for hosts that have their own timers.
     */
    public Builder timer(boolean value) {
      hasTimer = value;
      return this;
    }

    /** How many volumes of a plugin are asked about at the same time. Two by default. */
    public Builder callsInFlight(int value) {
      if (value < 1) {
        throw new IllegalArgumentException(
            "At least one call has to be possible, not " + value + ".");
      }
      callsInFlight = value;
      return this;
    }

    /**
     * Sets the listener for what begins and what ends: each fault of a volume once, however often
     * it is told. It is told one change at a time, in order, and may block. Logged by default.
     */
    public Builder listener(Consumer<Change> value) {
      listener = Objects.requireNonNull(value, "value");
      return this;
    }

    /**
     * Sets the listener for messages to people about plugins that do not say how their volumes are:
     * one for each plugin that gives no answer, until it gives one; and one for each plugin with
     * volumes that cannot be read, until a whole round succeeds. Logged by default.
     */
    public Builder told(Consumer<OperatorMessage> value) {
      told = Objects.requireNonNull(value, "value");
      return this;
    }

    /**
     * Says where the secrets are with which the health of all volumes of a plugin is listed. By
     * default they are those of its volumes, if all of these have the same. A single volume is
     * asked about with its own secrets.
     */
    public Builder secretsOfLists(Function<PluginId, Optional<SecretsReference>> value) {
      Objects.requireNonNull(value, "value");
      lists = plugin -> controller.listHealth(plugin, value.apply(plugin));
      return this;
    }

    /** Opens it; the first round begins at once, unless it looks only when it is asked to. */
    public HealthMonitor open() {
      OnDemandThreads threads = new OnDemandThreads(THREADS);
      return open(new SystemClock(), threads, () -> threads.stop(CLOSING));
    }

    /** Opens it in this time, on these threads. */
    HealthMonitor open(Clock clock, Scheduler threads, Runnable ending) {
      return new HealthMonitor(this, clock, threads, ending);
    }
  }
}
