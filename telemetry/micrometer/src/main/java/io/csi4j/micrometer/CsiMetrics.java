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
 * The metrics of csi4j in a Micrometer registry: timers for calls, operations, claims and stores,
 * and gauges for volumes, plugins and control planes. A host passes the listeners to the objects
 * that it opens, and passes the manager to {@code watch}:
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
 * <p>The value of a tag is the name of a plugin, a call or an operation, or a value or code that
 * csi4j defines. It is never a plugin's id of a volume, a path, or free text. Above a maximum
 * number of plugins, all further plugins share one value. Only one meter, {@code
 * csi4j.volume.trouble}, contains the host's names of volumes and workloads. It contains a limited
 * number of volumes in trouble, and no healthy volumes. Safe for use by many threads.
 *
 * @since 1.0
 */
public final class CsiMetrics implements AutoCloseable {

  /** Default maximum number of plugins that have a separate value of the tag {@code plugin}. */
  public static final int MOST_PLUGINS = 100;

  /** Default maximum number of volumes in trouble whose names appear in the metrics. */
  public static final int MOST_VOLUMES = 20;

  /**
   * Minimum age of an uncertain result or a pending release that counts as trouble. If it is newer,
   * its call is probably still running.
   */
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
   * @param mostVolumes the maximum number of volumes in trouble whose names appear in the metrics.
   *     Volumes with the longest trouble come first; the remaining volumes are only counted. Use 0
   *     to name no volume
   * @throws IllegalArgumentException if a number is negative
   */
  public static CsiMetrics bindTo(MeterRegistry registry, int mostPlugins, int mostVolumes) {
    return bindTo(registry, mostPlugins, mostVolumes, ORDINARY, System::nanoTime);
  }

  /** Binds metrics whose gauges use this clock to determine the age of a snapshot. */
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
   * Returns a listener for {@link io.csi4j.client.model.ConnectOptions.Builder#listener} that
   * measures the time of every call attempt. Any number of connections may share the listener; the
   * tag {@code plugin} is the name that each plugin reports. The listener never blocks, so
   * callbacks may run in place.
   */
  public CsiListener calls() {
    return new CallMeters(meters, plugins, Optional.empty());
  }

  /**
   * Returns a listener for the connections to one plugin. The tag {@code plugin} is the host's name
   * of the plugin, as in the metrics of its volumes.
   */
  public CsiListener calls(String plugin) {
    return new CallMeters(meters, plugins, Optional.of(Objects.requireNonNull(plugin, "plugin")));
  }

  /**
   * Returns a listener for the builder of one manager. The listener measures the time of every
   * operation.
   */
  public VolumeEvent.Listener volumes() {
    return OperationMeters.listener(meters, plugins, gauges);
  }

  /**
   * Returns a listener for the builder of one {@code VolumeController}. The listener measures the
   * time of every operation. It also counts background attempts, take-overs, and changes of the
   * session and the store.
   */
  public ControllerEvent.Listener controllers() {
    return ControllerMeters.listener(meters);
  }

  /** Returns a listener for claim coordinators that measures the time of operations on claims. */
  public ClaimEvent.Listener claims() {
    return ClaimMeters.listener(meters);
  }

  /**
   * Returns a listener for a plugin supervisor, or for one role of a registry. The listener counts
   * the changes of the plugins' health.
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
   * Counts a message. Meant for sources that report only messages, such as a controller or a health
   * monitor.
   */
  public void message(OperatorMessage message) {
    meters.count(CsiMeter.NOTICES, message.code().name());
  }

  /**
   * Exposes gauges for the volumes of a manager, the names of its volumes in trouble, and the
   * instances of its plugins. The gauges of several managers are summed. Reading the gauges takes a
   * snapshot of the manager at most once a second, and calls no plugin.
   *
   * @return a handle; closing it ends the watch, and removes the gauges of plugins that no other
   *     watch exposes
   */
  public AutoCloseable watch(VolumeManager manager) {
    return gauges.watch(manager);
  }

  /**
   * Exposes gauges for the plugin instances of a registry. The registry of a watched manager is
   * already included.
   *
   * @return a handle; closing it ends the watch, as for a manager
   */
  public AutoCloseable watch(PluginRegistry registry) {
    return gauges.watch(registry);
  }

  /**
   * Exposes gauges for the status of a control plane: its volumes, pending operations, session,
   * maintenance and store. The gauges of several controllers in a process are summed. Reading the
   * gauges takes a snapshot of the controller at most once a second, and calls no store and no
   * plugin.
   *
   * @return a handle; closing it ends the watch
   */
  public AutoCloseable watch(VolumeController controller) {
    return controllers.watch(controller::status);
  }

  /** Exposes gauges for the status that this supplier returns at each scrape. */
  AutoCloseable watchStatus(Supplier<ControlPlaneStatus> status) {
    return controllers.watch(status);
  }

  /**
   * Returns a wrapper of the store that measures the time of calls, by result. Pass it to the claim
   * coordinators and the controllers of the process. Closing the wrapper closes the store.
   */
  public RecordStore store(RecordStore store) {
    return MeteredStore.of(meters, Objects.requireNonNull(store, "store"));
  }

  /** Removes all meters. Afterwards, the listeners have no effect. Closing again has no effect. */
  @Override
  public void close() {
    gauges.close();
    controllers.close();
    meters.close();
  }
}
