package io.csi4j.client.internal;

import io.csi4j.client.controller.Capacity;
import io.csi4j.client.controller.ControllerCapability;
import io.csi4j.client.controller.ControllerExpandVolumeRequest;
import io.csi4j.client.controller.ControllerGetVolumeHealthRequest;
import io.csi4j.client.controller.ControllerGetVolumeRequest;
import io.csi4j.client.controller.ControllerListVolumeHealthRequest;
import io.csi4j.client.controller.ControllerModifyVolumeRequest;
import io.csi4j.client.controller.ControllerPublishVolumeRequest;
import io.csi4j.client.controller.ControllerService;
import io.csi4j.client.controller.ControllerUnpublishVolumeRequest;
import io.csi4j.client.controller.CreateSnapshotRequest;
import io.csi4j.client.controller.CreateVolumeRequest;
import io.csi4j.client.controller.DeleteSnapshotRequest;
import io.csi4j.client.controller.DeleteVolumeRequest;
import io.csi4j.client.controller.GetCapacityRequest;
import io.csi4j.client.controller.GetSnapshotRequest;
import io.csi4j.client.controller.ListSnapshotsRequest;
import io.csi4j.client.controller.ListVolumesRequest;
import io.csi4j.client.controller.Snapshot;
import io.csi4j.client.controller.ValidateVolumeCapabilitiesRequest;
import io.csi4j.client.controller.ValidationResult;
import io.csi4j.client.controller.Volume;
import io.csi4j.client.controller.VolumeEntry;
import io.csi4j.client.internal.mapping.CapabilityComparison;
import io.csi4j.client.internal.mapping.ControllerAnswerMapping;
import io.csi4j.client.internal.mapping.ControllerRequestMapping;
import io.csi4j.client.internal.mapping.HealthMapping;
import io.csi4j.client.internal.proto.ControllerExpandVolumeResponse;
import io.csi4j.client.internal.proto.ControllerGetCapabilitiesRequest;
import io.csi4j.client.internal.proto.ControllerGetCapabilitiesResponse;
import io.csi4j.client.internal.proto.ControllerGetVolumeHealthResponse;
import io.csi4j.client.internal.proto.ControllerGetVolumeResponse;
import io.csi4j.client.internal.proto.ControllerGrpc;
import io.csi4j.client.internal.proto.ControllerListVolumeHealthResponse;
import io.csi4j.client.internal.proto.ControllerModifyVolumeResponse;
import io.csi4j.client.internal.proto.ControllerPublishVolumeResponse;
import io.csi4j.client.internal.proto.ControllerUnpublishVolumeResponse;
import io.csi4j.client.internal.proto.CreateSnapshotResponse;
import io.csi4j.client.internal.proto.CreateVolumeResponse;
import io.csi4j.client.internal.proto.DeleteSnapshotResponse;
import io.csi4j.client.internal.proto.DeleteVolumeResponse;
import io.csi4j.client.internal.proto.GetCapacityResponse;
import io.csi4j.client.internal.proto.GetSnapshotResponse;
import io.csi4j.client.internal.proto.ListSnapshotsResponse;
import io.csi4j.client.internal.proto.ListVolumesResponse;
import io.csi4j.client.internal.proto.ValidateVolumeCapabilitiesResponse;
import io.csi4j.client.model.CallPolicy;
import io.csi4j.client.model.CapabilitySet;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.Listing;
import io.csi4j.client.model.Outcome;
import io.csi4j.client.model.Page;
import io.csi4j.client.model.StatusCode;
import io.csi4j.client.model.VolumeHealthReport;
import java.util.concurrent.CompletionStage;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** The controller service. Sends its calls through the {@link CallPath}. */
public final class ControllerClient implements ControllerService {

  static final UnaryRpc<
          CreateVolumeRequest,
          io.csi4j.client.internal.proto.CreateVolumeRequest,
          CreateVolumeResponse,
          Volume>
      CREATE_VOLUME =
          new UnaryRpc<>(
              CsiOperation.CREATE_VOLUME,
              ControllerGrpc.getCreateVolumeMethod(),
              ControllerRequestMapping::toProto,
              ControllerAnswerMapping::createVolume);

  static final UnaryRpc<
          DeleteVolumeRequest,
          io.csi4j.client.internal.proto.DeleteVolumeRequest,
          DeleteVolumeResponse,
          @Nullable Void>
      DELETE_VOLUME =
          UnaryRpc.withoutResult(
              CsiOperation.DELETE_VOLUME,
              ControllerGrpc.getDeleteVolumeMethod(),
              ControllerRequestMapping::toProto);

  static final UnaryRpc<
          ControllerPublishVolumeRequest,
          io.csi4j.client.internal.proto.ControllerPublishVolumeRequest,
          ControllerPublishVolumeResponse,
          ControllerService.PublishVolumeResult>
      CONTROLLER_PUBLISH_VOLUME =
          new UnaryRpc<>(
              CsiOperation.CONTROLLER_PUBLISH_VOLUME,
              ControllerGrpc.getControllerPublishVolumeMethod(),
              ControllerRequestMapping::toProto,
              ControllerAnswerMapping::controllerPublishVolume);

  static final UnaryRpc<
          ControllerUnpublishVolumeRequest,
          io.csi4j.client.internal.proto.ControllerUnpublishVolumeRequest,
          ControllerUnpublishVolumeResponse,
          @Nullable Void>
      CONTROLLER_UNPUBLISH_VOLUME =
          UnaryRpc.withoutResult(
              CsiOperation.CONTROLLER_UNPUBLISH_VOLUME,
              ControllerGrpc.getControllerUnpublishVolumeMethod(),
              ControllerRequestMapping::toProto);

  static final UnaryRpc<
          ValidateVolumeCapabilitiesRequest,
          io.csi4j.client.internal.proto.ValidateVolumeCapabilitiesRequest,
          ValidateVolumeCapabilitiesResponse,
          ValidationResult>
      VALIDATE_VOLUME_CAPABILITIES =
          new UnaryRpc<>(
              CsiOperation.VALIDATE_VOLUME_CAPABILITIES,
              ControllerGrpc.getValidateVolumeCapabilitiesMethod(),
              ControllerRequestMapping::toProto,
              CapabilityComparison::compare);

  static final UnaryRpc<
          ListVolumesRequest,
          io.csi4j.client.internal.proto.ListVolumesRequest,
          ListVolumesResponse,
          Page<VolumeEntry>>
      LIST_VOLUMES =
          new UnaryRpc<>(
              CsiOperation.LIST_VOLUMES,
              ControllerGrpc.getListVolumesMethod(),
              ControllerRequestMapping::toProto,
              ControllerAnswerMapping::listVolumes);

  static final UnaryRpc<
          ControllerListVolumeHealthRequest,
          io.csi4j.client.internal.proto.ControllerListVolumeHealthRequest,
          ControllerListVolumeHealthResponse,
          Page<VolumeHealthReport>>
      CONTROLLER_LIST_VOLUME_HEALTH =
          new UnaryRpc<>(
              CsiOperation.CONTROLLER_LIST_VOLUME_HEALTH,
              ControllerGrpc.getControllerListVolumeHealthMethod(),
              ControllerRequestMapping::toProto,
              ControllerAnswerMapping::controllerListVolumeHealth);

  static final UnaryRpc<
          ControllerGetVolumeHealthRequest,
          io.csi4j.client.internal.proto.ControllerGetVolumeHealthRequest,
          ControllerGetVolumeHealthResponse,
          VolumeHealthReport>
      CONTROLLER_GET_VOLUME_HEALTH =
          new UnaryRpc<>(
              CsiOperation.CONTROLLER_GET_VOLUME_HEALTH,
              ControllerGrpc.getControllerGetVolumeHealthMethod(),
              ControllerRequestMapping::toProto,
              HealthMapping::controllerGetVolumeHealth);

  static final UnaryRpc<
          GetCapacityRequest,
          io.csi4j.client.internal.proto.GetCapacityRequest,
          GetCapacityResponse,
          Capacity>
      GET_CAPACITY =
          new UnaryRpc<>(
              CsiOperation.GET_CAPACITY,
              ControllerGrpc.getGetCapacityMethod(),
              ControllerRequestMapping::toProto,
              ControllerAnswerMapping::getCapacity);

  static final UnaryRpc<
          IdentityClient.Nothing,
          ControllerGetCapabilitiesRequest,
          ControllerGetCapabilitiesResponse,
          CapabilitySet<ControllerCapability>>
      GET_CAPABILITIES =
          new UnaryRpc<>(
              CsiOperation.CONTROLLER_GET_CAPABILITIES,
              ControllerGrpc.getControllerGetCapabilitiesMethod(),
              nothing -> ControllerGetCapabilitiesRequest.getDefaultInstance(),
              ControllerAnswerMapping::controllerGetCapabilities);

  static final UnaryRpc<
          CreateSnapshotRequest,
          io.csi4j.client.internal.proto.CreateSnapshotRequest,
          CreateSnapshotResponse,
          Snapshot>
      CREATE_SNAPSHOT =
          new UnaryRpc<>(
              CsiOperation.CREATE_SNAPSHOT,
              ControllerGrpc.getCreateSnapshotMethod(),
              ControllerRequestMapping::toProto,
              ControllerAnswerMapping::createSnapshot);

  static final UnaryRpc<
          DeleteSnapshotRequest,
          io.csi4j.client.internal.proto.DeleteSnapshotRequest,
          DeleteSnapshotResponse,
          @Nullable Void>
      DELETE_SNAPSHOT =
          UnaryRpc.withoutResult(
              CsiOperation.DELETE_SNAPSHOT,
              ControllerGrpc.getDeleteSnapshotMethod(),
              ControllerRequestMapping::toProto);

  static final UnaryRpc<
          ListSnapshotsRequest,
          io.csi4j.client.internal.proto.ListSnapshotsRequest,
          ListSnapshotsResponse,
          Page<Snapshot>>
      LIST_SNAPSHOTS =
          new UnaryRpc<>(
              CsiOperation.LIST_SNAPSHOTS,
              ControllerGrpc.getListSnapshotsMethod(),
              ControllerRequestMapping::toProto,
              ControllerAnswerMapping::listSnapshots);

  static final UnaryRpc<
          GetSnapshotRequest,
          io.csi4j.client.internal.proto.GetSnapshotRequest,
          GetSnapshotResponse,
          Snapshot>
      GET_SNAPSHOT =
          new UnaryRpc<>(
              CsiOperation.GET_SNAPSHOT,
              ControllerGrpc.getGetSnapshotMethod(),
              ControllerRequestMapping::toProto,
              ControllerAnswerMapping::getSnapshot);

  static final UnaryRpc<
          ControllerExpandVolumeRequest,
          io.csi4j.client.internal.proto.ControllerExpandVolumeRequest,
          ControllerExpandVolumeResponse,
          ControllerService.ExpandVolumeResult>
      CONTROLLER_EXPAND_VOLUME =
          new UnaryRpc<>(
              CsiOperation.CONTROLLER_EXPAND_VOLUME,
              ControllerGrpc.getControllerExpandVolumeMethod(),
              ControllerRequestMapping::toProto,
              ControllerAnswerMapping::controllerExpandVolume);

  static final UnaryRpc<
          ControllerGetVolumeRequest,
          io.csi4j.client.internal.proto.ControllerGetVolumeRequest,
          ControllerGetVolumeResponse,
          VolumeEntry>
      CONTROLLER_GET_VOLUME =
          new UnaryRpc<>(
              CsiOperation.CONTROLLER_GET_VOLUME,
              ControllerGrpc.getControllerGetVolumeMethod(),
              ControllerRequestMapping::toProto,
              ControllerAnswerMapping::controllerGetVolume);

  static final UnaryRpc<
          ControllerModifyVolumeRequest,
          io.csi4j.client.internal.proto.ControllerModifyVolumeRequest,
          ControllerModifyVolumeResponse,
          @Nullable Void>
      CONTROLLER_MODIFY_VOLUME =
          UnaryRpc.withoutResult(
              CsiOperation.CONTROLLER_MODIFY_VOLUME,
              ControllerGrpc.getControllerModifyVolumeMethod(),
              ControllerRequestMapping::toProto);

  private final ServiceCalls calls;

  /** Creates the service on top of {@code calls}. */
  public ControllerClient(ServiceCalls calls) {
    this.calls = calls;
  }

  @Override
  public Volume createVolume(CreateVolumeRequest request) {
    return calls.blocking(CREATE_VOLUME, request);
  }

  @Override
  public void deleteVolume(DeleteVolumeRequest request) {
    calls.blocking(DELETE_VOLUME, request);
  }

  @Override
  public ControllerService.PublishVolumeResult publishVolume(
      ControllerPublishVolumeRequest request) {
    return calls.blocking(CONTROLLER_PUBLISH_VOLUME, request);
  }

  @Override
  public void unpublishVolume(ControllerUnpublishVolumeRequest request) {
    calls.blocking(CONTROLLER_UNPUBLISH_VOLUME, request);
  }

  @Override
  public ValidationResult validateVolumeCapabilities(ValidateVolumeCapabilitiesRequest request) {
    return calls.blocking(VALIDATE_VOLUME_CAPABILITIES, request);
  }

  @Override
  public Page<VolumeEntry> listVolumes(ListVolumesRequest request) {
    return calls.blocking(LIST_VOLUMES, request);
  }

  @Override
  public Page<VolumeHealthReport> listVolumeHealth(ControllerListVolumeHealthRequest request) {
    return calls.blocking(CONTROLLER_LIST_VOLUME_HEALTH, request);
  }

  @Override
  public VolumeHealthReport getVolumeHealth(ControllerGetVolumeHealthRequest request) {
    return calls.blocking(CONTROLLER_GET_VOLUME_HEALTH, request);
  }

  @Override
  public Capacity getCapacity(GetCapacityRequest request) {
    return calls.blocking(GET_CAPACITY, request);
  }

  @Override
  public CapabilitySet<ControllerCapability> getCapabilities() {
    return calls.blocking(GET_CAPABILITIES, IdentityClient.NOTHING);
  }

  @Override
  public Snapshot createSnapshot(CreateSnapshotRequest request) {
    return calls.blocking(CREATE_SNAPSHOT, request);
  }

  @Override
  public void deleteSnapshot(DeleteSnapshotRequest request) {
    calls.blocking(DELETE_SNAPSHOT, request);
  }

  @Override
  public Page<Snapshot> listSnapshots(ListSnapshotsRequest request) {
    return calls.blocking(LIST_SNAPSHOTS, request);
  }

  @Override
  public Snapshot getSnapshot(GetSnapshotRequest request) {
    return calls.blocking(GET_SNAPSHOT, request);
  }

  @Override
  public ControllerService.ExpandVolumeResult expandVolume(ControllerExpandVolumeRequest request) {
    return calls.blocking(CONTROLLER_EXPAND_VOLUME, request);
  }

  @Override
  public VolumeEntry getVolume(ControllerGetVolumeRequest request) {
    return calls.blocking(CONTROLLER_GET_VOLUME, request);
  }

  @Override
  public void modifyVolume(ControllerModifyVolumeRequest request) {
    calls.blocking(CONTROLLER_MODIFY_VOLUME, request);
  }

  @Override
  public Listing<VolumeEntry> volumes(ListVolumesRequest request) {
    return new PagedListing<>(
        request.startingToken().orElse(""),
        token ->
            listVolumes(
                ListVolumesRequest.builder()
                    .maxEntries(request.maxEntries())
                    .startingToken(token)
                    .build()),
        entry -> entry.volume().id().value(),
        () ->
            calls
                .path()
                .describe(
                    CsiOperation.LIST_VOLUMES,
                    ControllerRequestMapping.toProto(request),
                    StatusCode.OK)
                .outcome(Outcome.SETTLED),
        calls.path()::now);
  }

  @Override
  public Listing<VolumeHealthReport> volumeHealth(ControllerListVolumeHealthRequest request) {
    return new PagedListing<>(
        request.startingToken().orElse(""),
        token ->
            listVolumeHealth(
                ControllerListVolumeHealthRequest.builder()
                    .maxEntries(request.maxEntries())
                    .startingToken(token)
                    .secrets(request.secrets())
                    .build()),
        report -> report.volumeId().value(),
        () ->
            calls
                .path()
                .describe(
                    CsiOperation.CONTROLLER_LIST_VOLUME_HEALTH,
                    ControllerRequestMapping.toProto(request),
                    StatusCode.OK)
                .outcome(Outcome.SETTLED),
        calls.path()::now);
  }

  @Override
  public Listing<Snapshot> snapshots(ListSnapshotsRequest request) {
    return new PagedListing<>(
        request.startingToken().orElse(""),
        token -> {
          ListSnapshotsRequest.Builder next =
              ListSnapshotsRequest.builder()
                  .maxEntries(request.maxEntries())
                  .startingToken(token)
                  .secrets(request.secrets());
          request.sourceVolumeId().ifPresent(next::sourceVolumeId);
          request.snapshotId().ifPresent(next::snapshotId);
          return listSnapshots(next.build());
        },
        snapshot -> snapshot.id().value(),
        () ->
            calls
                .path()
                .describe(
                    CsiOperation.LIST_SNAPSHOTS,
                    ControllerRequestMapping.toProto(request),
                    StatusCode.OK)
                .outcome(Outcome.SETTLED),
        calls.path()::now);
  }

  @Override
  public ControllerService.Async async() {
    return new NotBlocking(calls);
  }

  @Override
  public ControllerService with(UnaryOperator<CallPolicy.Builder> change) {
    return new ControllerClient(calls.with(change));
  }

  /** The non-blocking form of the calls. */
  private record NotBlocking(ServiceCalls calls) implements ControllerService.Async {

    @Override
    public CompletionStage<Volume> createVolume(CreateVolumeRequest request) {
      return calls.async(CREATE_VOLUME, request);
    }

    @Override
    public CompletionStage<@Nullable Void> deleteVolume(DeleteVolumeRequest request) {
      return calls.async(DELETE_VOLUME, request);
    }

    @Override
    public CompletionStage<ControllerService.PublishVolumeResult> publishVolume(
        ControllerPublishVolumeRequest request) {
      return calls.async(CONTROLLER_PUBLISH_VOLUME, request);
    }

    @Override
    public CompletionStage<@Nullable Void> unpublishVolume(
        ControllerUnpublishVolumeRequest request) {
      return calls.async(CONTROLLER_UNPUBLISH_VOLUME, request);
    }

    @Override
    public CompletionStage<ValidationResult> validateVolumeCapabilities(
        ValidateVolumeCapabilitiesRequest request) {
      return calls.async(VALIDATE_VOLUME_CAPABILITIES, request);
    }

    @Override
    public CompletionStage<Page<VolumeEntry>> listVolumes(ListVolumesRequest request) {
      return calls.async(LIST_VOLUMES, request);
    }

    @Override
    public CompletionStage<Page<VolumeHealthReport>> listVolumeHealth(
        ControllerListVolumeHealthRequest request) {
      return calls.async(CONTROLLER_LIST_VOLUME_HEALTH, request);
    }

    @Override
    public CompletionStage<VolumeHealthReport> getVolumeHealth(
        ControllerGetVolumeHealthRequest request) {
      return calls.async(CONTROLLER_GET_VOLUME_HEALTH, request);
    }

    @Override
    public CompletionStage<Capacity> getCapacity(GetCapacityRequest request) {
      return calls.async(GET_CAPACITY, request);
    }

    @Override
    public CompletionStage<CapabilitySet<ControllerCapability>> getCapabilities() {
      return calls.async(GET_CAPABILITIES, IdentityClient.NOTHING);
    }

    @Override
    public CompletionStage<Snapshot> createSnapshot(CreateSnapshotRequest request) {
      return calls.async(CREATE_SNAPSHOT, request);
    }

    @Override
    public CompletionStage<@Nullable Void> deleteSnapshot(DeleteSnapshotRequest request) {
      return calls.async(DELETE_SNAPSHOT, request);
    }

    @Override
    public CompletionStage<Page<Snapshot>> listSnapshots(ListSnapshotsRequest request) {
      return calls.async(LIST_SNAPSHOTS, request);
    }

    @Override
    public CompletionStage<Snapshot> getSnapshot(GetSnapshotRequest request) {
      return calls.async(GET_SNAPSHOT, request);
    }

    @Override
    public CompletionStage<ControllerService.ExpandVolumeResult> expandVolume(
        ControllerExpandVolumeRequest request) {
      return calls.async(CONTROLLER_EXPAND_VOLUME, request);
    }

    @Override
    public CompletionStage<VolumeEntry> getVolume(ControllerGetVolumeRequest request) {
      return calls.async(CONTROLLER_GET_VOLUME, request);
    }

    @Override
    public CompletionStage<@Nullable Void> modifyVolume(ControllerModifyVolumeRequest request) {
      return calls.async(CONTROLLER_MODIFY_VOLUME, request);
    }
  }
}
