package io.csi4j.benchmarks.proxy;

import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.HandlerRegistry;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerMethodDefinition;
import io.grpc.Status;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.netty.shaded.io.netty.channel.ChannelOption;
import io.grpc.netty.shaded.io.netty.channel.EventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.MultiThreadIoEventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollDomainSocketChannel;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollIoHandler;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollServerDomainSocketChannel;
import io.grpc.netty.shaded.io.netty.channel.unix.DomainSocketAddress;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * A program that forwards calls with the least possible work, through the same gRPC. It receives
 * the bytes of a request, makes the same call with them, and returns the bytes of the answer, all
 * on one thread. It stores nothing, checks nothing, and supports only unary calls. {@link
 * ProxyProcess} starts this program.
 */
final class BareRelay extends HandlerRegistry {

  private static final MethodDescriptor.Marshaller<byte[]> BYTES =
      new MethodDescriptor.Marshaller<>() {
        @Override
        public InputStream stream(byte[] value) {
          return new ByteArrayInputStream(value);
        }

        @Override
        public byte[] parse(InputStream stream) {
          try {
            return stream.readAllBytes();
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        }
      };

  private final ManagedChannel plugin;
  private final Map<String, ServerMethodDefinition<byte[], byte[]>> methods =
      new ConcurrentHashMap<>();

  private BareRelay(ManagedChannel plugin) {
    this.plugin = plugin;
  }

  /** Runs a relay. The arguments are PLUGIN SOCKET. */
  public static void main(String[] words) throws IOException, InterruptedException {
    EventLoopGroup loop = new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());
    ManagedChannel plugin =
        NettyChannelBuilder.forAddress(new DomainSocketAddress(words[0]))
            .channelType(EpollDomainSocketChannel.class)
            .eventLoopGroup(loop)
            .directExecutor()
            // gRPC sets this option for TCP sockets. For a UNIX socket, netty would log a warning.
            .withOption(ChannelOption.SO_KEEPALIVE, null)
            .overrideAuthority("localhost")
            .usePlaintext()
            .build();
    NettyServerBuilder.forAddress(new DomainSocketAddress(words[1]))
        .channelType(EpollServerDomainSocketChannel.class)
        .bossEventLoopGroup(loop)
        .workerEventLoopGroup(loop)
        .directExecutor()
        .withChildOption(ChannelOption.SO_KEEPALIVE, null)
        .fallbackHandlerRegistry(new BareRelay(plugin))
        .build()
        .start();
    System.out.println("ready");
    Thread.currentThread().join();
  }

  @Override
  public ServerMethodDefinition<?, ?> lookupMethod(String method, @Nullable String authority) {
    return methods.computeIfAbsent(method, this::method);
  }

  private ServerMethodDefinition<byte[], byte[]> method(String name) {
    MethodDescriptor<byte[], byte[]> method =
        MethodDescriptor.<byte[], byte[]>newBuilder()
            .setType(MethodDescriptor.MethodType.UNARY)
            .setFullMethodName(name)
            .setRequestMarshaller(BYTES)
            .setResponseMarshaller(BYTES)
            .build();
    return ServerMethodDefinition.create(method, new Passing(plugin, method));
  }

  /** Forwards each call to the plugin. */
  private record Passing(ManagedChannel plugin, MethodDescriptor<byte[], byte[]> method)
      implements ServerCallHandler<byte[], byte[]> {
    @Override
    public ServerCall.Listener<byte[]> startCall(
        ServerCall<byte[], byte[]> call, Metadata headers) {
      ClientCall<byte[], byte[]> passed = plugin.newCall(method, CallOptions.DEFAULT);
      passed.start(new Answer(call), new Metadata());
      passed.request(2);
      call.request(2);
      return new ServerCall.Listener<>() {
        @Override
        public void onMessage(byte[] message) {
          passed.sendMessage(message);
        }

        @Override
        public void onHalfClose() {
          passed.halfClose();
        }

        @Override
        public void onCancel() {
          passed.cancel("The caller has cancelled it.", null);
        }
      };
    }
  }

  /** Returns an answer to the caller. */
  private static final class Answer extends ClientCall.Listener<byte[]> {

    private final ServerCall<byte[], byte[]> call;

    private Answer(ServerCall<byte[], byte[]> call) {
      this.call = call;
    }

    @Override
    public void onMessage(byte[] message) {
      call.sendHeaders(new Metadata());
      call.sendMessage(message);
    }

    @Override
    public void onClose(Status status, Metadata trailers) {
      call.close(status, new Metadata());
    }
  }
}
