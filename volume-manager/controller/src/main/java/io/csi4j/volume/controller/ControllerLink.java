package io.csi4j.volume.controller;

import io.csi4j.client.CsiPlugin;
import io.csi4j.client.controller.ControllerCapability;
import io.csi4j.client.identity.PluginCapability;
import io.csi4j.client.model.CapabilitySet;
import io.csi4j.client.model.CsiListener;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.volume.internal.link.CallQueue;
import io.csi4j.volume.internal.link.PluginConnections;
import io.csi4j.volume.internal.link.PluginLink;
import io.csi4j.volume.model.PluginBinding;
import io.csi4j.volume.plugin.PluginRegistration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The connection to one instance, and the capabilities that the instance reported. Capabilities are
 * queried once for each connection: the client queries the plugin's name after every reconnect,
 * which triggers a new query.
 */
final class ControllerLink {

  /** The maximum number of concurrent calls: node calls and probes use the same connection. */
  static final int MOST_CALLS = 64;

  private final PluginRegistration registration;
  private final PluginLink link;
  private final CallQueue places = new CallQueue(MOST_CALLS);
  private final AtomicLong connection = new AtomicLong();
  private final ReentrantLock lock = new ReentrantLock();
  private int open;
  private boolean retired;
  private boolean closing;
  private @Nullable Known known;

  /**
   * Capabilities, present or being queried.
   *
   * @param connection the number of the connection
   * @param facts the facts
   */
  private record Known(long connection, CompletableFuture<ControllerFacts> facts) {}

  ControllerLink(PluginRegistration registration, PluginConnections connections) {
    this.registration = registration;
    PluginBinding binding = registration.binding();
    link =
        connections.link(
            binding.endpoint(),
            binding.connectOptions().toBuilder()
                .waitForSocket(false)
                .listener(
                    new CsiListener() {
                      @Override
                      public void onStart(Started event) {
                        if (event.operation() == CsiOperation.GET_PLUGIN_INFO) {
                          connection.incrementAndGet();
                        }
                      }
                    })
                .build());
  }

  /**
   * Whether the link belongs to this registration: a repeated registration of the same instance is
   * a different one.
   */
  @SuppressWarnings("ReferenceEquality")
  boolean serves(PluginRegistration other) {
    return registration == other;
  }

  PluginRegistration registration() {
    return registration;
  }

  /** Connects if necessary. */
  void use(Consumer<PluginLink.Way> then) {
    link.use(then);
  }

  /** Returns the capabilities of the plugin. */
  CompletionStage<ControllerFacts> facts(CsiPlugin plugin) {
    CompletableFuture<ControllerFacts> asked;
    lock.lock();
    try {
      Known before = known;
      if (before != null
          && before.connection() == connection.get()
          && !before.facts().isCompletedExceptionally()) {
        return before.facts();
      }
      asked = new CompletableFuture<>();
      known = new Known(connection.get(), asked);
    } finally {
      lock.unlock();
    }
    ask(plugin)
        .whenComplete(
            (facts, thrown) -> {
              if (thrown == null) {
                keep(asked);
                asked.complete(facts);
              } else {
                asked.completeExceptionally(thrown);
              }
            });
    return asked;
  }

  /**
   * The first query after a lost connection reconnects, and its answer belongs to the new
   * connection.
   */
  private void keep(CompletableFuture<ControllerFacts> asked) {
    lock.lock();
    try {
      Known now = known;
      if (now != null && now.facts() == asked) {
        known = new Known(connection.get(), asked);
      }
    } finally {
      lock.unlock();
    }
  }

  private static CompletionStage<ControllerFacts> ask(CsiPlugin plugin) {
    try {
      return plugin
          .identity()
          .async()
          .getPluginCapabilities()
          .thenCompose(
              can ->
                  capabilities(plugin, can)
                      .thenApply(
                          does ->
                              new ControllerFacts(
                                  plugin.name(), plugin.vendorVersion(), does, can)));
    } catch (RuntimeException | Error failed) {
      return CompletableFuture.failedFuture(failed);
    }
  }

  /** A plugin without a controller service has no controller capabilities. */
  private static CompletionStage<CapabilitySet<ControllerCapability>> capabilities(
      CsiPlugin plugin, CapabilitySet<PluginCapability> whole) {
    return whole.offers(PluginCapability.CONTROLLER_SERVICE)
        ? plugin.controller().async().getCapabilities()
        : CompletableFuture.completedFuture(
            new CapabilitySet<ControllerCapability>(Set.of(), Set.of()));
  }

  /** Discards the capabilities: a call has shown that the plugin may have changed. */
  void doubt() {
    connection.incrementAndGet();
  }

  /** Registers a call; returns false if the link is being closed. */
  boolean begin() {
    lock.lock();
    try {
      if (closing) {
        return false;
      }
      open++;
      return true;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Sends a registered call now, if few enough calls are in flight. Otherwise {@code turn} is run
   * on the thread that ends another call, or that closes this link.
   *
   * @return whether the call may be sent now
   */
  boolean enter(Runnable turn) {
    return places.enterNow(turn);
  }

  /** Notes that a sent call has ended. */
  void leave() {
    places.leave();
    end();
  }

  /** Notes that a registered call has ended. */
  void end() {
    lock.lock();
    try {
      open--;
    } finally {
      lock.unlock();
    }
    closeIfIdle();
  }

  /** Closes the connection when the last open call has ended. */
  void retire() {
    lock.lock();
    try {
      retired = true;
    } finally {
      lock.unlock();
    }
    closeIfIdle();
  }

  private void closeIfIdle() {
    lock.lock();
    try {
      if (!retired || open > 0 || closing) {
        return;
      }
      closing = true;
    } finally {
      lock.unlock();
    }
    var unused = link.closeAside("the plugin is no longer registered");
  }

  /** Closes the connection, even with open calls. */
  void close(String reason) {
    lock.lock();
    try {
      closing = true;
    } finally {
      lock.unlock();
    }
    link.close(reason);
    places.takeWaiting().forEach(Runnable::run);
  }
}
