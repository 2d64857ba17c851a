package io.csi4j.client.model;

import org.jspecify.annotations.Nullable;

/**
 * Thrown when a connection cannot be made, or when it reaches a different plugin than before;
 * {@link #reason()} returns the cause.
 *
 * @since 1.0
 */
public final class CsiConnectException extends CsiException {

  private static final long serialVersionUID = 1L;

  private final Reason reason;

  /** The reasons why connecting can fail. */
  public enum Reason {
    /** Nothing exists at the path. */
    NO_SUCH_SOCKET,
    /** The file at the path is not a socket. */
    NOT_A_SOCKET,
    /** This process may not use the socket. */
    PERMISSION_DENIED,
    /** The socket file exists, but no process listens on it. */
    NOBODY_LISTENING,
    /** The path is too long for a socket. */
    PATH_TOO_LONG,
    /** The listener is not a gRPC server. */
    NOT_GRPC,
    /** The listener does not answer in time. */
    NO_ANSWER,
    /** The plugin answers, but reports that it is not ready. */
    NOT_READY,
    /** The plugin answers, but reports that it is not healthy. */
    UNHEALTHY,
    /** The path or its directory is a symbolic link, and the options forbid that. */
    SYMLINK,
    /** Other users may replace the socket, and the options forbid that. */
    UNSAFE_DIRECTORY,
    /** The listener runs as another user than the options require. */
    WRONG_PEER,
    /** A plugin with another name answers than the options require, or than answered before. */
    WRONG_PLUGIN,
    /**
     * The plugin sent too many control frames or empty frames, and the connection was closed; the
     * client reconnects later.
     */
    FLOODS,
    /** The waiting thread was interrupted. The client has set its interrupt flag again. */
    INTERRUPTED,
    /** This machine does not support the requested transport for UNIX domain sockets. */
    NO_TRANSPORT
  }

  /** A failure to connect for this reason. */
  public CsiConnectException(CsiFailure failure, Reason reason, @Nullable Throwable cause) {
    super(failure, cause);
    this.reason = reason;
  }

  /** Returns the reason why connecting failed. */
  public Reason reason() {
    return reason;
  }
}
