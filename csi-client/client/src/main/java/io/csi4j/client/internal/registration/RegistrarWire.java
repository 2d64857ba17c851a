package io.csi4j.client.internal.registration;

import com.google.common.util.concurrent.FutureCallback;
import com.google.common.util.concurrent.Futures;
import com.google.common.util.concurrent.ListenableFuture;
import com.google.protobuf.Message;
import io.csi4j.client.internal.proto.InfoRequest;
import io.csi4j.client.internal.proto.PluginInfo;
import io.csi4j.client.internal.proto.RegistrationGrpc;
import io.csi4j.client.internal.proto.RegistrationStatus;
import io.csi4j.client.internal.transport.Connection;
import io.csi4j.client.model.ConnectOptions;
import io.csi4j.client.model.StatusCode;
import io.grpc.CallOptions;
import io.grpc.Context;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.stub.ClientCalls;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * The calls of plugin registration over one connection. Each call is sent once, with the deadline
 * of the given options. Safe for use by many threads.
 */
public final class RegistrarWire {

  /**
   * Maximum size of an announcement. An announcement is parsed immediately, and every two bytes of
   * it may become a string, so an announcement of this size takes at most a few MiB of heap.
   */
  private static final int LARGEST_ANSWER = 64 << 10;

  private final Connection connection;
  private final ConnectOptions options;

  /** Creates the calls over {@code connection}. */
  public RegistrarWire(Connection connection, ConnectOptions options) {
    this.connection = connection;
    this.options = options;
  }

  /** Returns the maximum bytes of an answer over a connection with these options. */
  public static int largestAnswer(ConnectOptions options) {
    return Math.min(options.maxMessageBytes(), LARGEST_ANSWER);
  }

  /**
   * Asks the registrar for its announcement.
   *
   * @return cancels the call
   */
  public Runnable info(WireEnd<AnnouncedPlugin> end) {
    return send(
        RegistrationGrpc.getGetInfoMethod(),
        InfoRequest.getDefaultInstance(),
        RegistrarWire::announced,
        end);
  }

  private static AnnouncedPlugin announced(PluginInfo info) {
    return new AnnouncedPlugin(
        info.getType(), info.getName(), info.getEndpoint(), info.getSupportedVersionsList());
  }

  /**
   * Notifies the registrar of the registration status. The answer has no content.
   *
   * @return cancels the call
   */
  public Runnable tell(boolean registered, String error, WireEnd<Object> end) {
    RegistrationStatus status =
        RegistrationStatus.newBuilder().setPluginRegistered(registered).setError(error).build();
    return send(
        RegistrationGrpc.getNotifyRegistrationStatusMethod(), status, response -> response, end);
  }

  private <Q extends Message, A extends Message, R> Runnable send(
      MethodDescriptor<Q, A> method, Q request, Function<A, R> reader, WireEnd<R> end) {
    CallOptions how =
        CallOptions.DEFAULT
            .withExecutor(connection.callbacks())
            .withDeadlineAfter(options.deadline().toNanos(), TimeUnit.NANOSECONDS)
            .withMaxInboundMessageSize(largestAnswer(options));
    // The host's gRPC context has its own deadline and cancellation, which must not affect this
    // call.
    Context hosts = Context.ROOT.attach();
    try {
      ListenableFuture<A> sent =
          ClientCalls.futureUnaryCall(connection.channel().newCall(method, how), request);
      Futures.addCallback(sent, new Told<>(reader, end), Runnable::run);
      return () -> sent.cancel(true);
    } catch (RuntimeException closing) {
      // The I/O thread of a connection that is being closed accepts no more work.
      end.failed(failure(Status.UNAVAILABLE, closing));
      return () -> {};
    } finally {
      Context.ROOT.detach(hosts);
    }
  }

  private static WireFailure failure(Status status, Throwable cause) {
    String text = status.getDescription();
    return new WireFailure(
        StatusCode.ofValue(status.getCode().value()),
        text == null ? "" : text,
        status.getCause() != null,
        cause);
  }

  /** Passes the end of a call to {@code end}. */
  private record Told<A extends Message, R>(Function<A, R> reader, WireEnd<R> end)
      implements FutureCallback<A> {

    @Override
    public void onSuccess(A message) {
      end.answered(reader.apply(message));
    }

    @Override
    public void onFailure(Throwable thrown) {
      end.failed(failure(Status.fromThrowable(thrown), thrown));
    }
  }
}
