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
 * The connection to one instance, and what it said that it can do. That is asked once for each
 * connection: the client asks a plugin for its name after every reconnect, and that is what makes
 * it be asked again.
 */
final class ControllerLink {

  /** As many calls are in flight at most: node calls and probes use the same connection. */
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
   * An answer, present or to come.
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

  /** Whether it belongs to this registration: the same instance registered again is another. */
  @SuppressWarnings("ReferenceEquality")
  boolean serves(PluginRegistration other) {
    return registration == other;
  }

  PluginRegistration registration() {
    return registration;
  }

  /** Connects if need be. */
  void use(Consumer<PluginLink.Way> then) {
    link.use(then);
  }

  /** Returns the abilities of the plugin. */
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

  /** The first question after a loss makes the new connection, and is answered on it. */
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

  /** A plugin without a controller has no capabilities of one. */
  private static CompletionStage<CapabilitySet<ControllerCapability>> capabilities(
      CsiPlugin plugin, CapabilitySet<PluginCapability> whole) {
    return whole.offers(PluginCapability.CONTROLLER_SERVICE)
        ? plugin.controller().async().getCapabilities()
        : CompletableFuture.completedFuture(
            new CapabilitySet<ControllerCapability>(Set.of(), Set.of()));
  }

  /** Forgets what it said: a call has shown that it may be another one. */
  void doubt() {
    connection.incrementAndGet();
  }

  /** A call begins; false if it is being closed. */
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
   * Lets a call be sent that has begun, if few enough are in flight. Otherwise {@code turn} is run
   * where another one ends, or where this is closed.
   *
   * @return whether it may be sent at once
   */
  boolean enter(Runnable turn) {
    return places.enterNow(turn);
  }

  /** A call that was sent has ended. */
  void leave() {
    places.leave();
    end();
  }

  /** A call has ended. */
  void end() {
    lock.lock();
    try {
      open--;
    } finally {
      lock.unlock();
    }
    closeIfIdle();
  }

  /** Ends the connection when the last open call has been answered. */
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
    var unused = link.closeAside("the plugin is not registered any more");
  }

  /** Ends the connection, even with open calls. */
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
