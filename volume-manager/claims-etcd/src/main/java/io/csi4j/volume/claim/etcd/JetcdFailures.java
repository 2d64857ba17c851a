package io.csi4j.volume.claim.etcd;

import io.csi4j.volume.claim.etcd.Etcd.Failure.Fate;
import io.grpc.Status;
import java.nio.channels.ClosedChannelException;

/**
 * The meaning of a failed call. Decided by codes; what etcd says in words is not shown, as it may
 * hold anything.
 */
final class JetcdFailures {

  private final EtcdSettings settings;

  JetcdFailures(EtcdSettings settings) {
    this.settings = settings;
  }

  Etcd.Failure of(Throwable thrown) {
    Status status = status(thrown);
    for (Throwable each = thrown; each != null; each = each.getCause()) {
      // It was made on threads of gRPC, and dozens of their frames show no reason.
      each.setStackTrace(new StackTraceElement[0]);
    }
    return new Etcd.Failure(
        fate(status.getCode()), because(reason(status)), remedy(status), thrown);
  }

  /** Of a call that did not end in time, though it was told to. */
  Etcd.Failure late(Throwable thrown) {
    Status status = Status.DEADLINE_EXCEEDED;
    return new Etcd.Failure(Fate.UNKNOWN, because(status.getCode()), remedy(status), thrown);
  }

  static Etcd.Failure closed() {
    return new Etcd.Failure(Fate.CLOSED, "the store was closed here", "Open it again", null);
  }

  /** Whether asking again at once may help; only after {@link Fate#REFUSED}, or for reading. */
  static boolean isPassing(Throwable thrown) {
    return switch (status(thrown).getCode()) {
      // An old token, which jetcd has thrown away by now; or a member that has just gone.
      case UNAUTHENTICATED, INVALID_ARGUMENT, UNAVAILABLE -> true;
      default -> false;
    };
  }

  /**
   * Returns the fate of a write. Without space in its quota etcd may write and say that it has not:
   * so only what it refuses before anything else counts as refused.
   */
  static Fate fate(Status.Code code) {
    return switch (code) {
      case UNAUTHENTICATED, PERMISSION_DENIED, INVALID_ARGUMENT, UNIMPLEMENTED -> Fate.REFUSED;
      default -> Fate.UNKNOWN;
    };
  }

  /** A call on a connection that is just being closed ends without a code of its own. */
  private static Status status(Throwable thrown) {
    Status status = Status.fromThrowable(thrown);
    boolean isClosed = status.getCause() instanceof ClosedChannelException;
    return status.getCode() == Status.Code.UNKNOWN && isClosed ? Status.UNAVAILABLE : status;
  }

  /** Behind a call that was not sent for want of a login stands the one that was to log in. */
  private static Status.Code reason(Status status) {
    if (status.getCode() != Status.Code.UNAUTHENTICATED || status.getCause() == null) {
      return status.getCode();
    }
    Status.Code login = status(status.getCause()).getCode();
    return login == Status.Code.INVALID_ARGUMENT ? Status.Code.UNAUTHENTICATED : login;
  }

  private String because(Status.Code code) {
    String who = "etcd at " + settings.addresses();
    return switch (code) {
      case UNAVAILABLE -> who + " cannot be reached, or has no leader";
      case DEADLINE_EXCEEDED ->
          who + " did not answer within " + settings.deadline().toMillis() + " ms";
      case UNAUTHENTICATED -> who + " does not accept the user and the password";
      case FAILED_PRECONDITION -> who + " is not in a state to do it";
      case PERMISSION_DENIED ->
          who + " does not let the user read and write below '" + settings.prefix() + "'";
      case RESOURCE_EXHAUSTED -> who + " has used up its quota of space, or has too much to do";
      case INVALID_ARGUMENT ->
          who
              + (settings.login().isPresent()
                  ? " finds the request invalid"
                  : " finds the request invalid, as it does where it wants a user");
      case UNIMPLEMENTED -> who + " does not have the calls of etcd 3";
      default -> who + " answered " + code;
    };
  }

  private String remedy(Status status) {
    return switch (reason(status)) {
      case INVALID_ARGUMENT ->
          settings.login().isPresent() ? "Report this" : "Give a login, if it wants one";
      case UNAUTHENTICATED, PERMISSION_DENIED ->
          "Correct the login, or the role of the user in etcd";
      case FAILED_PRECONDITION -> "See whether authentication is switched on there";
      case RESOURCE_EXHAUSTED -> "Compact and defragment etcd, and disarm its alarm";
      case UNIMPLEMENTED -> "Give the endpoints of an etcd 3.4 or later";
      default ->
          "See that it runs, and that it can be reached from here, with TLS where it asks for it";
    };
  }
}
