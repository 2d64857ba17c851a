package io.csi4j.testkit;

import com.google.protobuf.Message;
import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.client.model.CsiOperation;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ClientStreamTracer;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.shaded.io.netty.channel.EventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.MultiThreadIoEventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.nio.NioIoHandler;
import io.grpc.netty.shaded.io.netty.channel.socket.nio.NioDomainSocketChannel;
import io.grpc.netty.shaded.io.netty.util.concurrent.DefaultThreadFactory;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.UnixDomainSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A gRPC channel of grpc-java that sends and takes bytes: a caller without any manners. */
public final class RawCaller implements AutoCloseable {

  private final EventLoopGroup loop =
      new MultiThreadIoEventLoopGroup(
          1, new DefaultThreadFactory("raw-caller", true), NioIoHandler.newFactory());
  private final ManagedChannel channel;

  /** A caller of this socket, by the name that Go uses. */
  public RawCaller(CsiEndpoint endpoint) {
    this(endpoint, "localhost");
  }

  /** A caller of this socket, by another name. */
  public RawCaller(CsiEndpoint endpoint, String authority) {
    channel =
        NettyChannelBuilder.forAddress(UnixDomainSocketAddress.of(endpoint.path()))
            .channelType(NioDomainSocketChannel.class, UnixDomainSocketAddress.class)
            .withOption(io.grpc.netty.shaded.io.netty.channel.ChannelOption.SO_KEEPALIVE, null)
            .eventLoopGroup(loop)
            .usePlaintext()
            .disableRetry()
            .overrideAuthority(authority)
            .directExecutor()
            .build();
  }

  /** How a call ended. */
  public record Ended(List<byte[]> messages, Status status) {
    /** The code. */
    public Status.Code code() {
      return status.getCode();
    }
  }

  /** A call under way. */
  public record Pending(
      ClientCall<byte[], byte[]> call,
      CompletableFuture<Void> begun,
      CompletableFuture<Ended> end) {
    /** Waits until its beginning is written to the socket. */
    public Pending written() {
      begun.orTimeout(20, TimeUnit.SECONDS).join();
      return this;
    }

    /** Gives up. */
    public void cancel() {
      call.cancel("given up", null);
    }

    /** Waits for the end. */
    public Ended ended() {
      return end.orTimeout(20, TimeUnit.SECONDS).join();
    }
  }

  /** Calls, and waits for the end. */
  public Ended call(CsiOperation operation, Message request) {
    return begin(operation, request).ended();
  }

  /** Calls. */
  public Pending begin(CsiOperation operation, Message request) {
    return begin(operation.fullName(), request.toByteArray());
  }

  /** Calls any method with any bytes. */
  public Pending begin(String method, byte[] request) {
    return begin(method, request, CallOptions.DEFAULT);
  }

  /** Calls any method with any bytes and options. */
  public Pending begin(String method, byte[] request, CallOptions options) {
    MethodDescriptor<byte[], byte[]> described =
        MethodDescriptor.newBuilder(new Bytes(), new Bytes())
            .setFullMethodName(method)
            // Takes any number of messages, where a unary call would complain.
            .setType(MethodDescriptor.MethodType.SERVER_STREAMING)
            .build();
    CompletableFuture<Void> begun = new CompletableFuture<>();
    ClientCall<byte[], byte[]> call =
        channel.newCall(described, options.withStreamTracerFactory(new Beginning(begun)));
    CompletableFuture<Ended> end = new CompletableFuture<>();
    List<byte[]> messages = new ArrayList<>();
    call.start(
        new ClientCall.Listener<>() {
          @Override
          public void onMessage(byte[] message) {
            messages.add(message);
          }

          @Override
          public void onClose(Status status, Metadata trailers) {
            end.complete(new Ended(List.copyOf(messages), status));
          }
        },
        new Metadata());
    call.request(100);
    call.setMessageCompression(options.getCompressor() != null);
    call.sendMessage(request);
    call.halfClose();
    return new Pending(call, begun, end);
  }

  /** Sees when the headers of a call were written. */
  private static final class Beginning extends ClientStreamTracer.Factory {
    private final CompletableFuture<Void> begun;

    Beginning(CompletableFuture<Void> begun) {
      this.begun = begun;
    }

    @Override
    public ClientStreamTracer newClientStreamTracer(
        ClientStreamTracer.StreamInfo info, Metadata headers) {
      return new ClientStreamTracer() {
        @Override
        public void outboundHeaders() {
          begun.complete(null);
        }
      };
    }
  }

  /** The channel itself. */
  public ManagedChannel channel() {
    return channel;
  }

  @Override
  public void close() {
    channel.shutdownNow();
    try {
      channel.awaitTermination(5, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    loop.shutdownGracefully(0, 0, TimeUnit.SECONDS);
  }

  /** Messages as bytes. */
  public static final class Bytes implements MethodDescriptor.Marshaller<byte[]> {
    @Override
    public InputStream stream(byte @Nullable [] value) {
      return new ByteArrayInputStream(value == null ? new byte[0] : value);
    }

    @Override
    public byte[] parse(InputStream stream) {
      try {
        return stream.readAllBytes();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
