package io.csi4j.volume.plugin;

import io.csi4j.volume.model.PluginId;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * The instances of plugins that there are. Of several instances of one plugin the newest that is
 * ready serves; where none is ready, the newest. Older ones keep the calls that they were sent. One
 * that is not what it was registered as does not serve at all.
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

  /** A registry that belongs to its caller, and not to a volume manager. */
  interface Closeable extends PluginRegistry, AutoCloseable {

    /**
     * Ends its waiters and listeners, and registers nothing more. No plugin is stopped. A second
     * call does nothing.
     */
    @Override
    void close();
  }

  /**
   * Registers an instance for all its roles at once. The same instance again is an update, after
   * which the former handle does nothing any more.
   *
   * @throws PluginException if the same instance is registered at another socket already, and not
   *     only remembered there; or if the registry was closed
   */
  PluginHandle register(PluginRegistration registration);

  /** Forgets an instance. False if it was not registered. */
  boolean deregister(PluginId plugin, InstanceId instance);

  /** The instance that serves a role of a plugin now. */
  Optional<RegisteredPlugin> find(PluginId plugin, PluginRole role);

  /**
   * The instance that serves a role of a plugin now.
   *
   * @throws PluginException if there is none, naming those that are registered
   */
  RegisteredPlugin get(PluginId plugin, PluginRole role);

  /**
   * The instance that serves a role of a plugin, as soon as one is ready. One without a supervisor
   * never is.
   *
   * @param limit when to give up, with {@link PluginException}
   */
  CompletableFuture<RegisteredPlugin> await(PluginId plugin, PluginRole role, Duration limit);

  /** All instances, by plugin, the newest first. */
  List<RegisteredPlugin> plugins();

  /**
   * Says that what a plugin said of itself may be outdated: an attach has been told that the node
   * is full, or a host has learnt it in another way. Whoever supervises an instance of it asks it
   * again soon, and listeners are told what has changed. Nothing happens where nobody does. A
   * {@code VolumeController} of this registry says it by itself.
   */
  default void recheck(PluginId plugin) {}

  /**
   * Tells a listener what happens to instances with a role from now on; it is told first of those
   * that there are.
   *
   * @return ends it
   */
  AutoCloseable listen(PluginRole role, PluginEvent.Listener listener);
}
