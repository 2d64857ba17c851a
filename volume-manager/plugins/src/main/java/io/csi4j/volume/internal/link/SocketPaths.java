package io.csi4j.volume.internal.link;

import io.csi4j.client.model.ConnectOptions;
import io.csi4j.client.model.ConnectOptions.Transport;

/** Limits for the length of a socket's path. */
public final class SocketPaths {

  /** Maximum number of bytes of a path in a socket address of Linux, without the final NUL. */
  public static final int ON_LINUX = 107;

  /** Maximum number of bytes of a path in the socket address of the JDK. */
  private static final int IN_THE_JDK = 106;

  private SocketPaths() {}

  /** Returns the maximum number of bytes of a socket's path for a connection with these options. */
  public static int longest(ConnectOptions options) {
    return options.transport() == Transport.EPOLL ? ON_LINUX : IN_THE_JDK;
  }
}
