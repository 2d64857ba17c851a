package io.csi4j.benchmarks;

import com.google.protobuf.Message;
import io.csi4j.client.internal.proto.GetPluginInfoResponse;
import io.csi4j.client.internal.proto.NodeGetCapabilitiesResponse;
import io.csi4j.client.internal.proto.NodeGetInfoResponse;
import io.csi4j.client.internal.proto.NodeGetVolumeHealthRequest;
import io.csi4j.client.internal.proto.NodeGetVolumeHealthResponse;
import io.csi4j.client.internal.proto.NodePublishVolumeRequest;
import io.csi4j.client.internal.proto.NodeServiceCapability;
import io.csi4j.client.internal.proto.NodeUnpublishVolumeRequest;
import io.csi4j.client.internal.proto.VolumeHealth;
import io.grpc.HandlerRegistry;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerMethodDefinition;
import io.grpc.Status;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.netty.shaded.io.netty.channel.ChannelOption;
import io.grpc.netty.shaded.io.netty.channel.EventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.MultiThreadIoEventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollIoHandler;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollServerDomainSocketChannel;
import io.grpc.netty.shaded.io.netty.channel.unix.DomainSocketAddress;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * A program that is a CSI plugin with the least possible work, so that the measured time of a call
 * is nearly all the client's. For each published volume, the plugin only creates an empty directory
 * at the target. {@link PluginProcess} starts this program.
 *
 * <p>Each argument is a socket; the plugin at {@code one.sock} has the name {@code
 * one.csi4j.example}. The answers are prepared as bytes and sent on the I/O thread. The plugin
 * decodes only requests for publishing, unpublishing and health. It offers staging and statistics,
 * but no controller; with {@code --health} as the first argument, it also reports the health of
 * volumes and storage. The program prints {@code ready}. It ends when its standard input ends, and
 * so with the process that started it.
 */
public final class DoNothingPlugin extends HandlerRegistry {

  /** The argument that makes the plugins report health. */
  static final String HEALTH = "--health";

  private static final byte[] EMPTY = {};

  private final Map<String, byte[]> answers;
  private final Map<String, ServerMethodDefinition<byte[], byte[]>> methods =
      new ConcurrentHashMap<>();

  private DoNothingPlugin(String name, boolean tellsHealth) {
    NodeGetCapabilitiesResponse.Builder offers =
        NodeGetCapabilitiesResponse.newBuilder()
            .addCapabilities(offered(NodeServiceCapability.RPC.Type.STAGE_UNSTAGE_VOLUME))
            .addCapabilities(offered(NodeServiceCapability.RPC.Type.GET_VOLUME_STATS));
    if (tellsHealth) {
      offers
          .addCapabilities(offered(NodeServiceCapability.RPC.Type.GET_VOLUME_HEALTH))
          .addCapabilities(offered(NodeServiceCapability.RPC.Type.GET_STORAGE_HEALTH));
    }
    answers =
        Map.of(
            "csi.v1.Identity/GetPluginInfo",
            bytes(GetPluginInfoResponse.newBuilder().setName(name).setVendorVersion("1")),
            "csi.v1.Node/NodeGetInfo",
            bytes(NodeGetInfoResponse.newBuilder().setNodeId("node-1")),
            "csi.v1.Node/NodeGetCapabilities",
            bytes(offers));
  }

  private static NodeServiceCapability.Builder offered(NodeServiceCapability.RPC.Type type) {
    return NodeServiceCapability.newBuilder()
        .setRpc(NodeServiceCapability.RPC.newBuilder().setType(type));
  }

  private static byte[] bytes(Message.Builder message) {
    return message.build().toByteArray();
  }

  /** Returns the name of the plugin that listens on a socket. */
  public static String nameOf(Path socket) {
    return String.valueOf(socket.getFileName()).replace(".sock", ".csi4j.example");
  }

  /** Serves one plugin on each of these sockets. */
  public static void main(String[] words) throws IOException {
    EventLoopGroup loops = new MultiThreadIoEventLoopGroup(EpollIoHandler.newFactory());
    boolean tellsHealth = words[0].equals(HEALTH);
    for (String socket : Arrays.asList(words).subList(tellsHealth ? 1 : 0, words.length)) {
      NettyServerBuilder.forAddress(new DomainSocketAddress(socket))
          .channelType(EpollServerDomainSocketChannel.class)
          .bossEventLoopGroup(loops)
          .workerEventLoopGroup(loops)
          .directExecutor()
          // gRPC sets this option for TCP sockets. For a UNIX socket, netty would log a warning.
          .withChildOption(ChannelOption.SO_KEEPALIVE, null)
          .fallbackHandlerRegistry(new DoNothingPlugin(nameOf(Path.of(socket)), tellsHealth))
          .build()
          .start();
    }
    System.out.println("ready");
    System.in.transferTo(System.out);
    System.exit(0);
  }

  @Override
  public ServerMethodDefinition<?, ?> lookupMethod(String method, @Nullable String authority) {
    return methods.computeIfAbsent(method, this::method);
  }

  private ServerMethodDefinition<byte[], byte[]> method(String name) {
    byte[] answer = answers.getOrDefault(name, EMPTY);
    return ServerMethodDefinition.create(
        MethodDescriptor.<byte[], byte[]>newBuilder()
            .setType(MethodDescriptor.MethodType.UNARY)
            .setFullMethodName(name)
            .setRequestMarshaller(new Bytes(work(name)))
            .setResponseMarshaller(new Bytes(answered -> EMPTY))
            .build(),
        new Answering(answer));
  }

  /** Processes a request. Returns the answer if it depends on the request; otherwise null. */
  private interface Work {
    byte[] read(InputStream request) throws IOException;
  }

  private static Work work(String method) {
    return switch (method) {
      case "csi.v1.Node/NodePublishVolume" ->
          request -> {
            Files.createDirectories(
                Path.of(NodePublishVolumeRequest.parseFrom(request).getTargetPath()));
            return EMPTY;
          };
      case "csi.v1.Node/NodeUnpublishVolume" ->
          request -> {
            Files.deleteIfExists(
                Path.of(NodeUnpublishVolumeRequest.parseFrom(request).getTargetPath()));
            return EMPTY;
          };
      case "csi.v1.Node/NodeGetVolumeHealth" ->
          request ->
              bytes(
                  NodeGetVolumeHealthResponse.newBuilder()
                      .setVolumeHealth(
                          VolumeHealth.newBuilder()
                              .setVolumeId(
                                  NodeGetVolumeHealthRequest.parseFrom(request).getVolumeId())));
      default ->
          request -> {
            request.skipNBytes(request.available());
            return EMPTY;
          };
    };
  }

  /** Answers a call with these bytes, or with the answer that was made from the request. */
  @SuppressWarnings("ArrayRecordComponent") // never compared, never shown
  private record Answering(byte[] answer) implements ServerCallHandler<byte[], byte[]> {
    @Override
    public ServerCall.Listener<byte[]> startCall(
        ServerCall<byte[], byte[]> call, Metadata headers) {
      call.request(1);
      return new ServerCall.Listener<>() {
        private byte[] made = EMPTY;

        @Override
        public void onMessage(byte[] message) {
          made = message;
        }

        @Override
        public void onHalfClose() {
          call.sendHeaders(new Metadata());
          call.sendMessage(made.length == 0 ? answer : made);
          call.close(Status.OK, new Metadata());
        }
      };
    }
  }

  /**
   * Passes answers on as bytes. Of a received request, only the answer that was made from it is
   * kept.
   */
  private record Bytes(Work work) implements MethodDescriptor.Marshaller<byte[]> {
    @Override
    public InputStream stream(byte[] value) {
      return new ByteArrayInputStream(value);
    }

    @Override
    public byte[] parse(InputStream stream) {
      try {
        return work.read(stream);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
