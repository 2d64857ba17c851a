package io.csi4j.client.internal;

import io.csi4j.client.internal.mapping.HealthMapping;
import io.csi4j.client.internal.mapping.NodeAnswerMapping;
import io.csi4j.client.internal.mapping.NodeRequestMapping;
import io.csi4j.client.internal.proto.NodeExpandVolumeResponse;
import io.csi4j.client.internal.proto.NodeGetCapabilitiesRequest;
import io.csi4j.client.internal.proto.NodeGetCapabilitiesResponse;
import io.csi4j.client.internal.proto.NodeGetInfoRequest;
import io.csi4j.client.internal.proto.NodeGetInfoResponse;
import io.csi4j.client.internal.proto.NodeGetStorageHealthResponse;
import io.csi4j.client.internal.proto.NodeGetVolumeHealthResponse;
import io.csi4j.client.internal.proto.NodeGetVolumeStatsResponse;
import io.csi4j.client.internal.proto.NodeGrpc;
import io.csi4j.client.internal.proto.NodePublishVolumeResponse;
import io.csi4j.client.internal.proto.NodeStageVolumeResponse;
import io.csi4j.client.internal.proto.NodeUnpublishVolumeResponse;
import io.csi4j.client.internal.proto.NodeUnstageVolumeResponse;
import io.csi4j.client.model.CallPolicy;
import io.csi4j.client.model.CapabilitySet;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.VolumeHealthReport;
import io.csi4j.client.node.NodeCapability;
import io.csi4j.client.node.NodeExpandVolumeRequest;
import io.csi4j.client.node.NodeGetStorageHealthRequest;
import io.csi4j.client.node.NodeGetVolumeHealthRequest;
import io.csi4j.client.node.NodeGetVolumeStatsRequest;
import io.csi4j.client.node.NodePublishVolumeRequest;
import io.csi4j.client.node.NodeService;
import io.csi4j.client.node.NodeService.NodeInfo;
import io.csi4j.client.node.NodeService.StorageHealth;
import io.csi4j.client.node.NodeStageVolumeRequest;
import io.csi4j.client.node.NodeUnpublishVolumeRequest;
import io.csi4j.client.node.NodeUnstageVolumeRequest;
import io.csi4j.client.node.VolumeStats;
import java.util.concurrent.CompletionStage;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** The node service. Sends its calls through the {@link CallPath}. */
public final class NodeClient implements NodeService {

  static final UnaryRpc<
          NodeStageVolumeRequest,
          io.csi4j.client.internal.proto.NodeStageVolumeRequest,
          NodeStageVolumeResponse,
          @Nullable Void>
      NODE_STAGE_VOLUME =
          UnaryRpc.withoutResult(
              CsiOperation.NODE_STAGE_VOLUME,
              NodeGrpc.getNodeStageVolumeMethod(),
              NodeRequestMapping::toProto);

  static final UnaryRpc<
          NodeUnstageVolumeRequest,
          io.csi4j.client.internal.proto.NodeUnstageVolumeRequest,
          NodeUnstageVolumeResponse,
          @Nullable Void>
      NODE_UNSTAGE_VOLUME =
          UnaryRpc.withoutResult(
              CsiOperation.NODE_UNSTAGE_VOLUME,
              NodeGrpc.getNodeUnstageVolumeMethod(),
              NodeRequestMapping::toProto);

  static final UnaryRpc<
          NodePublishVolumeRequest,
          io.csi4j.client.internal.proto.NodePublishVolumeRequest,
          NodePublishVolumeResponse,
          @Nullable Void>
      NODE_PUBLISH_VOLUME =
          UnaryRpc.withoutResult(
              CsiOperation.NODE_PUBLISH_VOLUME,
              NodeGrpc.getNodePublishVolumeMethod(),
              NodeRequestMapping::toProto);

  static final UnaryRpc<
          NodeUnpublishVolumeRequest,
          io.csi4j.client.internal.proto.NodeUnpublishVolumeRequest,
          NodeUnpublishVolumeResponse,
          @Nullable Void>
      NODE_UNPUBLISH_VOLUME =
          UnaryRpc.withoutResult(
              CsiOperation.NODE_UNPUBLISH_VOLUME,
              NodeGrpc.getNodeUnpublishVolumeMethod(),
              NodeRequestMapping::toProto);

  static final UnaryRpc<
          NodeGetVolumeStatsRequest,
          io.csi4j.client.internal.proto.NodeGetVolumeStatsRequest,
          NodeGetVolumeStatsResponse,
          VolumeStats>
      NODE_GET_VOLUME_STATS =
          new UnaryRpc<>(
              CsiOperation.NODE_GET_VOLUME_STATS,
              NodeGrpc.getNodeGetVolumeStatsMethod(),
              NodeRequestMapping::toProto,
              NodeAnswerMapping::nodeGetVolumeStats);

  static final UnaryRpc<
          NodeGetVolumeHealthRequest,
          io.csi4j.client.internal.proto.NodeGetVolumeHealthRequest,
          NodeGetVolumeHealthResponse,
          VolumeHealthReport>
      NODE_GET_VOLUME_HEALTH =
          new UnaryRpc<>(
              CsiOperation.NODE_GET_VOLUME_HEALTH,
              NodeGrpc.getNodeGetVolumeHealthMethod(),
              NodeRequestMapping::toProto,
              HealthMapping::nodeGetVolumeHealth);

  static final UnaryRpc<
          NodeGetStorageHealthRequest,
          io.csi4j.client.internal.proto.NodeGetStorageHealthRequest,
          NodeGetStorageHealthResponse,
          StorageHealth>
      NODE_GET_STORAGE_HEALTH =
          new UnaryRpc<>(
              CsiOperation.NODE_GET_STORAGE_HEALTH,
              NodeGrpc.getNodeGetStorageHealthMethod(),
              NodeRequestMapping::toProto,
              HealthMapping::nodeGetStorageHealth);

  static final UnaryRpc<
          NodeExpandVolumeRequest,
          io.csi4j.client.internal.proto.NodeExpandVolumeRequest,
          NodeExpandVolumeResponse,
          NodeService.ExpandVolumeResult>
      NODE_EXPAND_VOLUME =
          new UnaryRpc<>(
              CsiOperation.NODE_EXPAND_VOLUME,
              NodeGrpc.getNodeExpandVolumeMethod(),
              NodeRequestMapping::toProto,
              NodeAnswerMapping::nodeExpandVolume);

  static final UnaryRpc<
          IdentityClient.Nothing,
          NodeGetCapabilitiesRequest,
          NodeGetCapabilitiesResponse,
          CapabilitySet<NodeCapability>>
      GET_CAPABILITIES =
          new UnaryRpc<>(
              CsiOperation.NODE_GET_CAPABILITIES,
              NodeGrpc.getNodeGetCapabilitiesMethod(),
              nothing -> NodeGetCapabilitiesRequest.getDefaultInstance(),
              NodeAnswerMapping::nodeGetCapabilities);

  static final UnaryRpc<IdentityClient.Nothing, NodeGetInfoRequest, NodeGetInfoResponse, NodeInfo>
      NODE_GET_INFO =
          new UnaryRpc<>(
              CsiOperation.NODE_GET_INFO,
              NodeGrpc.getNodeGetInfoMethod(),
              nothing -> NodeGetInfoRequest.getDefaultInstance(),
              NodeAnswerMapping::nodeGetInfo);

  private final ServiceCalls calls;

  /** Creates the service on top of {@code calls}. */
  public NodeClient(ServiceCalls calls) {
    this.calls = calls;
  }

  @Override
  public void stageVolume(NodeStageVolumeRequest request) {
    calls.blocking(NODE_STAGE_VOLUME, request);
  }

  @Override
  public void unstageVolume(NodeUnstageVolumeRequest request) {
    calls.blocking(NODE_UNSTAGE_VOLUME, request);
  }

  @Override
  public void publishVolume(NodePublishVolumeRequest request) {
    calls.blocking(NODE_PUBLISH_VOLUME, request);
  }

  @Override
  public void unpublishVolume(NodeUnpublishVolumeRequest request) {
    calls.blocking(NODE_UNPUBLISH_VOLUME, request);
  }

  @Override
  public VolumeStats getVolumeStats(NodeGetVolumeStatsRequest request) {
    return calls.blocking(NODE_GET_VOLUME_STATS, request);
  }

  @Override
  public VolumeHealthReport getVolumeHealth(NodeGetVolumeHealthRequest request) {
    return calls.blocking(NODE_GET_VOLUME_HEALTH, request);
  }

  @Override
  public StorageHealth getStorageHealth(NodeGetStorageHealthRequest request) {
    return calls.blocking(NODE_GET_STORAGE_HEALTH, request);
  }

  @Override
  public NodeService.ExpandVolumeResult expandVolume(NodeExpandVolumeRequest request) {
    return calls.blocking(NODE_EXPAND_VOLUME, request);
  }

  @Override
  public CapabilitySet<NodeCapability> getCapabilities() {
    return calls.blocking(GET_CAPABILITIES, IdentityClient.NOTHING);
  }

  @Override
  public NodeInfo getInfo() {
    return calls.blocking(NODE_GET_INFO, IdentityClient.NOTHING);
  }

  @Override
  public NodeService.Async async() {
    return new NotBlocking(calls);
  }

  @Override
  public NodeService with(UnaryOperator<CallPolicy.Builder> change) {
    return new NodeClient(calls.with(change));
  }

  /** The non-blocking form of the calls. */
  private record NotBlocking(ServiceCalls calls) implements NodeService.Async {

    @Override
    public CompletionStage<@Nullable Void> stageVolume(NodeStageVolumeRequest request) {
      return calls.async(NODE_STAGE_VOLUME, request);
    }

    @Override
    public CompletionStage<@Nullable Void> unstageVolume(NodeUnstageVolumeRequest request) {
      return calls.async(NODE_UNSTAGE_VOLUME, request);
    }

    @Override
    public CompletionStage<@Nullable Void> publishVolume(NodePublishVolumeRequest request) {
      return calls.async(NODE_PUBLISH_VOLUME, request);
    }

    @Override
    public CompletionStage<@Nullable Void> unpublishVolume(NodeUnpublishVolumeRequest request) {
      return calls.async(NODE_UNPUBLISH_VOLUME, request);
    }

    @Override
    public CompletionStage<VolumeStats> getVolumeStats(NodeGetVolumeStatsRequest request) {
      return calls.async(NODE_GET_VOLUME_STATS, request);
    }

    @Override
    public CompletionStage<VolumeHealthReport> getVolumeHealth(NodeGetVolumeHealthRequest request) {
      return calls.async(NODE_GET_VOLUME_HEALTH, request);
    }

    @Override
    public CompletionStage<StorageHealth> getStorageHealth(NodeGetStorageHealthRequest request) {
      return calls.async(NODE_GET_STORAGE_HEALTH, request);
    }

    @Override
    public CompletionStage<NodeService.ExpandVolumeResult> expandVolume(
        NodeExpandVolumeRequest request) {
      return calls.async(NODE_EXPAND_VOLUME, request);
    }

    @Override
    public CompletionStage<CapabilitySet<NodeCapability>> getCapabilities() {
      return calls.async(GET_CAPABILITIES, IdentityClient.NOTHING);
    }

    @Override
    public CompletionStage<NodeInfo> getInfo() {
      return calls.async(NODE_GET_INFO, IdentityClient.NOTHING);
    }
  }
}
