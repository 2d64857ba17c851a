package io.csi4j.volume.internal.plugin;

import io.csi4j.volume.plugin.PluginEvent;
import io.csi4j.volume.plugin.PluginListener;
import io.csi4j.volume.plugin.PluginRole;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The way to one listener: it is told of one event after the other, in order, of all of them, and
 * on a thread that it has for itself as long as there is something to tell.
 */
final class ListenerLane {

  private static final Logger LOG = System.getLogger("io.csi4j.volume");

  private final PluginRole role;
  private final PluginListener listener;
  private final Executor telling;
  private final ReentrantLock lock = new ReentrantLock();
  private final Queue<PluginEvent> waiting = new ArrayDeque<>();
  private boolean running;
  private boolean closed;

  /** Only who tells uses it. */
  private boolean failed;

  ListenerLane(PluginRole role, PluginListener listener, Executor telling) {
    this.role = role;
    this.listener = listener;
    this.telling = telling;
  }

  PluginRole role() {
    return role;
  }

  /** Puts an event behind the others; it is told after {@link #wake}. */
  void add(PluginEvent event) {
    lock.lock();
    try {
      if (!closed) {
        waiting.add(event);
      }
    } finally {
      lock.unlock();
    }
  }

  /** Lets the listener be told of what waits. */
  void wake() {
    lock.lock();
    try {
      if (running || waiting.isEmpty()) {
        return;
      }
      running = true;
    } finally {
      lock.unlock();
    }
    try {
      telling.execute(this::tellAll);
    } catch (RuntimeException | OutOfMemoryError refused) {
      // Nothing is lost: it is tried again with the next event.
      LOG.log(Level.WARNING, "No thread was given to tell a listener of plugins.", refused);
      rest();
    }
  }

  private void rest() {
    lock.lock();
    try {
      running = false;
    } finally {
      lock.unlock();
    }
  }

  private void tellAll() {
    for (PluginEvent event = next(); event != null; event = next()) {
      tell(event);
    }
  }

  private @Nullable PluginEvent next() {
    lock.lock();
    try {
      PluginEvent event = waiting.poll();
      running = event != null;
      return event;
    } finally {
      lock.unlock();
    }
  }

  private void tell(PluginEvent event) {
    try {
      listener.on(event);
    } catch (Throwable failure) {
      LOG.log(
          failed ? Level.DEBUG : Level.WARNING,
          "A listener of plugins failed. It is told of further events, and its further failures"
              + " are logged for debugging only. Repair it.",
          failure);
      failed = true;
    }
  }

  /** Tells the listener nothing more, except what it is being told. */
  void close() {
    lock.lock();
    try {
      closed = true;
      waiting.clear();
    } finally {
      lock.unlock();
    }
  }
}
