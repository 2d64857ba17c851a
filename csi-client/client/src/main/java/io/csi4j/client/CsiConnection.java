package io.csi4j.client;

import io.csi4j.client.internal.transport.Connection;
import io.csi4j.client.model.ConnectOptions;
import io.csi4j.client.model.CsiEndpoint;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A connection to a plugin that several parts of a program share. Each part connects with its own
 * options and has its own {@link CsiPlugin}: its own listeners, policies and callback threads,
 * closed independently. The first part that connects opens the socket, and the last part that
 * closes its {@code CsiPlugin} closes the socket. Closing a {@code CsiPlugin} ends only the calls
 * that were made through it. Safe for use by many threads.
 *
 * <pre>{@code
 * CsiConnection connection = CsiConnection.to(endpoint);
 * ConnectOptions atOnce = options.toBuilder().requireReady(false).build();
 * try (CsiPlugin volumes = connection.connect(options);
 *     CsiPlugin health = connection.connect(atOnce)) { // over the same socket
 *   log.accept(health.identity().probe().isReady());
 *   log.accept(volumes.node().getInfo());
 * }
 * }</pre>
 *
 * <p>A part gets a new socket in two cases: its options require a separate socket (see {@link
 * ConnectOptions#sharesSocketWith}), or the plugin has recreated its socket while the process
 * behind the old socket still serves the other parts.
 *
 * @since 1.0
 */
public final class CsiConnection {

  private final CsiEndpoint endpoint;
  private final ReentrantLock lock = new ReentrantLock();

  /**
   * Number of {@code CsiPlugin} objects that use each open connection. There is nearly always at
   * most one open connection.
   */
  private final Map<Connection, Integer> users = new HashMap<>(2);

  private CsiConnection(CsiEndpoint endpoint) {
    this.endpoint = Objects.requireNonNull(endpoint, "endpoint");
  }

  /**
   * Returns the connection to the plugin that listens at {@code endpoint}; the first call of {@link
   * #connect} opens it.
   */
  public static CsiConnection to(CsiEndpoint endpoint) {
    return new CsiConnection(endpoint);
  }

  /** The endpoint on which the plugin listens. */
  public CsiEndpoint endpoint() {
    return endpoint;
  }

  /**
   * Connects like {@link CsiPlugin#connect(CsiEndpoint, ConnectOptions)}, but uses the open socket
   * of the other parts, if there is one. Waits for the plugin, never for other callers.
   *
   * @throws io.csi4j.client.model.CsiConnectException if the plugin is not connected within the
   *     deadline of the options; the exception names the reason
   */
  public CsiPlugin connect(ConnectOptions options) {
    long began = System.nanoTime();
    Connection connection = enter(options);
    boolean connected = false;
    try {
      connection.await(options, options.deadline());
      connected = true;
    } finally {
      if (!connected && leave(connection)) {
        connection.close();
      }
    }
    Duration left = options.deadline().minusNanos(System.nanoTime() - began);
    return ConnectedPlugin.over(this, connection, options, left);
  }

  private Connection enter(ConnectOptions options) {
    lock.lock();
    try {
      Connection found =
          users.keySet().stream()
              .filter(each -> each.isGoodFor(options))
              .findFirst()
              .orElseGet(() -> Connection.to(endpoint, options));
      users.merge(found, 1, Integer::sum);
      return found;
    } finally {
      lock.unlock();
    }
  }

  /** Returns whether this was the last use of the connection; the caller must close it then. */
  boolean leave(Connection connection) {
    lock.lock();
    try {
      return users.computeIfPresent(connection, (same, many) -> many == 1 ? null : many - 1)
          == null;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public String toString() {
    return "CsiConnection[" + endpoint + "]";
  }
}
