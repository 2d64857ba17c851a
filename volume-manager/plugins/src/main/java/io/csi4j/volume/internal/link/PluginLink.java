package io.csi4j.volume.internal.link;

import io.csi4j.client.CsiConnection;
import io.csi4j.client.CsiPlugin;
import io.csi4j.client.model.ConnectOptions;
import io.csi4j.client.model.CsiException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The link to a plugin for one kind of use, such as probes. Connects on first use, on a temporary
 * thread, and keeps the connection. Other links may share the connection; closing this link ends
 * only the calls that were made through it.
 */
public final class PluginLink {

  private final CsiConnection connection;
  private final ConnectOptions options;
  private final ThreadFactory threads;
  private final Runnable left;
  private final ReentrantLock lock = new ReentrantLock();
  private final List<Consumer<Way>> waiting = new ArrayList<>();
  private @Nullable CsiPlugin plugin;
  private @Nullable Thread connecting;
  private @Nullable String closed;

  /**
   * Creates a link without a connection.
   *
   * @param threads creates the threads that connect and close
   * @param left runs once, when the link is closed
   */
  PluginLink(
      CsiConnection connection, ConnectOptions options, ThreadFactory threads, Runnable left) {
    this.connection = connection;
    this.options = options;
    this.threads = threads;
    this.left = left;
  }

  /** The result of connecting. */
  public sealed interface Way {

    /**
     * The plugin is connected.
     *
     * @param plugin the plugin
     */
    record Open(CsiPlugin plugin) implements Way {}

    /**
     * The plugin is not connected.
     *
     * @param text the reason, in one line
     * @param cause the exception, if there is one
     */
    record Shut(String text, Optional<CsiException> cause) implements Way {}
  }

  /** Returns whether the link was connected. The plugin may have ended since then. */
  public boolean isConnected() {
    lock.lock();
    try {
      return plugin != null;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Connects, unless the link is already connected. All concurrent callers receive the same result.
   */
  public void use(Consumer<Way> then) {
    Way known = null;
    lock.lock();
    try {
      CsiPlugin there = plugin;
      String end = closed;
      if (end != null) {
        known = new Way.Shut(end, Optional.empty());
      } else if (there != null) {
        known = new Way.Open(there);
      } else {
        waiting.add(then);
        if (connecting == null) {
          known = begin();
        }
      }
    } finally {
      lock.unlock();
    }
    if (known != null) {
      then.accept(known);
    }
  }

  /**
   * Starts to connect. Returns the failure if no thread can be started. The caller holds the lock.
   */
  private @Nullable Way begin() {
    try {
      Thread thread = threads.newThread(this::connect);
      connecting = thread;
      thread.start();
      return null;
    } catch (OutOfMemoryError refused) {
      connecting = null;
      waiting.clear();
      return new Way.Shut(
          "no thread could be started to connect to the plugin; raise the limit of processes",
          Optional.empty());
    }
  }

  private void connect() {
    Way found;
    try {
      found = new Way.Open(connection.connect(options));
    } catch (CsiException failed) {
      found = new Way.Shut(String.valueOf(failed.getMessage()), Optional.of(failed));
    } catch (RuntimeException | Error failed) {
      found =
          new Way.Shut(
              "connecting to " + connection.endpoint() + " failed: " + failed.getClass().getName(),
              Optional.empty());
    }
    List<Consumer<Way>> told = List.of();
    CsiPlugin late = null;
    lock.lock();
    try {
      connecting = null;
      if (closed == null) {
        told = List.copyOf(waiting);
        waiting.clear();
        plugin = found instanceof Way.Open open ? open.plugin() : null;
      } else {
        late = found instanceof Way.Open open ? open.plugin() : null;
      }
    } finally {
      lock.unlock();
    }
    if (late != null) {
      late.close();
    }
    for (Consumer<Way> each : told) {
      each.accept(found);
    }
  }

  /**
   * Runs {@link #close} on a separate thread, because closing waits for threads of the connection,
   * and the current thread may be one of them. If no thread can be started, this method closes the
   * link on the current thread.
   *
   * @return the thread, if there is one
   */
  public Optional<Thread> closeAside(String reason) {
    Thread closer = threads.newThread(() -> close(reason));
    try {
      closer.start();
      return Optional.of(closer);
    } catch (OutOfMemoryError refused) {
      close(reason);
      return Optional.empty();
    }
  }

  /** Closes the link. Takes at most the close timeout of the options. */
  public void close(String reason) {
    List<Consumer<Way>> told;
    CsiPlugin old;
    boolean isFirst;
    lock.lock();
    try {
      isFirst = closed == null;
      if (isFirst) {
        closed = reason;
      }
      told = List.copyOf(waiting);
      waiting.clear();
      old = plugin;
      plugin = null;
      Thread thread = connecting;
      if (thread != null) {
        thread.interrupt();
      }
    } finally {
      lock.unlock();
    }
    for (Consumer<Way> each : told) {
      each.accept(new Way.Shut(reason, Optional.empty()));
    }
    if (old != null) {
      old.close();
    }
    if (isFirst) {
      left.run();
    }
  }
}
