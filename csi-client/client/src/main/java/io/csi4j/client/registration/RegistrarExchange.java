package io.csi4j.client.registration;

import io.csi4j.client.internal.CallFuture;
import io.csi4j.client.internal.registration.RegistrarWire;
import io.csi4j.client.internal.registration.WireEnd;
import io.csi4j.client.internal.registration.WireFailure;
import io.csi4j.client.internal.transport.Connection;
import io.csi4j.client.model.ConnectOptions;
import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.client.model.CsiFailure;
import io.csi4j.client.model.Outcome;
import io.csi4j.client.model.StatusCode;
import io.csi4j.client.registration.RegistrarException.Call;
import io.csi4j.client.registration.RegistrarException.Reason;
import java.time.Duration;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** One call to a registrar, which is sent once. The callback threads report the end of the call. */
final class RegistrarExchange<A, R extends @Nullable Object> implements WireEnd<A> {

  private final CsiEndpoint socket;
  private final ConnectOptions options;
  private final Connection connection;
  private final Call call;
  private final Function<A, R> reader;
  private final long began = System.nanoTime();
  private final CallFuture<R> result = new CallFuture<>(() -> end(Reason.CANCELLED));
  private volatile @Nullable Reason ended;
  private volatile @Nullable Runnable cancelling;

  RegistrarExchange(
      CsiEndpoint socket,
      ConnectOptions options,
      Connection connection,
      Call call,
      Function<A, R> reader) {
    this.socket = socket;
    this.options = options;
    this.connection = connection;
    this.call = call;
    this.reader = reader;
  }

  /** Returns the result. */
  CallFuture<R> result() {
    return result;
  }

  /** Sends the call; {@code sender} returns the action that cancels it. */
  void send(Function<WireEnd<A>, Runnable> sender) {
    cancelling = sender.apply(this);
    if (ended != null) {
      cancel();
    }
  }

  /** Ends the call, unless it has already ended. */
  void end(Reason reason) {
    if (ended == null) {
      ended = reason;
    }
    cancel();
  }

  private void cancel() {
    Runnable sent = cancelling;
    if (sent != null) {
      sent.run();
    }
  }

  @Override
  public void answered(A answer) {
    result.complete(reader.apply(answer));
  }

  @Override
  public void failed(WireFailure seen) {
    Reason reason = ended;
    StatusCode code = reason == null ? seen.code() : StatusCode.CANCELLED;
    CsiFailure.Builder failure =
        CsiFailure.builder(socket, code, Outcome.SETTLED).elapsed(elapsed());
    Reason why = reason == null ? explain(failure, seen) : here(failure, reason);
    result.completeExceptionally(new RegistrarException(failure.build(), call, why, seen.cause()));
  }

  private static Reason here(CsiFailure.Builder failure, Reason reason) {
    failure
        .why(
            switch (reason) {
              case INTERRUPTED -> "the waiting thread was interrupted";
              case CLOSED -> "the connection was closed by the host";
              default -> "the caller cancelled the call";
            })
        .advice("Make the call again.");
    return reason;
  }

  /** Adds an explanation to {@code failure}, and returns the reason of the failure. */
  private Reason explain(CsiFailure.Builder failure, WireFailure seen) {
    switch (seen.code()) {
      case DEADLINE_EXCEEDED -> {
        failure
            .why("it gave no answer within " + options.deadline().toMillis() + " ms")
            .advice("Look at the registrar's log; it may hang.");
        return Reason.NO_ANSWER;
      }
      case UNIMPLEMENTED -> {
        failure
            .why("the listener speaks gRPC, but does not serve plugin registration")
            .advice("Check that this is the socket of a registrar.");
        return Reason.NOT_A_REGISTRAR;
      }
      case UNAVAILABLE -> {
        return explainLoss(failure);
      }
      default -> {
        // If the connection is lost while frames are being sent, the failed frames end the call
        // before gRPC reports the loss.
        return seen.code() == StatusCode.UNKNOWN && seen.unreadable()
            ? explainLoss(failure)
            : explainAnswer(failure, seen);
      }
    }
  }

  private Reason explainLoss(CsiFailure.Builder failure) {
    CsiFailure found = connection.diagnose(StatusCode.UNAVAILABLE, elapsed()).failure();
    failure.why(found.why()).advice(found.advice());
    return Reason.LOST;
  }

  private Duration elapsed() {
    return Duration.ofNanos(System.nanoTime() - began);
  }

  private Reason explainAnswer(CsiFailure.Builder failure, WireFailure seen) {
    if (seen.code() == StatusCode.RESOURCE_EXHAUSTED
        && seen.text().startsWith("gRPC message exceeds maximum size")) {
      failure
          .why(
              "its answer is larger than the "
                  + RegistrarWire.largestAnswer(options)
                  + " bytes allowed")
          .advice("Report this to the maker of the registrar.");
      return Reason.UNUSABLE_ANSWER;
    }
    if (seen.unreadable()) {
      failure.why("its answer cannot be read").advice("Report this to the maker of the registrar.");
      return Reason.UNUSABLE_ANSWER;
    }
    failure
        .why("it answered with an error")
        .advice("Look at the registrar's log.")
        .pluginText(seen.text());
    return Reason.FAILED;
  }
}
