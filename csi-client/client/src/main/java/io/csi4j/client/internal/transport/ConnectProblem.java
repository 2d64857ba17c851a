package io.csi4j.client.internal.transport;

import io.csi4j.client.model.CsiConnectException;
import io.csi4j.client.model.CsiConnectException.Reason;
import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.client.model.CsiFailure;
import io.csi4j.client.model.Outcome;
import io.csi4j.client.model.StatusCode;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A problem that prevents this process from connecting to a socket.
 *
 * @param reason the kind of problem
 * @param why the problem as a clause, for the message
 * @param advice the next step as a sentence, for the message
 */
public record ConnectProblem(Reason reason, String why, String advice) {

  /**
   * Returns whether the problem may disappear on its own: a plugin that is still starting causes
   * such problems.
   */
  public boolean mayPass() {
    return switch (reason) {
      case NO_SUCH_SOCKET, NOBODY_LISTENING, NO_ANSWER, NOT_READY, UNHEALTHY, FLOODS -> true;
      default -> false;
    };
  }

  /**
   * Returns the status code that fits the problem best, because no call was made that could return
   * a status.
   */
  public StatusCode code() {
    return switch (reason) {
      case PATH_TOO_LONG, NOT_A_SOCKET, SYMLINK, UNSAFE_DIRECTORY -> StatusCode.INVALID_ARGUMENT;
      case PERMISSION_DENIED, WRONG_PEER -> StatusCode.PERMISSION_DENIED;
      case NO_ANSWER -> StatusCode.DEADLINE_EXCEEDED;
      case INTERRUPTED -> StatusCode.CANCELLED;
      case WRONG_PLUGIN -> StatusCode.FAILED_PRECONDITION;
      case NO_SUCH_SOCKET, NOBODY_LISTENING, NOT_GRPC, NOT_READY, UNHEALTHY, NO_TRANSPORT, FLOODS ->
          StatusCode.UNAVAILABLE;
    };
  }

  public CsiConnectException toException(
      CsiEndpoint endpoint, StatusCode code, Duration elapsed, @Nullable Throwable cause) {
    CsiFailure failure =
        CsiFailure.builder(endpoint, code, Outcome.SETTLED)
            .why(why)
            .advice(advice)
            .elapsed(elapsed)
            .build();
    return new CsiConnectException(failure, reason, cause);
  }
}
