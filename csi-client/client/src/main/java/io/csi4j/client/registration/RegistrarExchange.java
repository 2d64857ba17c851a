package io.csi4j.client.registration;

import com.google.common.util.concurrent.FutureCallback;
import com.google.common.util.concurrent.Futures;
import com.google.common.util.concurrent.ListenableFuture;
import com.google.protobuf.Message;
import io.csi4j.client.internal.CallFuture;
import io.csi4j.client.internal.transport.Connection;
import io.csi4j.client.model.ConnectOptions;
import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.client.model.CsiFailure;
import io.csi4j.client.model.Outcome;
import io.csi4j.client.model.StatusCode;
import io.csi4j.client.registration.RegistrarException.Call;
import io.csi4j.client.registration.RegistrarException.Reason;
import io.grpc.CallOptions;
import io.grpc.Context;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.stub.ClientCalls;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** One call to a registrar, sent once. Its end is told on the callback threads. */
final class RegistrarExchange<A extends Message, R extends @Nullable Object> {

  private final CsiEndpoint socket;
  private final ConnectOptions options;
  private final Connection connection;
  private final Call call;
  private final long began = System.nanoTime();
  private final CallFuture<R> result = new CallFuture<>(() -> end(Reason.CANCELLED));
  private volatile @Nullable Reason ended;
  private volatile @Nullable ListenableFuture<A> answer;

  RegistrarExchange(CsiEndpoint socket, ConnectOptions options, Connection connection, Call call) {
    this.socket = socket;
    this.options = options;
    this.connection = connection;
    this.call = call;
  }

  /** What comes of it. */
  CallFuture<R> result() {
    return result;
  }

  <Q extends Message> void send(MethodDescriptor<Q, A> method, Q request, Function<A, R> reader) {
    CallOptions how =
        CallOptions.DEFAULT
            .withExecutor(connection.callbacks())
            .withDeadlineAfter(options.deadline().toNanos(), TimeUnit.NANOSECONDS);
    // A host's own gRPC context, with its deadline and cancellation, is none of our business.
    Context hosts = Context.ROOT.attach();
    try {
      ListenableFuture<A> sent =
          ClientCalls.futureUnaryCall(connection.channel().newCall(method, how), request);
      answer = sent;
      Futures.addCallback(sent, new End(reader), Runnable::run);
    } catch (RuntimeException closing) {
      // The I/O thread of a connection that is being closed takes no more work.
      fail(Status.UNAVAILABLE, closing);
    } finally {
      Context.ROOT.detach(hosts);
    }
    if (ended != null) {
      cancel();
    }
  }

  /** Gives up, unless it has ended. */
  void end(Reason reason) {
    if (ended == null) {
      ended = reason;
    }
    cancel();
  }

  private void cancel() {
    ListenableFuture<A> sent = answer;
    if (sent != null) {
      sent.cancel(true);
    }
  }

  private final class End implements FutureCallback<A> {
    private final Function<A, R> reader;

    End(Function<A, R> reader) {
      this.reader = reader;
    }

    @Override
    public void onSuccess(A message) {
      result.complete(reader.apply(message));
    }

    @Override
    public void onFailure(Throwable thrown) {
      fail(Status.fromThrowable(thrown), thrown);
    }
  }

  private void fail(Status status, Throwable cause) {
    Reason reason = ended;
    StatusCode code =
        reason == null ? StatusCode.ofValue(status.getCode().value()) : StatusCode.CANCELLED;
    CsiFailure.Builder failure =
        CsiFailure.builder(socket, code, Outcome.SETTLED)
            .elapsed(Duration.ofNanos(System.nanoTime() - began));
    Reason why = reason == null ? explain(failure, code, status) : here(failure, reason);
    result.completeExceptionally(new RegistrarException(failure.build(), call, why, cause));
  }

  private static Reason here(CsiFailure.Builder failure, Reason reason) {
    failure
        .why(
            switch (reason) {
              case INTERRUPTED -> "the waiting thread was interrupted";
              case CLOSED -> "the connection was closed by the host";
              default -> "the caller cancelled it";
            })
        .advice("Ask again.");
    return reason;
  }

  /** Says why, and gives the kind of it. */
  private Reason explain(CsiFailure.Builder failure, StatusCode code, Status status) {
    String text = status.getDescription() == null ? "" : status.getDescription();
    switch (code) {
      case DEADLINE_EXCEEDED -> {
        failure
            .why("it gave no answer within " + options.deadline().toMillis() + " ms")
            .advice("Look at the registrar's log; it may hang.");
        return Reason.NO_ANSWER;
      }
      case UNIMPLEMENTED -> {
        failure
            .why("whoever listens speaks gRPC, but serves no plugin registration")
            .advice("Check that this is the socket of a registrar.");
        return Reason.NOT_A_REGISTRAR;
      }
      case UNAVAILABLE -> {
        CsiFailure seen = connection.diagnose(code, Duration.ZERO).failure();
        failure.why(seen.why()).advice(seen.advice());
        return Reason.LOST;
      }
      default -> {
        return explainAnswer(failure, code, text, status.getCause() != null);
      }
    }
  }

  private Reason explainAnswer(
      CsiFailure.Builder failure, StatusCode code, String text, boolean unreadable) {
    if (code == StatusCode.RESOURCE_EXHAUSTED
        && text.startsWith("gRPC message exceeds maximum size")) {
      failure
          .why("its answer is larger than the " + options.maxMessageBytes() + " bytes allowed")
          .advice("Report this to the maker of the registrar.");
      return Reason.UNUSABLE_ANSWER;
    }
    if (unreadable) {
      failure.why("its answer cannot be read").advice("Report this to the maker of the registrar.");
      return Reason.UNUSABLE_ANSWER;
    }
    failure
        .why("it answered with an error")
        .advice("Look at the registrar's log.")
        .pluginText(text);
    return Reason.FAILED;
  }
}
