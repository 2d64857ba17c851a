package io.csi4j.micrometer;

import io.csi4j.volume.manager.VolumeManager;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.node.Explanation;
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
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;

/**
 * Exposes the state of managers and registries as gauges. All gauges of a scrape share one
 * snapshot, which is at most a second old. Taking a snapshot registers gauges for new plugins and
 * for new volumes in trouble. It also removes the gauges of plugins that are not registered and
 * have no volumes, and of volumes that are healthy again.
 */
final class NodeGauges {

  private static final System.Logger LOG = System.getLogger("io.csi4j.micrometer");
  private static final long FRESH = Duration.ofSeconds(1).toNanos();

  /** The reported health of an instance without a supervisor, before the first call to it. */
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
  private final VolumeTroubles troubles;
  private final LongSupplier nanoTime;
  private final List<VolumeManager> managers = new CopyOnWriteArrayList<>();
  private final List<PluginRegistry> registries = new CopyOnWriteArrayList<>();

  /** Whether each plugin answered the last call to it, by plugin name. */
  private final Map<String, Boolean> answered = new ConcurrentHashMap<>();

  /** Guards the fields below. A thread holds this lock while it reads managers and registries. */
  private final ReentrantLock looking = new ReentrantLock();

  private Map<String, Figures> seen = Map.of();
  private final Set<String> shown = new HashSet<>();
  private VolumeTroubles.Named named = VolumeTroubles.Named.NONE;
  private int plugins;
  private long lookedAt;
  private boolean isStale = true;

  /** The numbers for one value of the tag {@code plugin}. */
  private static final class Figures {
    private final Map<PathStatus, Long> uses = new EnumMap<>(PathStatus.class);
    private final Map<String, Long> instances = new HashMap<>();
    private long volumes;
    private long doubted;
    private long owed;
    private long troubled;
    private long unwell;
    private long storageFaults;

    void add(VolumeStatus status, VolumeSigns signs) {
      status.uses().forEach(use -> uses.merge(use.status(), 1L, Long::sum));
      volumes++;
      doubted += signs.isDoubted() ? 1 : 0;
      owed += signs.isOwed() ? 1 : 0;
      troubled += signs.isTroubled() ? 1 : 0;
      unwell += signs.isUnwell() ? 1 : 0;
    }
  }

  NodeGauges(Meters meters, PluginTags tags, VolumeTroubles troubles, LongSupplier nanoTime) {
    this.meters = meters;
    this.tags = tags;
    this.troubles = troubles;
    this.nanoTime = nanoTime;
  }

  /** Begins to watch a manager. Closing the returned object ends the watch. */
  AutoCloseable watch(VolumeManager manager) {
    managers.add(manager);
    AutoCloseable itsPlugins = watch(manager.plugins());
    return () -> {
      managers.remove(manager);
      itsPlugins.close();
    };
  }

  /** Begins to watch a registry. Closing the returned object ends the watch. */
  AutoCloseable watch(PluginRegistry registry) {
    registries.add(registry);
    meters.gauge(CsiMeter.PLUGINS, this::plugins);
    meters.gauge(CsiMeter.TROUBLE_OMITTED, () -> looked(() -> named.omitted()));
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

  /** Stops watching all managers and registries. */
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

  private Number looked(Supplier<Number> figure) {
    looking.lock();
    try {
      if (isStale || nanoTime.getAsLong() - lookedAt > FRESH) {
        look();
      }
      return figure.get();
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
    lookedAt = nanoTime.getAsLong();
    VolumeTroubles.Look look = troubles.look(lookedAt);
    for (VolumeManager manager : managers) {
      look(manager, look, found, all);
    }
    answered.keySet().removeIf(plugin -> !all.contains(PluginId.of(plugin)));
    seen = found;
    plugins = all.size();
    isStale = false;
    show(look.named());
    found.keySet().stream().filter(shown::add).forEach(this::show);
    shown.stream().filter(plugin -> !found.containsKey(plugin)).toList().forEach(this::hide);
  }

  /**
   * Returns the health of an instance. An instance without a supervisor is never probed, so the
   * last call to it determines its health.
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

  private void look(
      VolumeManager manager,
      VolumeTroubles.Look look,
      Map<String, Figures> found,
      Set<PluginId> all) {
    try {
      Set<PluginId> its = new TreeSet<>();
      for (Explanation.Explained volume : manager.explain().volumes()) {
        volume
            .status()
            .ifPresent(
                status -> {
                  VolumeSigns signs = VolumeSigns.of(status);
                  its.add(status.plugin());
                  figures(found, status.plugin()).add(status, signs);
                  look.add(manager, volume, status, signs);
                });
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

  /**
   * Registers gauges for the volumes in trouble, and removes the gauges of volumes that are healthy
   * again.
   */
  private void show(VolumeTroubles.Named next) {
    VolumeTroubles.Named before = named;
    named = next;
    for (List<String> values : before.seconds().keySet()) {
      if (!next.seconds().containsKey(values)) {
        meters.remove(CsiMeter.TROUBLE, values.toArray(String[]::new));
      }
    }
    for (List<String> values : next.seconds().keySet()) {
      meters.gauge(
          CsiMeter.TROUBLE,
          () -> looked(() -> named.seconds().getOrDefault(values, Double.NaN)),
          values.toArray(String[]::new));
    }
  }

  private void hide(String plugin) {
    shown.remove(plugin);
    PLAIN.keySet().forEach(meter -> meters.remove(meter, plugin));
    statuses().forEach(status -> meters.remove(CsiMeter.USES, plugin, word(status.name())));
    healths().forEach(health -> meters.remove(CsiMeter.INSTANCES, plugin, health));
  }

  /**
   * Returns the possible states of a use. This is a method and not a constant, because a host
   * without the volume manager does not have the class {@code PathStatus}.
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
