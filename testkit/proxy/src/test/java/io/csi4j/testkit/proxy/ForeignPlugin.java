package io.csi4j.testkit.proxy;

import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.testkit.RawCaller;
import io.grpc.HandlerRegistry;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Server;
import io.grpc.ServerCall;
import io.grpc.ServerMethodDefinition;
import io.grpc.Status;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.netty.shaded.io.netty.channel.EventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.MultiThreadIoEventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.nio.NioIoHandler;
import io.grpc.netty.shaded.io.netty.channel.socket.nio.NioServerDomainSocketChannel;
import io.grpc.netty.shaded.io.netty.util.concurrent.DefaultThreadFactory;
import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A server of grpc-java that knows no method and answers all: it sends back each message as it
 * comes, and at the end the caller's header as a trailer, with NOT_FOUND. That header can be a word
 * for something else.
 */
final class ForeignPlugin implements AutoCloseable {

  static final Metadata.Key<String> WORD =
      Metadata.Key.of("x-word", Metadata.ASCII_STRING_MARSHALLER);
  static final Metadata.Key<byte[]> DETAILS =
      Metadata.Key.of("grpc-status-details-bin", Metadata.BINARY_BYTE_MARSHALLER);

  /** The word for trailers that are larger than callers take. */
  static final String LARGE_TRAILERS = "large-trailers";

  /** The word for each message to be sent back many times. */
  static final String MANY_ANSWERS = "many-answers";

  private final EventLoopGroup loop =
      new MultiThreadIoEventLoopGroup(
          1, new DefaultThreadFactory("foreign-plugin", true), NioIoHandler.newFactory());
  private final List<String> authorities = new CopyOnWriteArrayList<>();
  private final List<Boolean> deadlines = new CopyOnWriteArrayList<>();
  private final Path socket;
  private final Server server;

  ForeignPlugin(Path socket) throws IOException {
    this.socket = socket;
    server =
        NettyServerBuilder.forAddress(UnixDomainSocketAddress.of(socket))
            .channelType(NioServerDomainSocketChannel.class)
            .bossEventLoopGroup(loop)
            .workerEventLoopGroup(loop)
            .directExecutor()
            .fallbackHandlerRegistry(
                new HandlerRegistry() {
                  @Override
                  public ServerMethodDefinition<?, ?> lookupMethod(
                      String name, @Nullable String authority) {
                    return method(name);
                  }
                })
            .build()
            .start();
  }

  private ServerMethodDefinition<byte[], byte[]> method(String name) {
    return ServerMethodDefinition.create(
        MethodDescriptor.newBuilder(new RawCaller.Bytes(), new RawCaller.Bytes())
            .setFullMethodName(name)
            .setType(MethodDescriptor.MethodType.BIDI_STREAMING)
            .build(),
        this::begin);
  }

  private ServerCall.Listener<byte[]> begin(ServerCall<byte[], byte[]> call, Metadata headers) {
    authorities.add(Optional.ofNullable(call.getAuthority()).orElse(""));
    deadlines.add(io.grpc.Context.current().getDeadline() != null);
    call.sendHeaders(new Metadata());
    call.request(1);
    return new ServerCall.Listener<>() {
      @Override
      public void onMessage(byte[] message) {
        int times = MANY_ANSWERS.equals(headers.get(WORD)) ? 23 : 1;
        for (int i = 0; i < times; i++) {
          call.sendMessage(message);
        }
        call.request(1);
      }

      @Override
      public void onHalfClose() {
        Metadata trailers = new Metadata();
        Optional.ofNullable(headers.get(WORD)).ifPresent(word -> trailers.put(WORD, word));
        trailers.put(DETAILS, new byte[] {1, 2, 3});
        boolean isLarge = LARGE_TRAILERS.equals(headers.get(WORD));
        call.close(
            Status.NOT_FOUND.withDescription(isLarge ? "x".repeat(16_000) : "näher"), trailers);
      }
    };
  }

  CsiEndpoint endpoint() {
    return CsiEndpoint.of(socket);
  }

  /** The authorities that callers gave. */
  List<String> authorities() {
    return authorities;
  }

  /** Whether each call had a deadline. */
  List<Boolean> deadlines() {
    return deadlines;
  }

  /** Takes no further call, and ends after those that it has. */
  void takeLeave() {
    server.shutdown();
  }

  @Override
  public void close() {
    server.shutdownNow();
    loop.shutdownGracefully(0, 0, TimeUnit.SECONDS);
  }
}
