package io.csi4j.volume.controller;

import io.csi4j.client.identity.PluginCapability;
import io.csi4j.client.model.ConnectOptions;
import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.testkit.FakeCsiPlugin;
import io.csi4j.testkit.effects.NodeEffects;
import io.csi4j.testkit.model.PluginShape;
import io.csi4j.volume.internal.time.Scheduler;
import io.csi4j.volume.model.PluginBinding;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.plugin.InstanceId;
import io.csi4j.volume.plugin.PluginHandle;
import io.csi4j.volume.plugin.PluginHealth;
import io.csi4j.volume.plugin.PluginHealth.Reason;
import io.csi4j.volume.plugin.PluginHealth.State;
import io.csi4j.volume.plugin.PluginRegistration;
import io.csi4j.volume.plugin.PluginRegistry;
import io.csi4j.volume.plugin.PluginRole;
import io.csi4j.volume.plugin.supervision.InMemoryPluginRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Plugins with controllers on real sockets, and a registry that knows them. */
public final class ControllerWorld implements AutoCloseable {

  public static final PluginId ID = PluginId.of("fake");

  private static final ConnectOptions OPTIONS =
      ConnectOptions.builder().deadline(Duration.ofSeconds(20)).build();

  private final PluginRegistry registry = InMemoryPluginRegistry.open();
  private final List<FakeCsiPlugin> open = new ArrayList<>();
  private @Nullable PluginHandle only;

  public PluginRegistry registry() {
    return registry;
  }

  /** A plugin that nobody has registered yet, and that makes nothing on nodes. */
  public FakeCsiPlugin plugin(PluginShape shape) {
    return plugin(shape, NodeEffects.none());
  }

  private FakeCsiPlugin plugin(PluginShape shape, NodeEffects effects) {
    FakeCsiPlugin plugin = FakeCsiPlugin.builder().shape(shape).effects(effects).open();
    open.add(plugin);
    return plugin;
  }

  /** A plugin that offers everything, registered as the only instance. */
  public FakeCsiPlugin registered() {
    return registered(PluginShape.full());
  }

  /**
   * A plugin of this shape, registered in the place of the only instance that there was; as a node
   * if it has no controller.
   */
  public FakeCsiPlugin registered(PluginShape shape) {
    return registered(shape, NodeEffects.none());
  }

  /** The same, of a plugin that makes this on nodes. */
  public FakeCsiPlugin registered(PluginShape shape, NodeEffects effects) {
    FakeCsiPlugin plugin = plugin(shape, effects);
    if (only != null) {
      only.close();
    }
    only =
        shape.offers(PluginCapability.CONTROLLER_SERVICE)
            ? register("only", plugin.endpoint())
            : register("only", plugin.nodeEndpoint(), OPTIONS, PluginRole.NODE);
    return plugin;
  }

  /** The only instance that is registered. */
  public PluginHandle only() {
    return Objects.requireNonNull(only);
  }

  public PluginHandle register(String instance, CsiEndpoint endpoint) {
    return register(instance, endpoint, OPTIONS);
  }

  public PluginHandle register(String instance, CsiEndpoint endpoint, ConnectOptions options) {
    return register(instance, endpoint, options, PluginRole.CONTROLLER);
  }

  private PluginHandle register(
      String instance, CsiEndpoint endpoint, ConnectOptions options, PluginRole role) {
    return registry.register(
        new PluginRegistration(
            PluginBinding.builder(ID, endpoint).connectOptions(options).build(),
            InstanceId.of(instance),
            EnumSet.of(role)));
  }

  public static PluginHealth health(State state, Reason reason) {
    return new PluginHealth(state, reason, new PluginHealth.Text("so it is"), Instant.EPOCH);
  }

  public static PluginHealth ready() {
    return health(State.READY, Reason.ANSWERED);
  }

  /** The controllers that it knows, each called once. */
  RegistryControllers controllers(Scheduler threads) {
    return new RegistryControllers(
        PluginInstances.of(registry),
        ControllerSettings.builder().policy(policy -> policy.attempts(1)).build(),
        threads);
  }

  /** Threads whose names begin like this. */
  public static List<String> threads(String name) {
    return Thread.getAllStackTraces().keySet().stream()
        .map(Thread::getName)
        .filter(each -> each.startsWith(name))
        .toList();
  }

  @Override
  public void close() {
    open.forEach(FakeCsiPlugin::close);
  }
}
