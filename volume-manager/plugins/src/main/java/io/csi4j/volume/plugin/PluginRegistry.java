package io.csi4j.volume.plugin;

import io.csi4j.volume.model.PluginId;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Registry of the instances of plugins. Of several instances of one plugin, the newest ready one
 * serves; if none is ready, the newest. Older instances finish the calls that they received. An
 * instance that is not the registered plugin does not serve at all.
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

  /** A registry that belongs to its caller, not to a volume manager. */
  interface Closeable extends PluginRegistry, AutoCloseable {

    /** Ends waiters and listeners, and registers nothing more. No plugin is stopped. Idempotent. */
    @Override
    void close();
  }

  /**
   * Registers an instance for all its roles at once. Registering the same instance again is an
   * update, after which the former handle has no effect.
   *
   * @throws PluginException if the same instance is already registered at another socket, and not
   *     only remembered there; or if the registry was closed
   */
  PluginHandle register(PluginRegistration registration);

  /** Removes an instance. Returns false if it was not registered. */
  boolean deregister(PluginId plugin, InstanceId instance);

  /** Returns the instance that serves a role of a plugin now. */
  Optional<RegisteredPlugin> find(PluginId plugin, PluginRole role);

  /**
   * Returns the instance that serves a role of a plugin now.
   *
   * @throws PluginException if there is none, naming the registered plugins
   */
  RegisteredPlugin get(PluginId plugin, PluginRole role);

  /**
   * Returns the instance that serves a role of a plugin, as soon as one is ready. An instance
   * without a supervisor is never ready.
   *
   * @param limit the time limit, after which the future fails with {@link PluginException}
   */
  CompletableFuture<RegisteredPlugin> await(PluginId plugin, PluginRole role, Duration limit);

  /** Returns all instances, by plugin, the newest first. */
  List<RegisteredPlugin> plugins();

  /**
   * Reports that the description of a plugin may be outdated: attaching a volume failed because the
   * node is full, or the host has learned it in another way. The supervisor of an instance asks it
   * again soon, and listeners receive the changes. Has no effect on an instance without a
   * supervisor. A {@code VolumeController} of this registry calls this itself.
   */
  default void recheck(PluginId plugin) {}

  /**
   * Delivers events of instances with a role to a listener from now on, beginning with the present
   * instances.
   *
   * @return ends the delivery
   */
  AutoCloseable listen(PluginRole role, PluginEvent.Listener listener);
}
