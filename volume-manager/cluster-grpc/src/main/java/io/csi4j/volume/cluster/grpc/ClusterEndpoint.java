package io.csi4j.volume.cluster.grpc;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Optional;

/**
 * The address of a control plane: a socket file of this machine, or a host and a port.
 *
 * @since 1.0
 */
public final class ClusterEndpoint {

  private static final int PATH_LIMIT = 106;

  /** The length of the name under which a server binds its socket before it moves it. */
  static final int HIDDEN = 10;

  private static final int HIGHEST_PORT = 65_535;

  private final Optional<Path> path;
  private final String host;
  private final int port;

  private ClusterEndpoint(Optional<Path> path, String host, int port) {
    this.path = path;
    this.host = host;
    this.port = port;
  }

  /**
   * Returns the address of a socket file. A process that may open the file may call as any node, so
   * it is for one machine and for tests.
   *
   * @throws IllegalArgumentException if the path is too long for a socket
   */
  public static ClusterEndpoint unix(Path path) {
    Path absolute = path.toAbsolutePath().normalize();
    int length = absolute.toString().getBytes(UTF_8).length;
    int name = String.valueOf(absolute.getFileName()).getBytes(UTF_8).length;
    if (length + Math.max(0, HIDDEN - name) > PATH_LIMIT) {
      throw new IllegalArgumentException(
          "A socket path has at most "
              + PATH_LIMIT
              + " bytes, of which the file name takes at least "
              + HIDDEN
              + ", but '"
              + absolute
              + "' has "
              + length
              + ". Choose a shorter directory.");
    }
    return new ClusterEndpoint(Optional.of(absolute), "localhost", 0);
  }

  /**
   * Returns the address of a port, with TLS on both sides.
   *
   * @param host its name or address, which the certificate of the control plane must have
   * @param port its port; 0 lets a server choose one
   * @throws IllegalArgumentException if there is no such port, or the name is empty
   */
  public static ClusterEndpoint tcp(String host, int port) {
    if (host.isBlank() || port < 0 || port > HIGHEST_PORT) {
      throw new IllegalArgumentException(
          "A control plane has a host and a port from 0 to 65535, not '"
              + host
              + "' and "
              + port
              + ". Name both.");
    }
    return new ClusterEndpoint(Optional.empty(), host, port);
  }

  /** The socket file, if it is one. */
  public Optional<Path> path() {
    return path;
  }

  /** The name of the host; {@code localhost} for a socket file. */
  public String host() {
    return host;
  }

  /** The port; 0 for a socket file. */
  public int port() {
    return port;
  }

  SocketAddress address() {
    return path.<SocketAddress>map(UnixDomainSocketAddress::of)
        .orElseGet(() -> new InetSocketAddress(host, port));
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof ClusterEndpoint that
        && path.equals(that.path)
        && host.equals(that.host)
        && port == that.port;
  }

  @Override
  public int hashCode() {
    return Objects.hash(path, host, port);
  }

  /** For people: {@code unix:/run/csi4j.sock} or {@code host:port}. */
  @Override
  public String toString() {
    return path.map(it -> "unix:" + it)
        .orElseGet(() -> (host.contains(":") ? "[" + host + "]" : host) + ":" + port);
  }
}
