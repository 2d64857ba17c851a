package io.csi4j.volume.internal.link;

import io.csi4j.client.CsiConnection;
import io.csi4j.client.model.ConnectOptions;
import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.volume.internal.time.NamedThreads;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ThreadFactory;

/**
 * The connections to the plugins of a registry, one for each socket. Node calls, probes and
 * controller calls share a connection, each kind through a separate {@link PluginLink}. Closing the
 * last link closes the connection.
 */
public final class PluginConnections {

  private final ThreadFactory threads = new NamedThreads("csi4j-volume-connect");
  private final ConcurrentMap<CsiEndpoint, Shared> all = new ConcurrentHashMap<>();

  /**
   * One connection.
   *
   * @param connection the connection
   * @param links the number of links that use it
   */
  private record Shared(CsiConnection connection, int links) {}

  /**
   * Returns a link for one kind of use. The link is not connected yet.
   *
   * @param options the options for the calls of this use
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
