package io.csi4j.volume.internal.engine;

import io.csi4j.client.model.HealthReason;
import io.csi4j.client.model.StatusCode;
import io.csi4j.client.model.StorageHealthEntry;
import io.csi4j.client.model.VolumeCapability;
import io.csi4j.client.model.VolumeHealthEntry;
import io.csi4j.client.model.VolumeHealthReport;
import io.csi4j.client.node.StorageHealth;
import io.csi4j.client.node.VolumeStats;
import io.csi4j.volume.internal.health.HealthBook;
import io.csi4j.volume.internal.health.HealthBook.Change;
import io.csi4j.volume.internal.health.HealthBook.Known;
import io.csi4j.volume.internal.health.HealthPace;
import io.csi4j.volume.internal.lifecycle.Failure;
import io.csi4j.volume.internal.link.Answer;
import io.csi4j.volume.internal.link.PluginAnswer;
import io.csi4j.volume.internal.link.PluginAnswer.HealthOffer;
import io.csi4j.volume.internal.port.NodeCall;
import io.csi4j.volume.internal.port.NodePlugin;
import io.csi4j.volume.internal.text.Messages;
import io.csi4j.volume.internal.text.Subject;
import io.csi4j.volume.internal.time.Scheduler.Timer;
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
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The health of volumes and of the storage behind each plugin. A plugin with volumes on this node
 * is asked in rounds, at the interval of its policy; changes are told. Safe for many threads.
 */
final class HealthWatch {

  /** Maximum number of volumes of a plugin that are asked about at a time. */
  private static final int IN_FLIGHT = 2;

  private final EngineParts parts;
  private final Function<PluginId, List<VolumeQueue>> volumesOf;
  private final Source pluginHere;
  private final Source host;
  private final HealthBook<VolumeIdentity, Source, VolumeHealthEntry> volumes =
      new HealthBook<>(entry -> List.of(entry.number(), entry.reason()));
  private final HealthBook<PluginId, Source, StorageHealthEntry> storage =
      new HealthBook<>(entry -> List.of(entry.number(), entry.reason(), entry.capability()));
  private final ConcurrentMap<PluginId, Rounds> rounds = new ConcurrentHashMap<>();
  private volatile boolean closed;

  /**
   * No plugin is watched yet.
   *
   * @param volumesOf the volumes of a plugin
   */
  HealthWatch(EngineParts parts, Function<PluginId, List<VolumeQueue>> volumesOf) {
    this.parts = parts;
    this.volumesOf = volumesOf;
    Optional<NodeName> node = parts.claims().terms().map(NodeClaims::node);
    pluginHere = new Source(Source.Kind.NODE, node);
    host = new Source(Source.Kind.HOST, node);
  }

  // ---- rounds

  /** Watches a plugin that has a volume here; does nothing if it is watched. */
  void begin(PluginId plugin) {
    if (!closed && isWatched(plugin)) {
      rounds.computeIfAbsent(plugin, Rounds::new).begin();
    }
  }

  /** A plugin has changed: the pauses are not longer than the interval any more. */
  void changed(PluginId plugin) {
    Rounds there = rounds.get(plugin);
    if (there != null) {
      there.hurry();
    } else if (!volumesOf.apply(plugin).isEmpty()) {
      begin(plugin);
    }
  }

  /** Whether the health of a plugin's volumes is looked at. */
  boolean isWatched(PluginId plugin) {
    return parts
        .plugins()
        .find(plugin)
        .filter(there -> !there.policy().healthInterval().isZero())
        .isPresent();
  }

  /**
   * Asks about one volume now.
   *
   * @param then told when the plugin has answered, or is not asked
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

  /** Begins no more rounds. */
  void close() {
    closed = true;
    rounds.values().forEach(Rounds::stop);
  }

  /** The rounds of questions to one plugin. */
  private final class Rounds {

    private final PluginId plugin;
    private final ReentrantLock lock = new ReentrantLock();
    private HealthPace pace;
    private @Nullable Timer next;
    private boolean isGoing;
    private Iterator<VolumeQueue> left = List.<VolumeQueue>of().iterator();
    private HealthOffer offer = HealthOffer.NONE;
    private Duration gap = Duration.ZERO;
    private int asked;
    private boolean isAnswered;

    /** Whether the next volume waits only for an answer about another one. */
    private boolean isDue;

    Rounds(PluginId plugin) {
      this.plugin = plugin;
      pace = pace();
    }

    private HealthPace pace() {
      return new HealthPace(
          parts
              .plugins()
              .find(plugin)
              .map(NodePlugin::policy)
              .orElseGet(MountPolicy::defaults)
              .healthInterval());
    }

    void begin() {
      lock.lock();
      try {
        if (!isGoing && next == null) {
          plan();
        }
      } finally {
        lock.unlock();
      }
    }

    void hurry() {
      lock.lock();
      try {
        pace = pace();
        if (next != null) {
          next.cancel();
          plan();
        }
      } finally {
        lock.unlock();
      }
    }

    void stop() {
      lock.lock();
      try {
        if (next != null) {
          next.cancel();
        }
      } finally {
        lock.unlock();
      }
    }

    private void plan() {
      if (!closed) {
        next = parts.scheduler().after(pace.next(parts.scheduler().random()), this::round);
      }
    }

    private void round() {
      List<VolumeQueue> known = volumesOf.apply(plugin);
      List<VolumeQueue> there =
          known.stream().filter(volume -> volume.view().record().isPresent()).toList();
      forgetOthers(plugin, there);
      lock.lock();
      try {
        next = null;
        isGoing = true;
      } finally {
        lock.unlock();
      }
      Optional<NodePlugin> serving = parts.plugins().find(plugin);
      if (known.isEmpty() || !isWatched(plugin) || serving.isEmpty()) {
        end(false);
        return;
      } else if (there.isEmpty()) {
        end(true);
        return;
      }
      serving
          .get()
          .facts(answer -> parts.scheduler().execute(() -> ask(serving.get(), there, answer)));
    }

    private void ask(NodePlugin serving, List<VolumeQueue> there, PluginAnswer answer) {
      lock.lock();
      try {
        left = there.iterator();
        gap = serving.policy().healthInterval().dividedBy(2L * there.size());
        asked = 0;
        isAnswered = answer instanceof PluginAnswer.Up;
        offer = answer instanceof PluginAnswer.Up up ? up.health() : HealthOffer.NONE;
      } finally {
        lock.unlock();
      }
      if (answer instanceof PluginAnswer.Up && !offer.storage()) {
        told(plugin, List.of());
      }
      if (!offer.storage()) {
        goOn();
        return;
      }
      serving.call(
          new NodeCall.Storage(serving.storageSecrets()),
          health -> {
            boolean isTold = isAnswer(health);
            if (health instanceof Answer.Ok ok
                && ok.value().orElse(null) instanceof StorageHealth known) {
              told(plugin, known.entries());
            }
            lock.lock();
            try {
              isAnswered &= isTold;
            } finally {
              lock.unlock();
            }
            goOn();
          });
    }

    /**
     * Asks about the next volume, and plans the one after it: the questions of a round are spread
     * over half of the interval. Ends the round after the last.
     */
    private void goOn() {
      VolumeQueue volume = null;
      HealthOffer asking = HealthOffer.NONE;
      boolean isUp;
      boolean isOver;
      lock.lock();
      try {
        isOver = !left.hasNext() && asked == 0;
        isDue = left.hasNext() && asked >= IN_FLIGHT;
        // A plugin that does not answer is not asked further; its mounts are looked at anyway.
        isUp = isAnswered;
        if (left.hasNext() && !isDue) {
          volume = left.next();
          asked++;
          asking = isUp ? offer : HealthOffer.NONE;
          if (left.hasNext()) {
            var unused = parts.scheduler().after(gap, this::goOn);
          }
        }
      } finally {
        lock.unlock();
      }
      if (volume != null) {
        volume.askHealth(asking, isUp, this::asked);
      } else if (isOver) {
        end(true);
      }
    }

    private void asked(boolean isTold) {
      boolean goesOn;
      lock.lock();
      try {
        asked--;
        isAnswered &= isTold;
        goesOn = isDue || !left.hasNext();
      } finally {
        lock.unlock();
      }
      if (goesOn) {
        parts.scheduler().execute(this::goOn);
      }
    }

    private void end(boolean goesOn) {
      lock.lock();
      try {
        if (!isGoing) {
          return;
        }
        isGoing = false;
        pace.ended(isAnswered);
        if (goesOn) {
          plan();
        } else {
          rounds.remove(plugin, this);
        }
      } finally {
        lock.unlock();
      }
      if (!goesOn && !volumesOf.apply(plugin).isEmpty()) {
        // A volume has come meanwhile, and found these rounds still going.
        HealthWatch.this.begin(plugin);
      }
    }
  }

  /** Returns the faults that an answer tells, in words; nothing if it tells none. */
  static String words(Answer answer) {
    return answer instanceof Answer.Ok ok
            && ok.value().orElse(null) instanceof VolumeHealthReport report
        ? report.entries().stream()
            .map(
                entry ->
                    VolumeHealth.what(entry)
                        + (entry.message().isEmpty() ? "" : ": '" + entry.message() + "'"))
            .collect(Collectors.joining(", "))
        : "";
  }

  /** Whether a plugin has answered, be it with an error. */
  static boolean isAnswer(Answer answer) {
    return !(answer instanceof Answer.Failed failed)
        || (failed.sent()
            && failed.code() != StatusCode.DEADLINE_EXCEEDED
            && failed.code() != StatusCode.UNAVAILABLE
            && failed.code() != StatusCode.CANCELLED);
  }

  // ---- what is told

  /**
   * Takes in the answer to a question about a volume.
   *
   * @return whether the plugin has answered at all
   */
  boolean told(VolumeIdentity volume, Answer answer) {
    if (answer instanceof Answer.Ok ok) {
      Object value = ok.value().orElse(null);
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
    }
    return isAnswer(answer);
  }

  /** The plugin has no words for the health of a volume: earlier ones do not hold any more. */
  void untold(VolumeIdentity volume) {
    told(volume, pluginHere, List.of());
  }

  /** Takes in the faults of the mounts of a volume that were seen. */
  void seen(VolumeIdentity volume, List<VolumeHealthEntry> faults) {
    told(volume, host, faults);
  }

  private void told(VolumeIdentity volume, Source source, List<VolumeHealthEntry> faults) {
    volumes.answered(volume, source, faults, parts.clock().wall()).forEach(this::tell);
  }

  private void told(PluginId plugin, List<StorageHealthEntry> faults) {
    storage.answered(plugin, pluginHere, faults, parts.clock().wall()).forEach(this::tellOfStorage);
  }

  private void forgetOthers(PluginId plugin, List<VolumeQueue> there) {
    List<VolumeIdentity> kept = there.stream().map(VolumeQueue::identity).toList();
    volumes
        .keepOnly(volume -> !volume.plugin().equals(plugin) || kept.contains(volume))
        .forEach(this::tell);
    if (there.isEmpty()) {
      storage.keepOnly(other -> !other.equals(plugin)).forEach(this::tellOfStorage);
    }
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
                    finding.text())));
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
                    Subject.of("looking after the storage of plugin '" + news.subject() + "'"),
                    finding.text())));
  }

  private static boolean isUnreachable(StorageHealthEntry entry) {
    return entry.status() == StorageHealthEntry.Status.STORAGE_UNREACHABLE;
  }

  // ---- what is known

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

  /** Returns why a new mount is refused, if the policy refuses it for an unreachable storage. */
  Optional<Failure> refusal(NodePlugin plugin, PluginId id, VolumeCapability capability) {
    if (!plugin.policy().refuseUnreachableStorage()) {
      return Optional.empty();
    }
    return ofStorage(id).stream()
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
