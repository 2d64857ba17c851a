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
 * One connection to a plugin for several parts of a program. Each part connects with its own
 * options and has its own {@link CsiPlugin}: its own listeners, policies, threads for answers, and
 * end. The socket is connected with the first of them and closed with the last; closing one ends
 * the calls that were made through it, and no others. Safe for use by many threads.
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
 * <p>A part does not share the socket of another if its options want another socket ({@link
 * ConnectOptions#sharesSocketWith}), or if the plugin has made its socket again meanwhile and the
 * process that made the old one still serves that other.
 *
 * @since 1.0
 */
public final class CsiConnection {

  private final CsiEndpoint endpoint;
  private final ReentrantLock lock = new ReentrantLock();

  /** How many plugins each open connection has; nearly always there is one connection at most. */
  private final Map<Connection, Integer> users = new HashMap<>(2);

  private CsiConnection(CsiEndpoint endpoint) {
    this.endpoint = Objects.requireNonNull(endpoint, "endpoint");
  }

  /** A connection to the plugin that listens there; made with the first who connects. */
  public static CsiConnection to(CsiEndpoint endpoint) {
    return new CsiConnection(endpoint);
  }

  /** Where the plugin listens. */
  public CsiEndpoint endpoint() {
    return endpoint;
  }

  /**
   * Connects as {@link CsiPlugin#connect(CsiEndpoint, ConnectOptions)} does, over the socket that
   * others have connected already, if they have. Waits for the plugin, never for the others.
   *
   * @throws io.csi4j.client.model.CsiConnectException if that does not come about within the
   *     deadline of the options, saying what stood in the way
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

  /** Returns whether this was the last use of the connection, which has to be closed then. */
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
