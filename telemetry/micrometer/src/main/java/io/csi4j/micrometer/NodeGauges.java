package io.csi4j.micrometer;

import io.csi4j.volume.manager.VolumeManager;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.node.PathStatus;
import io.csi4j.volume.node.VolumeStatus;
import io.csi4j.volume.plugin.PluginHealth;
import io.csi4j.volume.plugin.PluginRegistry;
import io.csi4j.volume.plugin.RegisteredPlugin;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;

/**
 * Exposes the state of managers and registries as gauges. All gauges of a scrape share one
 * snapshot, which is at most a second old. Taking a snapshot registers gauges for new plugins, and
 * removes those of plugins that are neither registered nor have volumes.
 */
final class NodeGauges {

  private static final System.Logger LOG = System.getLogger("io.csi4j.micrometer");
  private static final long FRESH = Duration.ofSeconds(1).toNanos();

  /** Health of an instance without a supervisor, before its first call. */
  private static final String NOT_ASKED = "not_asked";

  private static final Map<CsiMeter, ToLongFunction<Figures>> PLAIN =
      Map.of(
          CsiMeter.VOLUMES, figures -> figures.volumes,
          CsiMeter.DOUBTED, figures -> figures.doubted,
          CsiMeter.OWED, figures -> figures.owed,
          CsiMeter.TROUBLED, figures -> figures.troubled,
          CsiMeter.UNWELL, figures -> figures.unwell,
          CsiMeter.STORAGE_FAULTS, figures -> figures.storageFaults);

  private final Meters meters;
  private final PluginTags tags;
  private final LongSupplier nanoTime;
  private final List<VolumeManager> managers = new CopyOnWriteArrayList<>();
  private final List<PluginRegistry> registries = new CopyOnWriteArrayList<>();

  /** Whether each plugin answered its last call, as reported to listeners. */
  private final Map<String, Boolean> answered = new ConcurrentHashMap<>();

  /** Guards the fields below. Held while managers and registries are read. */
  private final ReentrantLock looking = new ReentrantLock();

  private Map<String, Figures> seen = Map.of();
  private final Set<String> shown = new HashSet<>();
  private int plugins;
  private long lookedAt;
  private boolean isStale = true;

  /** The numbers of one value of the tag {@code plugin}. */
  private static final class Figures {
    private final Map<PathStatus, Long> uses = new EnumMap<>(PathStatus.class);
    private final Map<String, Long> instances = new HashMap<>();
    private long volumes;
    private long doubted;
    private long owed;
    private long troubled;
    private long unwell;
    private long storageFaults;

    void add(VolumeStatus status) {
      Set<PathStatus> paths = new HashSet<>();
      paths.add(status.staging());
      for (VolumeStatus.Use use : status.uses()) {
        paths.add(use.status());
        uses.merge(use.status(), 1L, Long::sum);
      }
      volumes++;
      doubted += paths.contains(PathStatus.IN_DOUBT) ? 1 : 0;
      owed += isOwed(status, paths) ? 1 : 0;
      troubled += status.trouble().isPresent() ? 1 : 0;
      unwell += status.health().isWell() ? 0 : 1;
    }

    private static boolean isOwed(VolumeStatus status, Set<PathStatus> paths) {
      return paths.contains(PathStatus.GOING)
          || !status.leaving().isEmpty()
          || (status.uses().isEmpty() && status.staging() != PathStatus.NONE);
    }
  }

  NodeGauges(Meters meters, PluginTags tags, LongSupplier nanoTime) {
    this.meters = meters;
    this.tags = tags;
    this.nanoTime = nanoTime;
  }

  /** Includes a manager from now on; the returned object ends that. */
  AutoCloseable watch(VolumeManager manager) {
    managers.add(manager);
    AutoCloseable itsPlugins = watch(manager.plugins());
    return () -> {
      managers.remove(manager);
      itsPlugins.close();
    };
  }

  /** Includes a registry from now on; the returned object ends that. */
  AutoCloseable watch(PluginRegistry registry) {
    registries.add(registry);
    meters.gauge(CsiMeter.PLUGINS, this::plugins);
    again();
    return () -> {
      registries.remove(registry);
      again();
    };
  }

  /** Records whether a plugin has answered a call. */
  void called(String plugin, boolean isAnswered) {
    answered.put(plugin, isAnswered);
  }

  /** Stops watching all control planes. */
  void close() {
    managers.clear();
    registries.clear();
    answered.clear();
  }

  private Number plugins() {
    return looked(() -> plugins);
  }

  private Number figure(String plugin, ToLongFunction<Figures> figure) {
    return looked(
        () -> {
          Figures known = seen.get(plugin);
          return known == null ? 0 : figure.applyAsLong(known);
        });
  }

  private void again() {
    looking.lock();
    try {
      isStale = true;
      look();
    } finally {
      looking.unlock();
    }
  }

  private Number looked(LongSupplier figure) {
    looking.lock();
    try {
      if (isStale || nanoTime.getAsLong() - lookedAt > FRESH) {
        look();
      }
      return figure.getAsLong();
    } finally {
      looking.unlock();
    }
  }

  private void look() {
    Map<String, Figures> found = new TreeMap<>();
    Set<PluginId> all = new TreeSet<>();
    for (PluginRegistry registry : registries) {
      for (RegisteredPlugin instance : registry.plugins()) {
        all.add(instance.registration().id());
        figures(found, instance.registration().id())
            .instances
            .merge(health(instance), 1L, Long::sum);
      }
    }
    for (VolumeManager manager : managers) {
      look(manager, found, all);
    }
    answered.keySet().removeIf(plugin -> !all.contains(PluginId.of(plugin)));
    seen = found;
    plugins = all.size();
    lookedAt = nanoTime.getAsLong();
    isStale = false;
    found.keySet().stream().filter(shown::add).forEach(this::show);
    shown.stream().filter(plugin -> !found.containsKey(plugin)).toList().forEach(this::hide);
  }

  /**
   * Returns the health of an instance. An instance without a supervisor is never probed: its last
   * call determines its health.
   */
  private String health(RegisteredPlugin instance) {
    PluginHealth health = instance.health();
    if (instance.remembered() || health.reason() != PluginHealth.Reason.NOT_ASKED) {
      return word(health.state().name());
    }
    Boolean isAnswered = answered.get(instance.registration().id().value());
    return isAnswered == null
        ? NOT_ASKED
        : word((isAnswered ? PluginHealth.State.READY : PluginHealth.State.UNHEALTHY).name());
  }

  private void look(VolumeManager manager, Map<String, Figures> found, Set<PluginId> all) {
    try {
      Set<PluginId> its = new TreeSet<>();
      for (VolumeStatus status : manager.volumes()) {
        its.add(status.plugin());
        figures(found, status.plugin()).add(status);
      }
      for (PluginId plugin : its) {
        figures(found, plugin).storageFaults += manager.storageHealth(plugin).size();
      }
      all.addAll(its);
    } catch (RuntimeException unreadable) {
      LOG.log(Level.DEBUG, "The volumes of a manager could not be read.", unreadable);
    }
  }

  private Figures figures(Map<String, Figures> found, PluginId plugin) {
    return found.computeIfAbsent(tags.of(plugin.value()), absent -> new Figures());
  }

  private void show(String plugin) {
    PLAIN.forEach((meter, figure) -> meters.gauge(meter, () -> figure(plugin, figure), plugin));
    for (PathStatus status : statuses()) {
      meters.gauge(
          CsiMeter.USES,
          () -> figure(plugin, figures -> figures.uses.getOrDefault(status, 0L)),
          plugin,
          word(status.name()));
    }
    for (String health : healths()) {
      meters.gauge(
          CsiMeter.INSTANCES,
          () -> figure(plugin, figures -> figures.instances.getOrDefault(health, 0L)),
          plugin,
          health);
    }
  }

  private void hide(String plugin) {
    shown.remove(plugin);
    PLAIN.keySet().forEach(meter -> meters.remove(meter, plugin));
    statuses().forEach(status -> meters.remove(CsiMeter.USES, plugin, word(status.name())));
    healths().forEach(health -> meters.remove(CsiMeter.INSTANCES, plugin, health));
  }

  /**
   * Returns the possible states of a use. This is not a constant, because a host without volumes
   * does not have the class.
   */
  private static List<PathStatus> statuses() {
    return List.of(PathStatus.IN_DOUBT, PathStatus.PRESENT, PathStatus.GOING, PathStatus.DEAD);
  }

  private static List<String> healths() {
    return Stream.concat(
            Stream.of(NOT_ASKED),
            Stream.of(PluginHealth.State.values()).map(state -> word(state.name())))
        .toList();
  }

  private static String word(String name) {
    return name.toLowerCase(Locale.ROOT);
  }
}
