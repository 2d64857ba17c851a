package io.csi4j.volume.controller;

import io.csi4j.client.CsiPlugin;
import io.csi4j.volume.internal.link.PluginAnswer;
import io.csi4j.volume.internal.link.PluginConnections;
import io.csi4j.volume.internal.link.PluginLink;
import io.csi4j.volume.internal.plugin.LivePluginRegistry;
import io.csi4j.volume.internal.plugin.PluginMessages;
import io.csi4j.volume.internal.text.Subject;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.plugin.InstanceId;
import io.csi4j.volume.plugin.PluginEvent;
import io.csi4j.volume.plugin.PluginRegistration;
import io.csi4j.volume.plugin.PluginRegistry;
import io.csi4j.volume.plugin.PluginRole;
import io.csi4j.volume.plugin.RegisteredPlugin;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** The connections to the controllers of a registry, with the choice of the one to use. */
final class ControllerLinks implements AutoCloseable {

  private final PluginRegistry registry;
  private final PluginConnections connections;
  private final AutoCloseable listening;
  private final ReentrantLock lock = new ReentrantLock();
  private final Map<Key, ControllerLink> links = new HashMap<>();
  private final Map<PluginId, InstanceId> last = new HashMap<>();
  private final Map<PluginId, Set<InstanceId>> lost = new HashMap<>();
  private boolean closed;

  private record Key(PluginId plugin, InstanceId instance) {}

  /**
   * A connected instance.
   *
   * @param link its connection
   * @param plugin the plugin
   */
  record Connected(ControllerLink link, CsiPlugin plugin) {}

  ControllerLinks(PluginRegistry registry) {
    this.registry = registry;
    connections = LivePluginRegistry.connections(registry);
    listening = registry.listen(PluginRole.CONTROLLER, this::heard);
  }

  /** Connections of an instance that has left are closed when their calls have ended. */
  private void heard(PluginEvent event) {
    if (event instanceof PluginEvent.Deregistered) {
      prune(event.plugin());
    }
  }

  /** Returns the best instance that can be connected. */
  CompletableFuture<Connected> way(PluginId plugin, Subject subject) {
    CompletableFuture<Connected> found = new CompletableFuture<>();
    prune(plugin);
    List<RegisteredPlugin> all = registry.plugins();
    List<RegisteredPlugin> order;
    lock.lock();
    try {
      order =
          Preference.order(
              plugin,
              all,
              Optional.ofNullable(last.get(plugin)),
              Set.copyOf(lost.getOrDefault(plugin, Set.of())));
    } finally {
      lock.unlock();
    }
    if (order.isEmpty()) {
      found.completeExceptionally(ControllerFailures.down(subject, none(plugin, all)));
    } else {
      attempt(subject, order, 0, found);
    }
    return found;
  }

  private void attempt(
      Subject subject, List<RegisteredPlugin> order, int at, CompletableFuture<Connected> found) {
    ControllerLink link = link(order.get(at).registration());
    if (link == null) {
      found.completeExceptionally(
          ControllerFailures.unavailable(
              OperatorCode.ENGINE_CLOSED, subject, "the controllers are closed"));
      return;
    }
    link.use(
        way -> {
          if (way instanceof PluginLink.Way.Open there) {
            use(link);
            found.complete(new Connected(link, there.plugin()));
          } else if (at + 1 < order.size()) {
            attempt(subject, order, at + 1, found);
          } else if (way instanceof PluginLink.Way.Shut shut) {
            found.completeExceptionally(
                ControllerFailures.down(subject, new PluginAnswer.Down(shut.text(), shut.cause())));
          }
        });
  }

  /** Why no controller of a plugin can be called; empty if one may be. */
  static Optional<PluginAnswer.Down> down(PluginId plugin, List<RegisteredPlugin> all) {
    return Preference.order(plugin, all, Optional.empty(), Set.of()).isEmpty()
        ? Optional.of(none(plugin, all))
        : Optional.empty();
  }

  private static PluginAnswer.Down none(PluginId plugin, List<RegisteredPlugin> all) {
    List<RegisteredPlugin> controllers = Preference.controllers(plugin, all);
    if (controllers.isEmpty()) {
      return PluginMessages.unregistered(plugin, PluginRole.CONTROLLER, all);
    }
    RegisteredPlugin newest = controllers.get(0);
    if (newest.remembered()) {
      return new PluginAnswer.Down(
          "it is known from an earlier run, but was not registered with the role "
              + PluginRole.CONTROLLER
              + " since this start",
          OperatorCode.PLUGIN_NOT_REGISTERED);
    }
    return new PluginAnswer.Down(
        (controllers.size() == 1
                ? "its only controller cannot be called: "
                : "none of its "
                    + controllers.size()
                    + " controllers can be called; the newest reports: ")
            + newest.health().text(),
        OperatorCode.PLUGIN_UNHEALTHY);
  }

  private @Nullable ControllerLink link(PluginRegistration registration) {
    lock.lock();
    try {
      return closed
          ? null
          : links.computeIfAbsent(
              key(registration), none -> new ControllerLink(registration, connections));
    } finally {
      lock.unlock();
    }
  }

  private void use(ControllerLink link) {
    lock.lock();
    try {
      last.put(link.registration().id(), link.registration().instance());
    } finally {
      lock.unlock();
    }
  }

  /** Notes that a call has ended; if its connection was lost, another instance is preferred. */
  void called(ControllerLink link, boolean isLost) {
    PluginRegistration registration = link.registration();
    if (isLost) {
      link.doubt();
    }
    lock.lock();
    try {
      Set<InstanceId> marked = lost.computeIfAbsent(registration.id(), none -> new HashSet<>());
      if (isLost) {
        marked.add(registration.instance());
      } else {
        marked.remove(registration.instance());
      }
    } finally {
      lock.unlock();
    }
  }

  /**
   * Releases connections whose registration no longer exists. The registry is read under the lock:
   * a list read earlier could miss a registration whose connection was made since.
   */
  private void prune(PluginId plugin) {
    List<ControllerLink> gone = new ArrayList<>();
    lock.lock();
    try {
      List<PluginRegistration> there =
          registry.plugins().stream().map(RegisteredPlugin::registration).toList();
      links
          .entrySet()
          .removeIf(
              entry -> {
                boolean stays =
                    !entry.getKey().plugin().equals(plugin)
                        || there.stream().anyMatch(entry.getValue()::serves);
                if (!stays) {
                  gone.add(entry.getValue());
                }
                return !stays;
              });
    } finally {
      lock.unlock();
    }
    gone.forEach(ControllerLink::retire);
  }

  private static Key key(PluginRegistration registration) {
    return new Key(registration.id(), registration.instance());
  }

  @Override
  public void close() {
    List<ControllerLink> all;
    lock.lock();
    try {
      closed = true;
      all = List.copyOf(links.values());
      links.clear();
    } finally {
      lock.unlock();
    }
    try {
      listening.close();
    } catch (Exception e) {
      throw new IllegalStateException("A plugin registry could not close its listener.", e);
    }
    all.forEach(link -> link.close("the controllers are closed"));
  }
}
