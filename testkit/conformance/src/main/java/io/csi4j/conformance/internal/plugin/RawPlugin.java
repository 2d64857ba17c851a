package io.csi4j.conformance.internal.plugin;

import com.google.protobuf.Message;
import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.StatusCode;
import io.csi4j.testkit.internal.journal.WireOperation;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.Status;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.shaded.io.netty.channel.ChannelOption;
import io.grpc.netty.shaded.io.netty.channel.EventLoop;
import io.grpc.netty.shaded.io.netty.channel.SingleThreadIoEventLoop;
import io.grpc.netty.shaded.io.netty.channel.nio.NioIoHandler;
import io.grpc.netty.shaded.io.netty.channel.socket.nio.NioDomainSocketChannel;
import io.grpc.protobuf.ProtoUtils;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A plugin's socket, on which any message can be sent: nothing is checked, nothing repeated. */
final class RawPlugin implements AutoCloseable {

  /** The time in which a process that ends closes all that it has open. */
  static final Duration MOMENTS = Duration.ofSeconds(1);

  private final CsiEndpoint endpoint;
  private final EventLoop loop;
  private ManagedChannel channel;

  private RawPlugin(CsiEndpoint endpoint, EventLoop loop) {
    this.endpoint = endpoint;
    this.loop = loop;
    channel = newChannel(endpoint, loop);
  }

  /** The socket there; connected to with the first call. */
  static RawPlugin at(CsiEndpoint endpoint) {
    return new RawPlugin(
        endpoint,
        new SingleThreadIoEventLoop(null, RawPlugin::newThread, NioIoHandler.newFactory()));
  }

  private static ManagedChannel newChannel(CsiEndpoint endpoint, EventLoop loop) {
    return NettyChannelBuilder.forAddress(UnixDomainSocketAddress.of(endpoint.path()))
        .channelType(NioDomainSocketChannel.class, UnixDomainSocketAddress.class)
        .eventLoopGroup(loop)
        .usePlaintext()
        .overrideAuthority("localhost")
        .withOption(ChannelOption.SO_KEEPALIVE, null)
        .directExecutor()
        .offloadExecutor(loop)
        .disableRetry()
        .disableServiceConfigLookUp()
        .maxTraceEvents(0)
        .build();
  }

  /** Begins a call; ends normally in any case. */
  CompletableFuture<Reply> call(Message request, Duration deadline) {
    long began = System.nanoTime();
    CompletableFuture<Reply> reply = new CompletableFuture<>();
    List<Message> messages = new ArrayList<>();
    ClientCall<Message, Message> call =
        channel.newCall(
            method(WireOperation.of(operation(request))),
            CallOptions.DEFAULT.withDeadlineAfter(deadline.toNanos(), TimeUnit.NANOSECONDS));
    call.start(
        new ClientCall.Listener<>() {
          private boolean answered;

          @Override
          public void onHeaders(Metadata headers) {
            answered = true;
          }

          @Override
          public void onMessage(Message message) {
            messages.add(message);
          }

          @Override
          public void onClose(Status status, Metadata trailers) {
            @Nullable String text = status.getDescription();
            reply.complete(
                new Reply(
                    operation(request),
                    StatusCode.ofValue(status.getCode().value()),
                    text == null ? "" : text,
                    messages,
                    Duration.ofNanos(System.nanoTime() - began),
                    isLost(status, trailers, answered)));
          }
        },
        new Metadata());
    call.request(Integer.MAX_VALUE);
    call.sendMessage(request);
    call.halfClose();
    return reply;
  }

  /** A status that the plugin sent has headers of its own; one that the transport made has none. */
  private static boolean isLost(Status status, Metadata trailers, boolean answered) {
    return status.getCode() == Status.Code.UNAVAILABLE
        && trailers.keys().isEmpty()
        && (!answered || status.getCause() != null);
  }

  CsiEndpoint endpoint() {
    return endpoint;
  }

  /**
   * Makes a new connection with the next call. A channel whose connection failed fails every call
   * until it is connected again, which it does in the background.
   */
  void reconnect() {
    channel.shutdownNow();
    channel = newChannel(endpoint, loop);
  }

  /** Returns an empty request of a call. */
  static Message request(CsiOperation operation) {
    return WireOperation.of(operation).request();
  }

  static boolean listens(CsiEndpoint endpoint) {
    try (SocketChannel socket = SocketChannel.open(StandardProtocolFamily.UNIX)) {
      return socket.connect(UnixDomainSocketAddress.of(endpoint.path()));
    } catch (IOException e) {
      return false;
    }
  }

  /**
   * Whether nothing listens on the socket, or does not any more within moments: a process that dies
   * closes its connections and its socket one after the other.
   */
  static boolean isGone(CsiEndpoint endpoint) {
    Pause moments = new Pause(MOMENTS);
    while (listens(endpoint)) {
      if (!moments.again()) {
        return false;
      }
    }
    return true;
  }

  private static MethodDescriptor<Message, Message> method(WireOperation wire) {
    return MethodDescriptor.newBuilder(
            ProtoUtils.marshaller(wire.request()), ProtoUtils.marshaller(wire.answer()))
        .setFullMethodName(wire.operation().fullName())
        .setType(wire.streams() ? MethodType.SERVER_STREAMING : MethodType.UNARY)
        .build();
  }

  static CsiOperation operation(Message request) {
    String type = request.getDescriptorForType().getName();
    return CsiOperation.ofRpcName(type.substring(0, type.length() - "Request".length()))
        .orElseThrow();
  }

  private static Thread newThread(Runnable task) {
    Thread thread = new Thread(task, "csi4j-conformance-io");
    thread.setDaemon(true);
    return thread;
  }

  /** Ends the calls in flight, and the thread. */
  @Override
  public void close() {
    channel.shutdownNow();
    var unused = loop.shutdownGracefully(0, 5, TimeUnit.SECONDS);
    try {
      boolean unused1 = channel.awaitTermination(5, TimeUnit.SECONDS);
      boolean unused2 = loop.awaitTermination(5, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
