package io.csi4j.volume.internal.link;

import io.csi4j.client.CsiConnection;
import io.csi4j.client.model.ConnectOptions;
import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.volume.internal.time.NamedThreads;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ThreadFactory;

/**
 * The connections to the plugins of a registry, one to each socket. Node calls, probes and calls to
 * controllers share it, each through its own {@link PluginLink}; the last link that is closed
 * closes it.
 */
public final class PluginConnections {

  private final ThreadFactory threads = new NamedThreads("csi4j-volume-connect");
  private final ConcurrentMap<CsiEndpoint, Shared> all = new ConcurrentHashMap<>();

  /**
   * One connection.
   *
   * @param connection the connection
   * @param links how many links lead over it
   */
  private record Shared(CsiConnection connection, int links) {}

  /**
   * A link for one kind of use; nothing is connected yet.
   *
   * @param options how that use wants its calls to behave
   */
  public PluginLink link(CsiEndpoint endpoint, ConnectOptions options) {
    Shared shared =
        all.compute(
            endpoint,
            (same, known) ->
                known == null
                    ? new Shared(CsiConnection.to(endpoint), 1)
                    : new Shared(known.connection(), known.links() + 1));
    return new PluginLink(shared.connection(), options, threads, () -> leave(endpoint));
  }

  private void leave(CsiEndpoint endpoint) {
    all.computeIfPresent(
        endpoint,
        (same, known) ->
            known.links() == 1 ? null : new Shared(known.connection(), known.links() - 1));
  }
}
