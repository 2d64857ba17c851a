package io.csi4j.client.scripted;

import com.google.protobuf.BoolValue;
import com.google.protobuf.Message;
import com.google.protobuf.Timestamp;
import io.csi4j.client.controller.ControllerCapability;
import io.csi4j.client.internal.proto.BlockMetadataType;
import io.csi4j.client.internal.proto.ControllerGetCapabilitiesResponse;
import io.csi4j.client.internal.proto.ControllerGetVolumeHealthRequest;
import io.csi4j.client.internal.proto.ControllerGetVolumeHealthResponse;
import io.csi4j.client.internal.proto.ControllerGetVolumeRequest;
import io.csi4j.client.internal.proto.ControllerGetVolumeResponse;
import io.csi4j.client.internal.proto.CreateSnapshotRequest;
import io.csi4j.client.internal.proto.CreateSnapshotResponse;
import io.csi4j.client.internal.proto.CreateVolumeGroupSnapshotRequest;
import io.csi4j.client.internal.proto.CreateVolumeGroupSnapshotResponse;
import io.csi4j.client.internal.proto.CreateVolumeRequest;
import io.csi4j.client.internal.proto.CreateVolumeResponse;
import io.csi4j.client.internal.proto.GetMetadataAllocatedResponse;
import io.csi4j.client.internal.proto.GetMetadataDeltaResponse;
import io.csi4j.client.internal.proto.GetPluginCapabilitiesResponse;
import io.csi4j.client.internal.proto.GetPluginInfoResponse;
import io.csi4j.client.internal.proto.GetSnapshotRequest;
import io.csi4j.client.internal.proto.GetSnapshotResponse;
import io.csi4j.client.internal.proto.GetVolumeGroupSnapshotRequest;
import io.csi4j.client.internal.proto.GetVolumeGroupSnapshotResponse;
import io.csi4j.client.internal.proto.GroupControllerGetCapabilitiesResponse;
import io.csi4j.client.internal.proto.GroupControllerServiceCapability;
import io.csi4j.client.internal.proto.NodeGetCapabilitiesResponse;
import io.csi4j.client.internal.proto.NodeGetInfoResponse;
import io.csi4j.client.internal.proto.NodeGetVolumeHealthRequest;
import io.csi4j.client.internal.proto.NodeGetVolumeHealthResponse;
import io.csi4j.client.internal.proto.PluginCapability;
import io.csi4j.client.internal.proto.ProbeResponse;
import io.csi4j.client.internal.proto.Snapshot;
import io.csi4j.client.internal.proto.Volume;
import io.csi4j.client.internal.proto.VolumeGroupSnapshot;
import io.csi4j.client.internal.proto.VolumeHealth;
import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.StatusCode;
import io.csi4j.client.node.NodeCapability;
import io.grpc.Context;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Server;
import io.grpc.ServerCall;
import io.grpc.ServerServiceDefinition;
import io.grpc.ServiceDescriptor;
import io.grpc.Status;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.netty.shaded.io.netty.channel.ChannelOption;
import io.grpc.netty.shaded.io.netty.channel.EventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.MultiThreadIoEventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.nio.NioIoHandler;
import io.grpc.netty.shaded.io.netty.channel.socket.nio.NioServerDomainSocketChannel;
import io.grpc.netty.shaded.io.netty.util.concurrent.DefaultThreadFactory;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A gRPC server on a UNIX domain socket that answers every CSI call with something minimal and
 * valid, unless scripted otherwise. Offers every capability.
 */
public final class ScriptedPlugin implements AutoCloseable {

  private static final EventLoopGroup LOOP =
      new MultiThreadIoEventLoopGroup(
          1, new DefaultThreadFactory("scripted-io", true), NioIoHandler.newFactory());
  private static final ScheduledExecutorService WORKERS =
      Executors.newScheduledThreadPool(8, new DefaultThreadFactory("scripted-worker", true));

  private final Path socket;
  private final int maxMetadataBytes;
  private final Map<CsiOperation, Handler> handlers = new ConcurrentHashMap<>();
  private final List<Call> calls = new CopyOnWriteArrayList<>();
  private final AtomicInteger counted = new AtomicInteger();
  private volatile boolean recording = true;
  private @Nullable Server server;

  private ScriptedPlugin(Path socket, int maxMetadataBytes) {
    this.socket = socket;
    this.maxMetadataBytes = maxMetadataBytes;
    for (CsiOperation operation : CsiOperation.values()) {
      handlers.put(operation, (call, reply) -> reply.ok(defaultAnswer(operation, call.request())));
    }
  }

  /** Starts a plugin that listens on {@code socket}. */
  public static ScriptedPlugin start(Path socket) {
    ScriptedPlugin plugin = new ScriptedPlugin(socket, 8 << 20);
    plugin.start();
    return plugin;
  }

  /** What to do with a call. Runs on a worker thread, and may answer later or never. */
  @FunctionalInterface
  public interface Handler {
    /** Answers {@code call} through {@code reply}, or does not. */
    void handle(Call call, Reply reply) throws Exception;
  }

  /**
   * A call that came in.
   *
   * @param operation which
   * @param request what was asked
   * @param headers the headers it came with
   * @param authority the pseudo header {@code :authority}
   * @param context its context, which knows of cancellation
   */
  public record Call(
      CsiOperation operation,
      Message request,
      Metadata headers,
      @Nullable String authority,
      Context context) {

    /** The request as the type it is. */
    public <T extends Message> T as(Class<T> type) {
      return type.cast(request);
    }

    /** How long the caller said that it would wait, or null if it did not say. */
    public @Nullable Duration timeout() {
      String text = headers.get(Metadata.Key.of("grpc-timeout", Metadata.ASCII_STRING_MARSHALLER));
      if (text == null) {
        return null;
      }
      long value = Long.parseLong(text.substring(0, text.length() - 1));
      return switch (text.charAt(text.length() - 1)) {
        case 'n' -> Duration.ofNanos(value);
        case 'u' -> Duration.ofNanos(value * 1000);
        case 'm' -> Duration.ofMillis(value);
        case 'S' -> Duration.ofSeconds(value);
        case 'M' -> Duration.ofMinutes(value);
        default -> Duration.ofHours(value);
      };
    }
  }

  /** The way back to the caller. */
  public static final class Reply {
    private final ServerCall<Message, Message> call;
    private boolean headersSent;

    private Reply(ServerCall<Message, Message> call) {
      this.call = call;
    }

    /** Answers, and ends the call with OK. */
    public void ok(Message answer) {
      next(answer);
      complete();
    }

    /** Sends one message of a stream. */
    public synchronized void next(Message answer) {
      if (!headersSent) {
        headersSent = true;
        call.sendHeaders(new Metadata());
      }
      call.sendMessage(answer);
    }

    /** Whether another message can be sent without piling up. */
    public boolean isReady() {
      return call.isReady();
    }

    /** Ends the call with OK. */
    public synchronized void complete() {
      if (!headersSent) {
        headersSent = true;
        call.sendHeaders(new Metadata());
      }
      call.close(Status.OK, new Metadata());
    }

    /** Ends the call with a failure. */
    public void fail(StatusCode code, String text) {
      call.close(Status.fromCodeValue(code.value()).withDescription(text), new Metadata());
    }
  }

  /** Where it listens. */
  public CsiEndpoint endpoint() {
    return CsiEndpoint.of(socket);
  }

  /** The socket file. */
  public Path socket() {
    return socket;
  }

  /** From now on, {@code operation} is handled like this. */
  public ScriptedPlugin on(CsiOperation operation, Handler handler) {
    handlers.put(operation, handler);
    return this;
  }

  /** From now on, {@code operation} is answered with {@code answer}. */
  public ScriptedPlugin answer(CsiOperation operation, Message answer) {
    return on(operation, (call, reply) -> reply.ok(answer));
  }

  /** From now on, {@code operation} fails like this. */
  public ScriptedPlugin fail(CsiOperation operation, StatusCode code, String text) {
    return on(operation, (call, reply) -> reply.fail(code, text));
  }

  /** The calls that came in, oldest first. */
  public List<Call> calls() {
    return List.copyOf(calls);
  }

  /** The calls of {@code operation} that came in, oldest first. */
  public List<Call> calls(CsiOperation operation) {
    return calls.stream().filter(call -> call.operation() == operation).toList();
  }

  /** How many calls came in, recorded or not. */
  public int count() {
    return counted.get();
  }

  /** Whether calls are remembered; turn it off before making very many. */
  public void recording(boolean on) {
    recording = on;
    calls.clear();
  }

  /** Forgets the calls that came in. */
  public void forget() {
    calls.clear();
  }

  /** Stops like a killed process: connections break, the socket file stays behind. */
  public void kill() {
    Server running = server;
    server = null;
    if (running != null) {
      running.shutdownNow();
      try {
        running.awaitTermination(5, TimeUnit.SECONDS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** Stops and removes the socket file. */
  public void stop() {
    kill();
    try {
      Files.deleteIfExists(socket);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Listens again after {@link #kill} or {@link #stop}, on a new socket file. */
  public void start() {
    try {
      Files.deleteIfExists(socket);
      NettyServerBuilder builder =
          NettyServerBuilder.forAddress(UnixDomainSocketAddress.of(socket))
              .channelType(NioServerDomainSocketChannel.class)
              .bossEventLoopGroup(LOOP)
              .workerEventLoopGroup(LOOP)
              .executor(WORKERS)
              // gRPC sets it for TCP; UNIX sockets would log a warning.
              .withChildOption(ChannelOption.SO_KEEPALIVE, null)
              .maxInboundMessageSize(64 << 20)
              .maxInboundMetadataSize(maxMetadataBytes);
      Wire.SERVICES.forEach(service -> builder.addService(definition(service)));
      server = builder.build().start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    stop();
  }

  private ServerServiceDefinition definition(ServiceDescriptor service) {
    ServerServiceDefinition.Builder definition = ServerServiceDefinition.builder(service);
    for (MethodDescriptor<?, ?> method : service.getMethods()) {
      CsiOperation operation =
          CsiOperation.ofRpcName(method.getBareMethodName()).orElseThrow(AssertionError::new);
      definition.addMethod(
          Wire.method(operation), (call, headers) -> serve(operation, call, headers));
    }
    return definition.build();
  }

  private ServerCall.Listener<Message> serve(
      CsiOperation operation, ServerCall<Message, Message> call, Metadata headers) {
    call.request(2);
    return new ServerCall.Listener<>() {
      @Override
      public void onMessage(Message request) {
        counted.incrementAndGet();
        Call seen = new Call(operation, request, headers, call.getAuthority(), Context.current());
        if (recording) {
          calls.add(seen);
        }
        try {
          handlers.getOrDefault(operation, (c, r) -> {}).handle(seen, new Reply(call));
        } catch (Exception | AssertionError e) {
          call.close(Status.UNKNOWN.withDescription("script: " + e), new Metadata());
        }
      }
    };
  }

  /** The least that a lawful plugin answers to {@code request}. */
  public static Message defaultAnswer(CsiOperation operation, Message request) {
    return switch (operation) {
      case GET_PLUGIN_INFO ->
          GetPluginInfoResponse.newBuilder()
              .setName("scripted.csi4j.example")
              .setVendorVersion("1.2.3")
              .build();
      case GET_PLUGIN_CAPABILITIES -> allPluginCapabilities();
      case PROBE -> ProbeResponse.newBuilder().setReady(BoolValue.of(true)).build();
      case CONTROLLER_GET_CAPABILITIES -> allControllerCapabilities();
      case NODE_GET_CAPABILITIES -> allNodeCapabilities();
      case GROUP_CONTROLLER_GET_CAPABILITIES -> allGroupCapabilities();
      case NODE_GET_INFO -> NodeGetInfoResponse.newBuilder().setNodeId("node-1").build();
      case CREATE_VOLUME -> {
        CreateVolumeRequest asked = (CreateVolumeRequest) request;
        yield CreateVolumeResponse.newBuilder()
            .setVolume(
                Volume.newBuilder()
                    .setVolumeId("id-of-" + asked.getName())
                    .setCapacityBytes(asked.getCapacityRange().getRequiredBytes())
                    .setContentSource(asked.getVolumeContentSource())
                    .addAllAccessibleTopology(
                        asked.getAccessibilityRequirements().getRequisiteList()))
            .build();
      }
      case CONTROLLER_GET_VOLUME ->
          ControllerGetVolumeResponse.newBuilder()
              .setVolume(
                  Volume.newBuilder()
                      .setVolumeId(((ControllerGetVolumeRequest) request).getVolumeId()))
              .build();
      case CONTROLLER_GET_VOLUME_HEALTH ->
          ControllerGetVolumeHealthResponse.newBuilder()
              .setVolumeHealth(
                  VolumeHealth.newBuilder()
                      .setVolumeId(((ControllerGetVolumeHealthRequest) request).getVolumeId()))
              .build();
      case NODE_GET_VOLUME_HEALTH ->
          NodeGetVolumeHealthResponse.newBuilder()
              .setVolumeHealth(
                  VolumeHealth.newBuilder()
                      .setVolumeId(((NodeGetVolumeHealthRequest) request).getVolumeId()))
              .build();
      case CREATE_SNAPSHOT -> {
        CreateSnapshotRequest asked = (CreateSnapshotRequest) request;
        yield CreateSnapshotResponse.newBuilder()
            .setSnapshot(snapshot("id-of-" + asked.getName(), asked.getSourceVolumeId()))
            .build();
      }
      case GET_SNAPSHOT ->
          GetSnapshotResponse.newBuilder()
              .setSnapshot(snapshot(((GetSnapshotRequest) request).getSnapshotId(), "vol-1"))
              .build();
      case CREATE_VOLUME_GROUP_SNAPSHOT -> {
        CreateVolumeGroupSnapshotRequest asked = (CreateVolumeGroupSnapshotRequest) request;
        String id = "id-of-" + asked.getName();
        VolumeGroupSnapshot.Builder group = group(id);
        asked
            .getSourceVolumeIdsList()
            .forEach(
                volume ->
                    group.addSnapshots(
                        snapshot("snap-of-" + volume, volume).toBuilder().setGroupSnapshotId(id)));
        yield CreateVolumeGroupSnapshotResponse.newBuilder().setGroupSnapshot(group).build();
      }
      case GET_VOLUME_GROUP_SNAPSHOT -> {
        GetVolumeGroupSnapshotRequest asked = (GetVolumeGroupSnapshotRequest) request;
        VolumeGroupSnapshot.Builder group = group(asked.getGroupSnapshotId());
        asked
            .getSnapshotIdsList()
            .forEach(
                id ->
                    group.addSnapshots(
                        snapshot(id, "vol-1").toBuilder()
                            .setGroupSnapshotId(asked.getGroupSnapshotId())));
        yield GetVolumeGroupSnapshotResponse.newBuilder().setGroupSnapshot(group).build();
      }
      case GET_METADATA_ALLOCATED ->
          GetMetadataAllocatedResponse.newBuilder()
              .setBlockMetadataType(BlockMetadataType.FIXED_LENGTH)
              .setVolumeCapacityBytes(1L << 30)
              .build();
      case GET_METADATA_DELTA ->
          GetMetadataDeltaResponse.newBuilder()
              .setBlockMetadataType(BlockMetadataType.FIXED_LENGTH)
              .setVolumeCapacityBytes(1L << 30)
              .build();
      default -> Wire.response(operation);
    };
  }

  private static VolumeGroupSnapshot.Builder group(String id) {
    return VolumeGroupSnapshot.newBuilder()
        .setGroupSnapshotId(id)
        .setCreationTime(Timestamp.newBuilder().setSeconds(1))
        .setReadyToUse(true);
  }

  private static Snapshot snapshot(String id, String volume) {
    return Snapshot.newBuilder()
        .setSnapshotId(id)
        .setSourceVolumeId(volume)
        .setCreationTime(Timestamp.newBuilder().setSeconds(1))
        .setReadyToUse(true)
        .build();
  }

  private static GetPluginCapabilitiesResponse allPluginCapabilities() {
    GetPluginCapabilitiesResponse.Builder all = GetPluginCapabilitiesResponse.newBuilder();
    for (int type = 1; type <= 5; type++) {
      all.addCapabilities(
          PluginCapability.newBuilder()
              .setService(PluginCapability.Service.newBuilder().setTypeValue(type)));
    }
    return all.addCapabilities(
            PluginCapability.newBuilder()
                .setVolumeExpansion(
                    PluginCapability.VolumeExpansion.newBuilder()
                        .setType(PluginCapability.VolumeExpansion.Type.ONLINE)))
        .build();
  }

  private static ControllerGetCapabilitiesResponse allControllerCapabilities() {
    return controllerCapabilities(List.of(ControllerCapability.values()));
  }

  /** The answer of a controller with these capabilities. */
  public static ControllerGetCapabilitiesResponse controllerCapabilities(
      List<ControllerCapability> capabilities) {
    ControllerGetCapabilitiesResponse.Builder all = ControllerGetCapabilitiesResponse.newBuilder();
    capabilities.forEach(
        each -> all.addCapabilitiesBuilder().getRpcBuilder().setTypeValue(each.number()));
    return all.build();
  }

  private static NodeGetCapabilitiesResponse allNodeCapabilities() {
    return nodeCapabilities(List.of(NodeCapability.values()));
  }

  /** The answer of a node with these capabilities. */
  public static NodeGetCapabilitiesResponse nodeCapabilities(List<NodeCapability> capabilities) {
    NodeGetCapabilitiesResponse.Builder all = NodeGetCapabilitiesResponse.newBuilder();
    capabilities.forEach(
        each -> all.addCapabilitiesBuilder().getRpcBuilder().setTypeValue(each.number()));
    return all.build();
  }

  private static GroupControllerGetCapabilitiesResponse allGroupCapabilities() {
    return GroupControllerGetCapabilitiesResponse.newBuilder()
        .addCapabilities(
            GroupControllerServiceCapability.newBuilder()
                .setRpc(GroupControllerServiceCapability.RPC.newBuilder().setTypeValue(1)))
        .build();
  }
}
