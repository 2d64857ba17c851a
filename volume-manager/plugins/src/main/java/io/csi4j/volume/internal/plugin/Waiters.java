package io.csi4j.volume.internal.plugin;

import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.plugin.PluginException;
import io.csi4j.volume.plugin.PluginRole;
import io.csi4j.volume.plugin.RegisteredPlugin;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/**
 * The callers who wait until a plugin is ready. They are told where that cannot hold up a report.
 */
final class Waiters {

  private final LivePluginRegistry.Ground ground;
  private final Supplier<Roster> roster;
  private final ReentrantLock lock = new ReentrantLock();
  private final List<Waiter> waiting = new ArrayList<>();
  private boolean closed;

  /**
   * No caller waits yet.
   *
   * @param roster the roster at the moment
   */
  Waiters(LivePluginRegistry.Ground ground, Supplier<Roster> roster) {
    this.ground = ground;
    this.roster = roster;
  }

  CompletableFuture<RegisteredPlugin> await(PluginId plugin, PluginRole role, Duration limit) {
    Waiter waiter = new Waiter(plugin, role, limit);
    lock.lock();
    try {
      // Looked at once no change can pass this waiter by, so that none is missed.
      Optional<RegisteredPlugin> there = waiter.found(roster.get());
      if (there.isPresent()) {
        return CompletableFuture.completedFuture(there.get());
      }
      if (closed) {
        return CompletableFuture.failedFuture(PluginMessages.closed(plugin, role));
      }
      waiting.add(waiter);
      waiter.timer = ground.scheduler().after(limit, () -> giveUp(waiter));
    } finally {
      lock.unlock();
    }
    // Who does not want to wait any more is forgotten.
    waiter.end.whenComplete((found, failure) -> remove(waiter));
    return waiter.end;
  }

  /** Ends the waiting of those whose plugin is ready. */
  void serve() {
    Roster now = roster.get();
    for (Waiter waiter : all()) {
      waiter.found(now).ifPresent(found -> aside(() -> waiter.end.complete(found)));
    }
  }

  /** Ends all waiting, and begins no more. */
  void close() {
    lock.lock();
    try {
      closed = true;
    } finally {
      lock.unlock();
    }
    for (Waiter waiter : all()) {
      PluginException failure = PluginMessages.closed(waiter.plugin, waiter.role);
      aside(() -> waiter.end.completeExceptionally(failure));
    }
  }

  private List<Waiter> all() {
    lock.lock();
    try {
      return List.copyOf(waiting);
    } finally {
      lock.unlock();
    }
  }

  private void giveUp(Waiter waiter) {
    waiter.end.completeExceptionally(
        PluginMessages.late(waiter.plugin, waiter.role, waiter.limit, roster.get().all()));
  }

  private void remove(Waiter waiter) {
    lock.lock();
    try {
      waiting.remove(waiter);
      if (waiter.timer != null) {
        waiter.timer.cancel();
      }
    } finally {
      lock.unlock();
    }
  }

  private void aside(Runnable work) {
    try {
      ground.telling().execute(work);
    } catch (RuntimeException | OutOfMemoryError refused) {
      work.run();
    }
  }
}
