package io.csi4j.volume.claim.etcd;

import io.csi4j.volume.claim.etcd.Etcd.Failure.Fate;
import io.grpc.Status;
import java.nio.channels.ClosedChannelException;

/**
 * Converts failed calls to etcd into failures. Decisions depend only on status codes. The message
 * text of etcd is not shown, because its contents are not known.
 */
final class JetcdFailures {

  private final EtcdSettings settings;

  JetcdFailures(EtcdSettings settings) {
    this.settings = settings;
  }

  Etcd.Failure of(Throwable thrown) {
    Status status = status(thrown);
    for (Throwable each = thrown; each != null; each = each.getCause()) {
      // The exceptions were created on threads of gRPC, so their stack traces are not useful.
      each.setStackTrace(new StackTraceElement[0]);
    }
    return new Etcd.Failure(
        fate(status.getCode()), because(reason(status)), remedy(status), thrown);
  }

  /** Returns the failure for a call that did not end in time, although it had a deadline. */
  Etcd.Failure late(Throwable thrown) {
    Status status = Status.DEADLINE_EXCEEDED;
    return new Etcd.Failure(Fate.UNKNOWN, because(status.getCode()), remedy(status), thrown);
  }

  static Etcd.Failure closed() {
    return new Etcd.Failure(Fate.CLOSED, "the store was closed here", "Open it again", null);
  }

  /**
   * Whether an immediate retry may succeed. The caller must not retry a write that may have been
   * made.
   */
  static boolean isPassing(Throwable thrown) {
    return switch (status(thrown).getCode()) {
      // The token of the login has expired, and jetcd has now discarded it; or a member has just
      // stopped.
      case UNAUTHENTICATED, INVALID_ARGUMENT, UNAVAILABLE -> true;
      default -> false;
    };
  }

  /**
   * Returns whether a write with this status code may have been made. If the space quota of etcd is
   * exhausted, etcd may make a write although it reports a failure. Therefore, only codes of checks
   * that etcd makes before any other processing count as refusals.
   */
  static Fate fate(Status.Code code) {
    return switch (code) {
      case UNAUTHENTICATED, PERMISSION_DENIED, INVALID_ARGUMENT, UNIMPLEMENTED -> Fate.REFUSED;
      default -> Fate.UNKNOWN;
    };
  }

  /**
   * Returns the status of a failed call. If the connection was being closed, the call has no
   * specific code, and counts as unavailable.
   */
  private static Status status(Throwable thrown) {
    Status status = Status.fromThrowable(thrown);
    boolean isClosed = status.getCause() instanceof ClosedChannelException;
    return status.getCode() == Status.Code.UNKNOWN && isClosed ? Status.UNAVAILABLE : status;
  }

  /**
   * Returns the code that explains the failure. If a call was not sent because the login failed,
   * the failure of the login is the cause of the call's failure.
   */
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
      case FAILED_PRECONDITION -> who + " is not in a state that allows this call";
      case PERMISSION_DENIED ->
          who + " does not allow the user to read and write below '" + settings.prefix() + "'";
      case RESOURCE_EXHAUSTED -> who + " has exhausted its space quota, or is overloaded";
      case INVALID_ARGUMENT ->
          who
              + (settings.login().isPresent()
                  ? " rejects the request as invalid"
                  : " rejects the request as invalid, which also happens when it requires a user");
      case UNIMPLEMENTED -> who + " does not offer the calls of etcd 3";
      default -> who + " answered " + code;
    };
  }

  private String remedy(Status status) {
    return switch (reason(status)) {
      case INVALID_ARGUMENT ->
          settings.login().isPresent() ? "Report this" : "Configure a login, if etcd requires one";
      case UNAUTHENTICATED, PERMISSION_DENIED ->
          "Correct the login, or the role of the user in etcd";
      case FAILED_PRECONDITION -> "Check whether authentication is enabled in etcd";
      case RESOURCE_EXHAUSTED -> "Compact and defragment etcd, and disarm its alarm";
      case UNIMPLEMENTED -> "Use the endpoints of an etcd 3.4 or later";
      default ->
          "Check that etcd runs, and that this host can reach it, with TLS if etcd requires it";
    };
  }
}
