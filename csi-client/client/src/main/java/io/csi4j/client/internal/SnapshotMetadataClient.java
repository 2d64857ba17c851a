package io.csi4j.client.internal;

import com.google.protobuf.Message;
import io.csi4j.client.internal.mapping.MetadataCheck;
import io.csi4j.client.internal.mapping.MetadataRequestMapping;
import io.csi4j.client.internal.proto.GetMetadataAllocatedResponse;
import io.csi4j.client.internal.proto.GetMetadataDeltaResponse;
import io.csi4j.client.internal.proto.SnapshotMetadataGrpc;
import io.csi4j.client.metadata.BlockMetadataBatch;
import io.csi4j.client.metadata.GetMetadataAllocatedRequest;
import io.csi4j.client.metadata.GetMetadataDeltaRequest;
import io.csi4j.client.metadata.MetadataStream;
import io.csi4j.client.metadata.SnapshotMetadataService;
import io.csi4j.client.model.CallPolicy;
import io.csi4j.client.model.CsiOperation;
import java.util.Objects;
import java.util.concurrent.Flow;
import java.util.function.UnaryOperator;

/**
 * The snapshot metadata service. Sends the calls for its two streams through the {@link CallPath}.
 */
public final class SnapshotMetadataClient implements SnapshotMetadataService {

  static final MetadataCall.Source<
          io.csi4j.client.internal.proto.GetMetadataAllocatedRequest, GetMetadataAllocatedResponse>
      ALLOCATED =
          new MetadataCall.Source<>(
              CsiOperation.GET_METADATA_ALLOCATED,
              SnapshotMetadataGrpc.getGetMetadataAllocatedMethod(),
              MetadataCheck::next);

  static final MetadataCall.Source<
          io.csi4j.client.internal.proto.GetMetadataDeltaRequest, GetMetadataDeltaResponse>
      DELTA =
          new MetadataCall.Source<>(
              CsiOperation.GET_METADATA_DELTA,
              SnapshotMetadataGrpc.getGetMetadataDeltaMethod(),
              MetadataCheck::next);

  private final ServiceCalls calls;

  /** Creates the service on top of {@code calls}. */
  public SnapshotMetadataClient(ServiceCalls calls) {
    this.calls = calls;
  }

  @Override
  public MetadataStream getMetadataAllocated(GetMetadataAllocatedRequest request) {
    return new BlockingMetadataStream(
        request.startingOffset(),
        subscriber -> call(ALLOCATED, MetadataRequestMapping.toProto(request), subscriber));
  }

  @Override
  public MetadataStream getMetadataDelta(GetMetadataDeltaRequest request) {
    return new BlockingMetadataStream(
        request.startingOffset(),
        subscriber -> call(DELTA, MetadataRequestMapping.toProto(request), subscriber));
  }

  @Override
  public SnapshotMetadataService.Async async() {
    return new NotBlocking();
  }

  @Override
  public SnapshotMetadataService with(UnaryOperator<CallPolicy.Builder> change) {
    return new SnapshotMetadataClient(calls.with(change));
  }

  private <Q extends Message, A extends Message> MetadataCall<Q, A> call(
      MetadataCall.Source<Q, A> source,
      Q request,
      Flow.Subscriber<? super BlockMetadataBatch> subscriber) {
    return new MetadataCall<>(
        calls.path(), source, request, calls.policy(source.operation()), subscriber);
  }

  private <Q extends Message, A extends Message> Flow.Publisher<BlockMetadataBatch> publisher(
      MetadataCall.Source<Q, A> source, Q request) {
    return subscriber ->
        call(source, request, Objects.requireNonNull(subscriber, "subscriber")).subscribe();
  }

  /** The streams that do not block. */
  private final class NotBlocking implements SnapshotMetadataService.Async {

    @Override
    public Flow.Publisher<BlockMetadataBatch> getMetadataAllocated(
        GetMetadataAllocatedRequest request) {
      return publisher(ALLOCATED, MetadataRequestMapping.toProto(request));
    }

    @Override
    public Flow.Publisher<BlockMetadataBatch> getMetadataDelta(GetMetadataDeltaRequest request) {
      return publisher(DELTA, MetadataRequestMapping.toProto(request));
    }
  }
}
