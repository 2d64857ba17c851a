package io.csi4j.client.internal;

import io.csi4j.client.identity.IdentityService.PluginInfo;
import io.csi4j.client.identity.IdentityService.Readiness;
import io.csi4j.client.internal.transport.Connection;
import io.csi4j.client.model.CallPolicy;
import io.csi4j.client.model.CsiAnswerException;
import io.csi4j.client.model.CsiCancelledException;
import io.csi4j.client.model.CsiConnectException;
import io.csi4j.client.model.CsiConnectException.Reason;
import io.csi4j.client.model.CsiException;
import io.csi4j.client.model.CsiFailure;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.CsiUnsupportedException;
import io.csi4j.client.model.Outcome;
import io.csi4j.client.model.PluginName;
import io.csi4j.client.model.StatusCode;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The first calls to a plugin. They wait until the plugin is ready, and read its name. */
public final class Introduction {

  private static final Duration PAUSE = Duration.ofMillis(100);

  private final CallPath path;
  private final Connection connection;
  private final long began = System.nanoTime();
  private final Duration limit;

  /** Creates the first calls over {@code connection}. Together they take at most {@code limit}. */
  public Introduction(CallPath path, Connection connection, Duration limit) {
    this.path = path;
    this.connection = connection;
    this.limit = limit;
  }

  /**
   * Returns once the plugin's name is known and, if the options require that, the plugin is ready.
   */
  public void complete() {
    if (path.options().requireReady()) {
      awaitReady();
    }
    learnName();
  }

  private void awaitReady() {
    CsiConnectException last = null;
    while (true) {
      CsiConnectException problem;
      CallPolicy policy = policy(CsiOperation.PROBE);
      try {
        Readiness readiness = path.blocking(IdentityClient.PROBE, IdentityClient.NOTHING, policy);
        if (readiness.isReady()) {
          return;
        }
        problem =
            problem(
                Reason.NOT_READY,
                StatusCode.OK,
                "the plugin answers, but reports that it is not ready yet",
                "Wait and connect again, or see in the plugin's log what it waits for.",
                null);
      } catch (CsiException failed) {
        problem = judge(failed, "a probe");
        // The failure of a probe with a shorter time limit proves less than the previous failure.
        boolean isCutShort = policy.attemptDeadline().compareTo(usual(CsiOperation.PROBE)) < 0;
        if (problem.reason() == Reason.NO_ANSWER && isCutShort && last != null) {
          problem = last;
        }
      }
      last = problem;
      if (problem.getCause() instanceof CsiUnsupportedException
          || left().isNegative()
          || isGone(problem)) {
        throw problem;
      }
      pauseOr(problem);
    }
  }

  /**
   * Returns whether the plugin has ended since the socket was connected, and the options forbid
   * waiting for a new socket.
   */
  private boolean isGone(CsiConnectException problem) {
    return !path.options().waitForSocket()
        && (problem.reason() == Reason.NO_SUCH_SOCKET
            || problem.reason() == Reason.NOBODY_LISTENING);
  }

  private CsiConnectException judge(CsiException failed, String question) {
    if (failed instanceof CsiCancelledException) {
      return problem(
          Reason.INTERRUPTED,
          StatusCode.CANCELLED,
          "the waiting thread was interrupted",
          "Connect again.",
          failed);
    }
    Optional<String> said = failed.failure().pluginText();
    if (failed.code() == StatusCode.UNAVAILABLE && said.isEmpty()) {
      return connection.diagnose(failed.code(), elapsed());
    }
    return switch (failed.code()) {
      case DEADLINE_EXCEEDED ->
          problem(
              Reason.NO_ANSWER,
              failed.code(),
              "the plugin did not answer " + question,
              "Look at the plugin's log; it may hang.",
              failed);
      case UNIMPLEMENTED ->
          problem(
              Reason.UNHEALTHY,
              failed.code(),
              "the listener speaks gRPC, but does not serve the CSI identity service",
              "Check that the endpoint is that of a CSI plugin.",
              failed);
      default ->
          problem(
              Reason.UNHEALTHY,
              failed.code(),
              "the plugin is not healthy: " + said.orElse(failed.failure().why()),
              failed.advice(),
              failed);
    };
  }

  private void learnName() {
    long generation = path.generation();
    Optional<PluginName> wanted = path.options().requiredName();
    try {
      PluginInfo told =
          path.blocking(
              IdentityClient.GET_PLUGIN_INFO,
              IdentityClient.NOTHING,
              policy(CsiOperation.GET_PLUGIN_INFO));
      PluginName name = told.name();
      if (wanted.isPresent() && !wanted.get().equals(name)) {
        throw problem(
            Reason.WRONG_PLUGIN,
            StatusCode.OK,
            "the plugin is '" + name + "', but '" + wanted.get() + "' was expected",
            "Check which plugin listens on this endpoint.",
            null);
      }
      path.introduced(told);
      path.gate().introduced(generation);
    } catch (CsiConnectException wrong) {
      throw wrong;
    } catch (CsiException failed) {
      if (failed instanceof CsiCancelledException || (wanted.isPresent() && isSilence(failed))) {
        throw judge(failed, "the request for its name");
      }
      if (wanted.isPresent()) {
        throw problem(
            Reason.WRONG_PLUGIN,
            failed.code(),
            "the plugin did not return a valid name, but '" + wanted.get() + "' was expected",
            "Check which plugin listens on this endpoint.",
            failed);
      }
      if (failed instanceof CsiAnswerException) {
        throw problem(
            Reason.UNHEALTHY,
            failed.code(),
            "the plugin's answer to the request for its name is not valid: "
                + failed.failure().why(),
            "Report this to the maker of the plugin.",
            failed);
      }
      // Some plugins fail this call but otherwise work. The name of such a plugin stays empty.
    }
  }

  /** Returns whether the plugin did not answer, because it has ended or is slow. */
  private static boolean isSilence(CsiException failed) {
    return !failed.failure().answered()
        && switch (failed.code()) {
          case UNAVAILABLE, DEADLINE_EXCEEDED, CANCELLED -> true;
          default -> false;
        };
  }

  private CallPolicy policy(CsiOperation operation) {
    CallPolicy usual = path.options().policy(operation);
    Duration known = left();
    Duration left = known.isNegative() ? Duration.ofMillis(1) : known.plusMillis(1);
    Duration deadline =
        left.compareTo(usual.attemptDeadline()) < 0 ? left : usual.attemptDeadline();
    return usual.with(each -> each.attempts(1).attemptDeadline(deadline));
  }

  private Duration usual(CsiOperation operation) {
    return path.options().policy(operation).attemptDeadline();
  }

  private void pauseOr(CsiConnectException problem) {
    if (problem.reason() == Reason.INTERRUPTED) {
      throw problem;
    }
    try {
      TimeUnit.NANOSECONDS.sleep(Math.min(PAUSE.toNanos(), left().toNanos()));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private Duration elapsed() {
    return Duration.ofNanos(System.nanoTime() - began);
  }

  private Duration left() {
    return limit.minus(elapsed());
  }

  private CsiConnectException problem(
      Reason reason, StatusCode code, String why, String advice, @Nullable CsiException cause) {
    return new CsiConnectException(
        CsiFailure.builder(path.endpoint(), code, Outcome.SETTLED)
            .plugin(path.name().orElse(null))
            .why(why)
            .advice(advice)
            .elapsed(elapsed())
            .build(),
        reason,
        cause);
  }
}
