package io.csi4j.client.model;

import org.jspecify.annotations.Nullable;

/**
 * A connection that did not come about, or that leads to another plugin than before; {@link
 * #reason()} says what stood in the way.
 *
 * @since 1.0
 */
public final class CsiConnectException extends CsiException {

  private static final long serialVersionUID = 1L;

  private final Reason reason;

  /** The possible obstacles. */
  public enum Reason {
    /** There is nothing at the path. */
    NO_SUCH_SOCKET,
    /** There is something else than a socket at the path. */
    NOT_A_SOCKET,
    /** This process may not use the socket. */
    PERMISSION_DENIED,
    /** The socket file is there, but no process listens on it. */
    NOBODY_LISTENING,
    /** The path is longer than a socket path can be. */
    PATH_TOO_LONG,
    /** The listener does not speak gRPC. */
    NOT_GRPC,
    /** The listener does not answer in time. */
    NO_ANSWER,
    /** The plugin answers, but says that it is not ready. */
    NOT_READY,
    /** The plugin answers, but says that it is not healthy. */
    UNHEALTHY,
    /** The path or its directory is a symbolic link, and the options forbid that. */
    SYMLINK,
    /** Others may replace the socket, and the options forbid that. */
    UNSAFE_DIRECTORY,
    /** Another user listens than the options demand. */
    WRONG_PEER,
    /** Another plugin answers than the options demand, or than was here before. */
    WRONG_PLUGIN,
    /**
     * The plugin sent so much that says nothing that the connection was closed; it is tried again.
     */
    FLOODS,
    /** The waiting thread was interrupted; its flag is set again. */
    INTERRUPTED,
    /** This machine cannot connect to UNIX domain sockets that way. */
    NO_TRANSPORT
  }

  /** A failure to connect for this reason. */
  public CsiConnectException(CsiFailure failure, Reason reason, @Nullable Throwable cause) {
    super(failure, cause);
    this.reason = reason;
  }

  /** Returns the obstacle. */
  public Reason reason() {
    return reason;
  }
}
