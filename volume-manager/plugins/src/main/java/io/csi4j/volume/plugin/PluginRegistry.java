package io.csi4j.volume.plugin;

import io.csi4j.volume.model.PluginId;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * A registry of the running instances of plugins. If a plugin has several instances, the newest
 * ready instance serves; if none is ready, the newest instance serves. Older instances finish the
 * calls that they received. An instance that turns out to be another plugin does not serve at all.
 *
 * <pre>{@code
 * RegisteredPlugin node =
 *     registry.await(plugin, PluginRole.NODE, Duration.ofMinutes(1)).join(); // ready by then
 * log.accept(node.registration().binding());
 * }</pre>
 *
 * @since 1.0
 */
public interface PluginRegistry {

  /** A registry that its caller opens and closes, independent of a volume manager. */
  interface Closeable extends PluginRegistry, AutoCloseable {

    /**
     * Ends all waiting callers and listeners. Afterwards, no instance can be registered. No plugin
     * is stopped. Idempotent.
     */
    @Override
    void close();
  }

  /**
   * Registers an instance for all its roles. Registering the same instance again updates the
   * registration; the earlier handle then has no effect.
   *
   * @throws PluginException if the same instance was registered in this run with another socket, or
   *     if the registry was closed
   */
  PluginHandle register(PluginRegistration registration);

  /** Removes an instance. Returns false if it was not registered. */
  boolean deregister(PluginId plugin, InstanceId instance);

  /** Returns the instance that serves a role of a plugin now. */
  Optional<RegisteredPlugin> find(PluginId plugin, PluginRole role);

  /**
   * Returns the instance that serves a role of a plugin now.
   *
   * @throws PluginException if no instance serves the role; the message names the registered
   *     plugins
   */
  RegisteredPlugin get(PluginId plugin, PluginRole role);

  /**
   * Returns a future for the instance that serves a role of a plugin. The future completes when
   * such an instance is ready. An instance without a supervisor is never ready.
   *
   * @param limit the time limit, after which the future fails with {@link PluginException}
   */
  CompletableFuture<RegisteredPlugin> await(PluginId plugin, PluginRole role, Duration limit);

  /** Returns all instances, by plugin, the newest first. */
  List<RegisteredPlugin> plugins();

  /**
   * Reports that the description of a plugin may be outdated, for example because attaching a
   * volume failed on a full node. The supervisor of an instance soon asks the instance again, and
   * listeners receive the changes. Has no effect on an instance without a supervisor. A {@code
   * VolumeController} that uses this registry calls this method on its own.
   */
  default void recheck(PluginId plugin) {}

  /**
   * Adds a listener for events of instances with a role. The first events report the instances that
   * are already registered.
   *
   * @return an object that removes the listener when it is closed
   */
  AutoCloseable listen(PluginRole role, PluginEvent.Listener listener);
}
