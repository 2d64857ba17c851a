package io.csi4j.volume.internal.link;

import io.csi4j.client.model.ConnectOptions;
import io.csi4j.client.model.ConnectOptions.Transport;

/** How long the path of a socket may be. */
public final class SocketPaths {

  /** How many bytes of a path fit into the socket address of Linux, beside the NUL. */
  public static final int ON_LINUX = 107;

  /** How many bytes fit into that of the JDK. */
  private static final int IN_THE_JDK = 106;

  private SocketPaths() {}

  /** How many bytes the path of a socket may have that is connected to with these options. */
  public static int longest(ConnectOptions options) {
    return options.transport() == Transport.EPOLL ? ON_LINUX : IN_THE_JDK;
  }
}
