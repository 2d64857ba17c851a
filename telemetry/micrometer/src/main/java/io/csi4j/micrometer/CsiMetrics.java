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
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * The metrics of csi4j in a registry of Micrometer: timers of calls, operations, claims and stores,
 * gauges of volumes, plugins and control planes. A host gives the listeners to what it opens, and
 * the manager to watch:
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
 * <p>A tag is the name of a plugin, a call, an operation, or a word or code of csi4j: never an id
 * of a volume, a path, or a text. Plugins beyond a bound share one value. Safe for use by many
 * threads.
 *
 * @since 1.0
 */
public final class CsiMetrics implements AutoCloseable {

  /** The number of plugins that have a value of the tag {@code plugin} each, unless told. */
  public static final int MOST_PLUGINS = 100;

  private final Meters meters;
  private final PluginTags plugins;
  private final NodeGauges gauges;
  private final ControllerGauges controllers;

  private CsiMetrics(MeterRegistry registry, int mostPlugins, LongSupplier nanoTime) {
    meters = new Meters(Objects.requireNonNull(registry, "registry"));
    plugins = new PluginTags(mostPlugins);
    gauges = new NodeGauges(meters, plugins, nanoTime);
    controllers = new ControllerGauges(meters, nanoTime);
  }

  /** Metrics in this registry, with at most {@link #MOST_PLUGINS} names of plugins. */
  public static CsiMetrics bindTo(MeterRegistry registry) {
    return bindTo(registry, MOST_PLUGINS);
  }

  /**
   * Metrics in this registry.
   *
   * @param mostPlugins the number of plugins that have a value of the tag {@code plugin} each; all
   *     further ones share {@code other}
   * @throws IllegalArgumentException if that is negative
   */
  public static CsiMetrics bindTo(MeterRegistry registry, int mostPlugins) {
    return bindTo(registry, mostPlugins, System::nanoTime);
  }

  /** Metrics whose gauges are as old as this clock says. */
  static CsiMetrics bindTo(MeterRegistry registry, int mostPlugins, LongSupplier nanoTime) {
    if (mostPlugins < 0) {
      throw new IllegalArgumentException(
          "The number of plugins with a name of their own must not be negative, and is "
              + mostPlugins
              + ". Use 0 for none.");
    }
    return new CsiMetrics(registry, mostPlugins, nanoTime);
  }

  /**
   * A listener for {@link io.csi4j.client.model.ConnectOptions.Builder#listener}, which times every
   * attempt of a call. Any number of connections may share it; the tag {@code plugin} is what each
   * plugin calls itself. It never blocks, so that callbacks may be in place.
   */
  public CsiListener calls() {
    return new CallMeters(meters, plugins, Optional.empty());
  }

  /**
   * The same for the connections to one plugin, with the host's name of it as the tag, so that its
   * calls stand beside its volumes.
   */
  public CsiListener calls(String plugin) {
    return new CallMeters(meters, plugins, Optional.of(Objects.requireNonNull(plugin, "plugin")));
  }

  /** A listener for the builder of one manager, which times every operation. */
  public VolumeEvent.Listener volumes() {
    return OperationMeters.listener(meters, plugins, gauges);
  }

  /**
   * A listener for the builder of one {@code VolumeController}, which times every operation and
   * counts attempts in the background, take-overs and changes of the session and the store.
   */
  public ControllerEvent.Listener controllers() {
    return ControllerMeters.listener(meters);
  }

  /** A listener for coordinators of claims, which times the work on claims. */
  public ClaimEvent.Listener claims() {
    return ClaimMeters.listener(meters);
  }

  /**
   * A listener for a supervisor of plugins, or for one role of a registry, which counts the changes
   * of their health.
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

  /** Counts a message: for what tells messages alone, such as a controller and a health monitor. */
  public void message(OperatorMessage message) {
    meters.count(CsiMeter.NOTICES, message.code().name());
  }

  /**
   * Shows the volumes of a manager, and the instances of its plugins. Gauges of several managers
   * are added up. Reading the gauges looks at the manager at most once a second, and calls no
   * plugin.
   *
   * @return ends it, and removes the gauges of plugins that nothing else shows
   */
  public AutoCloseable watch(VolumeManager manager) {
    return gauges.watch(manager);
  }

  /**
   * Shows the instances of plugins of a registry; that of a manager is shown with it.
   *
   * @return as for a manager
   */
  public AutoCloseable watch(PluginRegistry registry) {
    return gauges.watch(registry);
  }

  /**
   * Shows the status of a control plane: its volumes, what is pending, its session, the upkeep and
   * its store. Gauges of several controllers of a process are added up. Reading the gauges looks at
   * the controller at most once a second, and asks no store and no plugin.
   *
   * @return ends it
   */
  public AutoCloseable watch(VolumeController controller) {
    return controllers.watch(controller::status);
  }

  /** Shows the status that this supplier returns at each scrape. */
  AutoCloseable watchStatus(Supplier<ControlPlaneStatus> status) {
    return controllers.watch(status);
  }

  /**
   * Returns a store whose calls are timed by their results: for the coordinators of claims and the
   * controllers of a process. Closing it closes the store.
   */
  public RecordStore store(RecordStore store) {
    return MeteredStore.of(meters, Objects.requireNonNull(store, "store"));
  }

  /** Removes all meters; the listeners do nothing from then on. Doing it twice is harmless. */
  @Override
  public void close() {
    gauges.close();
    controllers.close();
    meters.close();
  }
}
