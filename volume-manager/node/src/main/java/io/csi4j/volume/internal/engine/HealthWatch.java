package io.csi4j.volume.internal.engine;

import io.csi4j.client.internal.time.Backoff;
import io.csi4j.client.model.HealthReason;
import io.csi4j.client.model.StorageHealthEntry;
import io.csi4j.client.model.VolumeCapability;
import io.csi4j.client.model.VolumeHealthEntry;
import io.csi4j.client.model.VolumeHealthReport;
import io.csi4j.client.node.NodeService.StorageHealth;
import io.csi4j.client.node.VolumeStats;
import io.csi4j.volume.internal.health.HealthBook;
import io.csi4j.volume.internal.health.HealthBook.Change;
import io.csi4j.volume.internal.health.HealthBook.Known;
import io.csi4j.volume.internal.lifecycle.CallMeaning;
import io.csi4j.volume.internal.lifecycle.Failure;
import io.csi4j.volume.internal.link.Answer;
import io.csi4j.volume.internal.link.PluginAnswer;
import io.csi4j.volume.internal.link.PluginAnswer.HealthOffer;
import io.csi4j.volume.internal.port.NodeCall;
import io.csi4j.volume.internal.port.NodePlugin;
import io.csi4j.volume.internal.text.ForeignText;
import io.csi4j.volume.internal.text.Messages;
import io.csi4j.volume.internal.text.Subject;
import io.csi4j.volume.internal.time.Rounds;
import io.csi4j.volume.model.MountPolicy;
import io.csi4j.volume.model.NodeName;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.StorageFinding;
import io.csi4j.volume.model.VolumeHealth;
import io.csi4j.volume.model.VolumeHealth.Finding;
import io.csi4j.volume.model.VolumeHealth.Source;
import io.csi4j.volume.model.VolumeIdentity;
import io.csi4j.volume.node.NodeClaims;
import io.csi4j.volume.node.VolumeEvent;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Collectors;

/**
 * Watches the health of volumes and of the storage behind each plugin. Each plugin with volumes on
 * this node is queried periodically, at the interval of the plugin's policy. Changes are reported
 * to listeners. Safe for use by many threads.
 */
final class HealthWatch {

  /** Maximum number of concurrent health queries to one plugin. */
  private static final int IN_FLIGHT = 2;

  private static final String OVER = "it is over: ";
  private static final Logger LOG = System.getLogger("io.csi4j.volume");

  private final EngineParts parts;
  private final VolumeIndex index;
  private final Source pluginHere;
  private final Source host;
  private final HealthBook<VolumeIdentity, Source, VolumeHealthEntry> volumes =
      new HealthBook<>(entry -> List.of(entry.number(), entry.reason()));
  private final HealthBook<PluginId, Source, StorageHealthEntry> storage =
      new HealthBook<>(entry -> List.of(entry.number(), entry.reason(), entry.capability()));
  private final ConcurrentMap<PluginId, PluginRounds> rounds = new ConcurrentHashMap<>();
  private volatile boolean closed;

  /** Creates a watch that watches no plugin yet. */
  HealthWatch(EngineParts parts, VolumeIndex index) {
    this.parts = parts;
    this.index = index;
    Optional<NodeName> node = parts.claims().terms().map(NodeClaims::node);
    pluginHere = new Source(Source.Kind.NODE, node);
    host = new Source(Source.Kind.HOST, node);
  }

  // ---- rounds

  /**
   * Handles a new or changed plugin: the plugin's next round of queries starts at most one interval
   * from now.
   */
  void changed(PluginId plugin) {
    PluginRounds there =
        isWatched(plugin) && !closed
            ? rounds.computeIfAbsent(plugin, PluginRounds::new)
            : rounds.get(plugin);
    if (there != null) {
      there.hurry();
    }
  }

  /** Returns whether the health of a plugin's volumes is watched. */
  boolean isWatched(PluginId plugin) {
    return parts
        .plugins()
        .find(plugin)
        .filter(there -> !there.policy().healthInterval().isZero())
        .isPresent();
  }

  /**
   * Queries the plugin for the faults of one volume now.
   *
   * @param then runs when the plugin has answered, or when it is clear that the plugin is not
   *     queried
   */
  void ask(VolumeQueue volume, Runnable then) {
    volume
        .plugin()
        .facts(
            answer ->
                volume.askHealth(
                    answer instanceof PluginAnswer.Up up ? up.health() : HealthOffer.NONE,
                    answer instanceof PluginAnswer.Up,
                    isTold -> then.run()));
  }

  /** Starts no more rounds. */
  void close() {
    closed = true;
    rounds.values().forEach(PluginRounds::stop);
  }

  /**
   * The rounds of health queries to one plugin. The rounds continue as long as the plugin is
   * registered. While the plugin has no volume on this node, a round sends no query.
   */
  private final class PluginRounds {

    private final PluginId plugin;
    private final ReentrantLock lock = new ReentrantLock();
    private final Rounds times;
    private boolean isPlanned;
    private long due;

    /**
     * The number of the newest planned or running round; a round with another number is outdated.
     */
    private long number;

    private boolean isGoing;

    /**
     * Whether the plugin has changed during the round. In that case the result of the round does
     * not affect the next pause.
     */
    private boolean isHurried;

    /**
     * The volumes that the round has not queried yet. Only their identities are kept, because a
     * volume may be released before it is queried.
     */
    private Iterator<VolumeIdentity> left = Collections.emptyIterator();

    private HealthOffer offer = HealthOffer.NONE;
    private Duration gap = Duration.ZERO;
    private int asked;
    private boolean isAnswered = true;

    /** Whether the next query is due, and waits only for the answer to an earlier query. */
    private boolean isDue;

    PluginRounds(PluginId plugin) {
      this.plugin = plugin;
      times = new Rounds(parts.scheduler(), pauses());
    }

    private Backoff pauses() {
      return Rounds.about(
          parts
              .plugins()
              .find(plugin)
              .map(NodePlugin::policy)
              .orElseGet(MountPolicy::defaults)
              .healthInterval());
    }

    /** Plans the next round, or makes the planned round start earlier. */
    void hurry() {
      lock.lock();
      try {
        times.restart(pauses());
        isHurried = true;
        if (isGoing) {
          return;
        }
        Duration pause = times.pause();
        if (!isPlanned || parts.clock().nanos() + pause.toNanos() < due) {
          plan(pause);
        }
      } finally {
        lock.unlock();
      }
    }

    void stop() {
      lock.lock();
      try {
        number++;
        times.close();
      } finally {
        lock.unlock();
      }
    }

    private void plan(Duration pause) {
      if (!closed) {
        long planned = ++number;
        due = parts.clock().nanos() + pause.toNanos();
        isPlanned = true;
        times.plan(pause, () -> round(planned));
      }
    }

    private void round(long round) {
      lock.lock();
      try {
        if (round != number || isGoing) {
          return;
        }
        isPlanned = false;
        isGoing = true;
        isHurried = false;
        isAnswered = true;
        asked = 0;
        left = Collections.emptyIterator();
      } finally {
        lock.unlock();
      }
      guarded(round, () -> begin(round));
    }

    /** Runs one step of a round. An exception ends this round, but not later rounds. */
    private void guarded(long round, Runnable part) {
      try {
        part.run();
      } catch (RuntimeException | Error broken) {
        LOG.log(Level.WARNING, "A round of health checks ended early.", broken);
        end(round, true);
      }
    }

    private void begin(long round) {
      List<VolumeQueue> known = index.of(plugin);
      List<VolumeIdentity> there =
          known.stream()
              .filter(volume -> volume.view().record().isPresent())
              .map(VolumeQueue::identity)
              .toList();
      Optional<NodePlugin> serving = parts.plugins().find(plugin);
      boolean isOver = !isWatched(plugin) || serving.isEmpty();
      if (isOver || known.isEmpty()) {
        known.forEach(volume -> untold(volume.identity()));
        storage.keepOnly(other -> !other.equals(plugin)).forEach(HealthWatch.this::tellOfStorage);
        end(round, !isOver);
      } else if (there.isEmpty()) {
        end(round, true);
      } else {
        serving
            .get()
            .facts(
                answer ->
                    parts
                        .scheduler()
                        .execute(
                            () -> guarded(round, () -> ask(round, serving.get(), there, answer))));
      }
    }

    private void ask(
        long round, NodePlugin serving, List<VolumeIdentity> there, PluginAnswer answer) {
      boolean asksStorage;
      lock.lock();
      try {
        if (!isGoing || round != number) {
          return;
        }
        left = there.iterator();
        gap = serving.policy().healthInterval().dividedBy(2L * there.size());
        isAnswered = answer instanceof PluginAnswer.Up;
        offer = answer instanceof PluginAnswer.Up up ? up.health() : HealthOffer.NONE;
        asksStorage = offer.storage();
      } finally {
        lock.unlock();
      }
      if (!asksStorage) {
        if (answer instanceof PluginAnswer.Up) {
          told(plugin, List.of());
        }
        goOn(round);
        return;
      }
      serving.call(
          new NodeCall.Storage(serving.storageSecrets()),
          health ->
              guarded(
                  round,
                  () -> {
                    if (health.value().orElse(null) instanceof StorageHealth known) {
                      told(plugin, known.entries());
                    }
                    count(isAnswer(health));
                    goOn(round);
                  }));
    }

    private void count(boolean isTold) {
      lock.lock();
      try {
        isAnswered &= isTold;
      } finally {
        lock.unlock();
      }
    }

    /**
     * Queries the next volume and plans the query after it, so that the queries of a round are
     * spread over half of the interval. Ends the round after the last volume.
     */
    private void goOn(long round) {
      VolumeIdentity volume = null;
      HealthOffer asking = HealthOffer.NONE;
      boolean isUp;
      boolean isOver;
      lock.lock();
      try {
        if (!isGoing || round != number) {
          return;
        }
        isOver = !left.hasNext() && asked == 0;
        isDue = left.hasNext() && asked >= IN_FLIGHT;
        // A plugin that has not answered is not queried again in this round. The mounts of the
        // other volumes are still checked.
        isUp = isAnswered;
        if (left.hasNext() && !isDue) {
          volume = left.next();
          asked++;
          asking = isUp ? offer : HealthOffer.NONE;
          if (left.hasNext()) {
            var unused = parts.scheduler().after(gap, () -> guarded(round, () -> goOn(round)));
          }
        }
      } finally {
        lock.unlock();
      }
      if (volume != null) {
        Optional<VolumeQueue> there = index.volume(volume);
        if (there.isPresent()) {
          there.get().askHealth(asking, isUp, isTold -> asked(round, isTold));
        } else {
          asked(round, true);
        }
      } else if (isOver) {
        end(round, true);
      }
    }

    private void asked(long round, boolean isTold) {
      boolean goesOn;
      lock.lock();
      try {
        if (!isGoing || round != number) {
          return;
        }
        asked--;
        isAnswered &= isTold;
        goesOn = isDue || !left.hasNext();
        isDue = false;
      } finally {
        lock.unlock();
      }
      if (goesOn) {
        parts.scheduler().execute(() -> guarded(round, () -> goOn(round)));
      }
    }

    private void end(long round, boolean goesOn) {
      lock.lock();
      try {
        if (!isGoing || round != number) {
          return;
        }
        isGoing = false;
        if (!isHurried) {
          times.ended(isAnswered);
        }
        if (goesOn || isHurried) {
          plan(times.pause());
        }
      } finally {
        lock.unlock();
      }
    }
  }

  /** Returns the faults in an answer as text; empty if the answer reports no faults. */
  static String words(Answer answer) {
    return answer.value().orElse(null) instanceof VolumeHealthReport report
        ? ForeignText.clause(
            report.entries().stream()
                .map(
                    entry ->
                        entry.fault()
                            + (entry.message().isEmpty() ? "" : ": '" + entry.message() + "'"))
                .collect(Collectors.joining(", ")))
        : "";
  }

  /** Returns whether the plugin has answered, even with an error. */
  static boolean isAnswer(Answer answer) {
    return answer.isSent()
        && switch (CallMeaning.status(answer)) {
          case DEADLINE_EXCEEDED, UNAVAILABLE, CANCELLED -> false;
          default -> true;
        };
  }

  // ---- reports

  /**
   * Handles the answer to a query about a volume.
   *
   * @return whether the plugin has answered, even with an error
   */
  boolean told(VolumeIdentity volume, Answer answer) {
    Object value = answer.value().orElse(null);
    if (value instanceof VolumeHealthReport report) {
      told(volume, pluginHere, report.entries());
    } else if (value instanceof VolumeStats stats) {
      stats
          .condition()
          .ifPresent(
              condition ->
                  told(
                      volume,
                      pluginHere,
                      condition.abnormal()
                          ? List.of(
                              VolumeHealthEntry.of(
                                  VolumeHealthEntry.Status.DEGRADED,
                                  HealthReason.of(VolumeHealth.CONDITION),
                                  condition.message()))
                          : List.of()));
    }
    return isAnswer(answer);
  }

  /**
   * Drops the reported faults of a volume because the plugin no longer reports the health of
   * volumes.
   */
  void untold(VolumeIdentity volume) {
    told(volume, pluginHere, List.of());
  }

  /** Handles the faults that this node has found at the mounts of a volume. */
  void seen(VolumeIdentity volume, List<VolumeHealthEntry> faults) {
    told(volume, host, faults);
  }

  private void told(VolumeIdentity volume, Source source, List<VolumeHealthEntry> faults) {
    volumes.answered(volume, source, faults, parts.clock().wall()).forEach(this::tell);
  }

  private void told(PluginId plugin, List<StorageHealthEntry> faults) {
    storage.answered(plugin, pluginHere, faults, parts.clock().wall()).forEach(this::tellOfStorage);
  }

  /** Ends the faults of a volume after it has been removed from this node. */
  void forget(VolumeIdentity volume) {
    volumes.forget(volume).forEach(this::tell);
  }

  private void tell(Change<VolumeIdentity, Source, VolumeHealthEntry> news) {
    Finding finding = finding(news.fault());
    parts
        .events()
        .accept(
            new VolumeEvent.VolumeHealthChanged(
                news.subject(),
                finding,
                news.isOver(),
                Messages.of(
                    news.isOver() ? OperatorCode.VOLUME_WELL_AGAIN : OperatorCode.VOLUME_ABNORMAL,
                    Subject.of("looking after", news.subject()),
                    (news.isOver() ? OVER : "") + finding.text())));
  }

  private void tellOfStorage(Change<PluginId, Source, StorageHealthEntry> news) {
    StorageFinding finding = storageFinding(news.fault());
    OperatorCode begun =
        isUnreachable(finding.entry())
            ? OperatorCode.STORAGE_UNREACHABLE
            : OperatorCode.STORAGE_DEGRADED;
    parts
        .events()
        .accept(
            new VolumeEvent.StorageHealthChanged(
                news.subject(),
                finding,
                news.isOver(),
                Messages.of(
                    news.isOver() ? OperatorCode.STORAGE_WELL_AGAIN : begun,
                    Subject.of("checking the storage of plugin '" + news.subject() + "'"),
                    (news.isOver() ? OVER : "") + finding.text())));
  }

  private static boolean isUnreachable(StorageHealthEntry entry) {
    return entry.status() == StorageHealthEntry.Status.STORAGE_UNREACHABLE;
  }

  // ---- known faults

  /** Returns the known faults of a volume. */
  VolumeHealth of(VolumeIdentity volume) {
    List<Known<Source, VolumeHealthEntry>> known = volumes.of(volume);
    return known.isEmpty()
        ? VolumeHealth.well()
        : new VolumeHealth(known.stream().map(HealthWatch::finding).toList());
  }

  /** Returns the known faults of the storage behind a plugin. */
  List<StorageFinding> ofStorage(PluginId plugin) {
    return storage.of(plugin).stream().map(HealthWatch::storageFinding).toList();
  }

  /**
   * Returns why the storage of a plugin cannot be reached for volumes with this capability; empty
   * if it can be reached or if no fault is known.
   */
  Optional<Failure> unreachable(PluginId plugin, VolumeCapability capability) {
    if (!isWatched(plugin)) {
      return Optional.empty();
    }
    return ofStorage(plugin).stream()
        .filter(finding -> isUnreachable(finding.entry()))
        .filter(finding -> concerns(finding.entry(), capability))
        .findFirst()
        .map(finding -> Failure.of(OperatorCode.STORAGE_UNREACHABLE, finding.text()));
  }

  private static boolean concerns(StorageHealthEntry entry, VolumeCapability wanted) {
    return entry
        .capability()
        .map(
            affected ->
                affected.accessMode() == wanted.accessMode()
                    && affected.isBlock() == wanted.isBlock())
        .orElse(true);
  }

  private static Finding finding(Known<Source, VolumeHealthEntry> known) {
    return new Finding(known.entry(), known.source(), known.since(), known.asOf());
  }

  private static StorageFinding storageFinding(Known<Source, StorageHealthEntry> known) {
    return new StorageFinding(known.entry(), known.since(), known.asOf());
  }
}
