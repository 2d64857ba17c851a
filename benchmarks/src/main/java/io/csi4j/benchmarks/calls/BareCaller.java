package io.csi4j.benchmarks.calls;

import io.csi4j.client.internal.proto.IdentityGrpc;
import io.csi4j.client.internal.proto.NodeGrpc;
import io.csi4j.client.internal.proto.NodePublishVolumeRequest;
import io.csi4j.client.internal.proto.ProbeRequest;
import io.csi4j.client.internal.proto.VolumeCapability;
import io.csi4j.client.model.CallPolicy;
import io.csi4j.client.model.CsiOperation;
import io.grpc.Channel;
import io.grpc.stub.StreamObserver;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Makes calls only through the stubs that gRPC generates. Each call has the same deadline as with
 * csi4j, and a new message.
 */
final class BareCaller implements Caller {

  private static final long PROBE_NANOS = nanos(CsiOperation.PROBE);
  private static final long PUBLISH_NANOS = nanos(CsiOperation.NODE_PUBLISH_VOLUME);

  private final IdentityGrpc.IdentityBlockingStub identity;
  private final NodeGrpc.NodeBlockingStub node;
  private final IdentityGrpc.IdentityStub asyncIdentity;
  private final NodeGrpc.NodeStub asyncNode;

  /**
   * Creates a caller on this channel.
   *
   * @param executor the executor for answers; null for the channel's own executor
   */
  BareCaller(Channel channel, @Nullable Executor executor) {
    identity = IdentityGrpc.newBlockingStub(channel);
    node = NodeGrpc.newBlockingStub(channel);
    IdentityGrpc.IdentityStub newIdentity = IdentityGrpc.newStub(channel);
    NodeGrpc.NodeStub newNode = NodeGrpc.newStub(channel);
    asyncIdentity = executor == null ? newIdentity : newIdentity.withExecutor(executor);
    asyncNode = executor == null ? newNode : newNode.withExecutor(executor);
  }

  private static long nanos(CsiOperation operation) {
    return CallPolicy.defaultFor(operation).attemptDeadline().toNanos();
  }

  @Override
  public void call(Operation operation) {
    Object answer =
        operation == Operation.PROBE
            ? identity
                .withDeadlineAfter(PROBE_NANOS, TimeUnit.NANOSECONDS)
                .probe(ProbeRequest.getDefaultInstance())
            : node.withDeadlineAfter(PUBLISH_NANOS, TimeUnit.NANOSECONDS)
                .nodePublishVolume(publish(operation));
    if (answer == null) {
      throw new IllegalStateException("no answer");
    }
  }

  @Override
  public void begin(Operation operation, Consumer<@Nullable Throwable> then) {
    if (operation == Operation.PROBE) {
      asyncIdentity
          .withDeadlineAfter(PROBE_NANOS, TimeUnit.NANOSECONDS)
          .probe(ProbeRequest.getDefaultInstance(), new Telling<>(then));
    } else {
      asyncNode
          .withDeadlineAfter(PUBLISH_NANOS, TimeUnit.NANOSECONDS)
          .nodePublishVolume(publish(operation), new Telling<>(then));
    }
  }

  /** Returns the message of one call. */
  static NodePublishVolumeRequest publish(Operation operation) {
    boolean large = operation == Operation.PUBLISH_LARGE;
    Map<String, String> publishContext =
        large ? Parts.LARGE_PUBLISH_CONTEXT : Parts.PUBLISH_CONTEXT;
    Map<String, String> volumeContext = large ? Parts.LARGE_VOLUME_CONTEXT : Parts.VOLUME_CONTEXT;
    return NodePublishVolumeRequest.newBuilder()
        .setVolumeId(Parts.VOLUME)
        .setStagingTargetPath(Parts.STAGING)
        .setTargetPath(Parts.TARGET)
        .setVolumeCapability(
            VolumeCapability.newBuilder()
                .setMount(VolumeCapability.MountVolume.newBuilder().setFsType(Parts.FS_TYPE))
                .setAccessMode(
                    VolumeCapability.AccessMode.newBuilder()
                        .setMode(VolumeCapability.AccessMode.Mode.SINGLE_NODE_WRITER)))
        .putAllPublishContext(publishContext)
        .putAllVolumeContext(volumeContext)
        .build();
  }

  /** Reports the end of a call when the answer has arrived. */
  private static final class Telling<A> implements StreamObserver<A> {
    private final Consumer<@Nullable Throwable> then;
    private @Nullable A answer;

    Telling(Consumer<@Nullable Throwable> then) {
      this.then = then;
    }

    @Override
    public void onNext(A value) {
      answer = value;
    }

    @Override
    public void onError(Throwable thrown) {
      then.accept(thrown);
    }

    @Override
    public void onCompleted() {
      then.accept(answer == null ? new IllegalStateException("no answer") : null);
    }
  }
}
