package io.csi4j.micrometer;

import io.csi4j.client.model.CsiListener;
import io.csi4j.volume.claim.ClaimEvent;
import io.csi4j.volume.controller.ControlPlaneStatus;
import io.csi4j.volume.controller.ControllerEvent;
import io.csi4j.volume.controller.VolumeController;
import io.csi4j.volume.manager.VolumeManager;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.node.VolumeEvent;
import io.csi4j.volume.plugin.PluginEvent;
import io.csi4j.volume.plugin.PluginRegistry;
import io.csi4j.volume.store.RecordStore;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * The metrics of csi4j in a Micrometer registry: timers of calls, operations, claims and stores,
 * gauges of volumes, plugins and control planes. A host passes the listeners to the objects that it
 * opens, and has the metrics watch the manager:
 *
 * <pre>{@code
 * CsiMetrics metrics = CsiMetrics.bindTo(registry); // one for a registry
 * ConnectOptions options =
 *     ConnectOptions.builder().listener(metrics.calls(plugin.value())).build();
 * VolumeManager manager =
 *     VolumeManager.builder(directory)
 *         .listener(metrics.volumes())
 *         .plugin(PluginBinding.builder(plugin, endpoint).connectOptions(options).build())
 *         .open();
 * metrics.watch(manager); // volumes, uses, what is owed and in doubt, plugins
 * }</pre>
 *
 * <p>A tag is the name of a plugin, a call or an operation, or a value or code that csi4j defines:
 * never a plugin's id of a volume, a path, or free text. Plugins beyond a bound share one value.
 * The host's names of volumes and workloads are in one meter only, {@code csi4j.volume.trouble},
 * which has a bounded number of volumes in trouble and no healthy ones. Safe for use by many
 * threads.
 *
 * @since 1.0
 */
public final class CsiMetrics implements AutoCloseable {

  /** Default maximum number of plugins with their own value of the tag {@code plugin}. */
  public static final int MOST_PLUGINS = 100;

  /** Default maximum number of volumes in trouble that are named. */
  public static final int MOST_VOLUMES = 20;

  /** Age below which an uncertain result or a pending release is a call that just runs. */
  static final Duration ORDINARY = Duration.ofSeconds(10);

  private final Meters meters;
  private final PluginTags plugins;
  private final NodeGauges gauges;
  private final ControllerGauges controllers;

  private CsiMetrics(
      MeterRegistry registry,
      int mostPlugins,
      int mostVolumes,
      Duration ordinary,
      LongSupplier nanoTime) {
    meters = new Meters(Objects.requireNonNull(registry, "registry"));
    plugins = new PluginTags(mostPlugins);
    gauges =
        new NodeGauges(
            meters, plugins, new VolumeTroubles(plugins, mostVolumes, ordinary), nanoTime);
    controllers = new ControllerGauges(meters, nanoTime);
  }

  /**
   * Binds metrics to this registry, with at most {@link #MOST_PLUGINS} names of plugins and {@link
   * #MOST_VOLUMES} names of volumes in trouble.
   */
  public static CsiMetrics bindTo(MeterRegistry registry) {
    return bindTo(registry, MOST_PLUGINS);
  }

  /**
   * Binds metrics to this registry, with at most {@link #MOST_VOLUMES} names of volumes in trouble.
   *
   * @param mostPlugins the maximum number of plugins with their own value of the tag {@code
   *     plugin}; all further plugins share {@code other}
   * @throws IllegalArgumentException if the number is negative
   */
  public static CsiMetrics bindTo(MeterRegistry registry, int mostPlugins) {
    return bindTo(registry, mostPlugins, MOST_VOLUMES);
  }

  /**
   * Binds metrics to this registry.
   *
   * @param mostPlugins the maximum number of plugins with their own value of the tag {@code
   *     plugin}; all further plugins share {@code other}
   * @param mostVolumes the maximum number of volumes in trouble that are named, those with the
   *     longest trouble first; all further ones are counted. Use 0 to name no volume
   * @throws IllegalArgumentException if a number is negative
   */
  public static CsiMetrics bindTo(MeterRegistry registry, int mostPlugins, int mostVolumes) {
    return bindTo(registry, mostPlugins, mostVolumes, ORDINARY, System::nanoTime);
  }

  /** Binds metrics whose gauges use this clock to determine their age. */
  static CsiMetrics bindTo(
      MeterRegistry registry,
      int mostPlugins,
      int mostVolumes,
      Duration ordinary,
      LongSupplier nanoTime) {
    if (mostPlugins < 0) {
      throw new IllegalArgumentException(
          "The number of plugins with their own name must not be negative, but is "
              + mostPlugins
              + ". Use 0 for none.");
    }
    if (mostVolumes < 0) {
      throw new IllegalArgumentException(
          "The number of volumes in trouble that are named must not be negative, but is "
              + mostVolumes
              + ". Use 0 for none.");
    }
    return new CsiMetrics(registry, mostPlugins, mostVolumes, ordinary, nanoTime);
  }

  /**
   * Returns a listener for {@link io.csi4j.client.model.ConnectOptions.Builder#listener}, which
   * times every attempt of a call. Any number of connections may share it; the tag {@code plugin}
   * is the name that each plugin reports. It never blocks, so callbacks may run in place.
   */
  public CsiListener calls() {
    return new CallMeters(meters, plugins, Optional.empty());
  }

  /**
   * Returns a listener for the connections to one plugin, with the host's name of the plugin as the
   * tag, so that its calls appear next to its volumes.
   */
  public CsiListener calls(String plugin) {
    return new CallMeters(meters, plugins, Optional.of(Objects.requireNonNull(plugin, "plugin")));
  }

  /** Returns a listener for the builder of one manager, which times every operation. */
  public VolumeEvent.Listener volumes() {
    return OperationMeters.listener(meters, plugins, gauges);
  }

  /**
   * Returns a listener for the builder of one {@code VolumeController}, which times every operation
   * and counts attempts in the background, take-overs and changes of the session and the store.
   */
  public ControllerEvent.Listener controllers() {
    return ControllerMeters.listener(meters);
  }

  /** Returns a listener for claim coordinators, which times the operations on claims. */
  public ClaimEvent.Listener claims() {
    return ClaimMeters.listener(meters);
  }

  /**
   * Returns a listener for a plugin supervisor, or for one role of a registry, which counts the
   * changes of the plugins' health.
   */
  public PluginEvent.Listener plugins() {
    return event -> {
      if (event instanceof PluginEvent.HealthChanged changed) {
        meters.count(
            CsiMeter.HEALTH_CHANGES,
            plugins.of(changed.plugin().value()),
            changed.now().state().name().toLowerCase(Locale.ROOT));
      }
    };
  }

  /**
   * Counts a message: for sources that report only messages, such as a controller and a health
   * monitor.
   */
  public void message(OperatorMessage message) {
    meters.count(CsiMeter.NOTICES, message.code().name());
  }

  /**
   * Exposes the volumes of a manager, the names of those in trouble, and the instances of its
   * plugins. Gauges of several managers are added up. Reading the gauges takes a snapshot of the
   * manager at most once a second, and calls no plugin.
   *
   * @return a handle that ends this, and removes the gauges of plugins that nothing else exposes
   */
  public AutoCloseable watch(VolumeManager manager) {
    return gauges.watch(manager);
  }

  /**
   * Exposes the plugin instances of a registry; the registry of a manager is included with the
   * manager.
   *
   * @return a handle that ends this, as for a manager
   */
  public AutoCloseable watch(PluginRegistry registry) {
    return gauges.watch(registry);
  }

  /**
   * Exposes the status of a control plane: its volumes, pending operations, session, maintenance
   * and store. Gauges of several controllers in a process are added up. Reading the gauges takes a
   * snapshot of the controller at most once a second, and calls no store and no plugin.
   *
   * @return a handle that ends this
   */
  public AutoCloseable watch(VolumeController controller) {
    return controllers.watch(controller::status);
  }

  /** Exposes the status that this supplier returns at each scrape. */
  AutoCloseable watchStatus(Supplier<ControlPlaneStatus> status) {
    return controllers.watch(status);
  }

  /**
   * Returns a store whose calls are timed by result: for the claim coordinators and the controllers
   * of a process. Closing it closes the store.
   */
  public RecordStore store(RecordStore store) {
    return MeteredStore.of(meters, Objects.requireNonNull(store, "store"));
  }

  /** Removes all meters; the listeners have no further effect. Closing again has no effect. */
  @Override
  public void close() {
    gauges.close();
    controllers.close();
    meters.close();
  }
}
