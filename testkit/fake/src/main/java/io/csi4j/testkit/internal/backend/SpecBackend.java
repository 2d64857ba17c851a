package io.csi4j.testkit.internal.backend;

import com.google.protobuf.Message;
import io.csi4j.client.internal.proto.ControllerExpandVolumeRequest;
import io.csi4j.client.internal.proto.ControllerGetVolumeHealthRequest;
import io.csi4j.client.internal.proto.ControllerGetVolumeRequest;
import io.csi4j.client.internal.proto.ControllerListVolumeHealthRequest;
import io.csi4j.client.internal.proto.ControllerModifyVolumeRequest;
import io.csi4j.client.internal.proto.ControllerPublishVolumeRequest;
import io.csi4j.client.internal.proto.ControllerUnpublishVolumeRequest;
import io.csi4j.client.internal.proto.CreateSnapshotRequest;
import io.csi4j.client.internal.proto.CreateVolumeGroupSnapshotRequest;
import io.csi4j.client.internal.proto.CreateVolumeRequest;
import io.csi4j.client.internal.proto.DeleteSnapshotRequest;
import io.csi4j.client.internal.proto.DeleteVolumeGroupSnapshotRequest;
import io.csi4j.client.internal.proto.DeleteVolumeRequest;
import io.csi4j.client.internal.proto.GetCapacityRequest;
import io.csi4j.client.internal.proto.GetMetadataAllocatedRequest;
import io.csi4j.client.internal.proto.GetMetadataDeltaRequest;
import io.csi4j.client.internal.proto.GetSnapshotRequest;
import io.csi4j.client.internal.proto.GetVolumeGroupSnapshotRequest;
import io.csi4j.client.internal.proto.ListSnapshotsRequest;
import io.csi4j.client.internal.proto.ListVolumesRequest;
import io.csi4j.client.internal.proto.NodeExpandVolumeRequest;
import io.csi4j.client.internal.proto.NodeGetVolumeHealthRequest;
import io.csi4j.client.internal.proto.NodeGetVolumeStatsRequest;
import io.csi4j.client.internal.proto.NodePublishVolumeRequest;
import io.csi4j.client.internal.proto.NodeStageVolumeRequest;
import io.csi4j.client.internal.proto.NodeUnpublishVolumeRequest;
import io.csi4j.client.internal.proto.NodeUnstageVolumeRequest;
import io.csi4j.client.internal.proto.ValidateVolumeCapabilitiesRequest;
import io.csi4j.client.internal.proto.Volume;
import io.csi4j.client.model.CapacityRange;
import io.csi4j.client.model.GroupSnapshotId;
import io.csi4j.client.model.NodeId;
import io.csi4j.client.model.PluginPath;
import io.csi4j.client.model.SnapshotId;
import io.csi4j.client.model.VolumeContext;
import io.csi4j.client.model.VolumeId;
import io.csi4j.testkit.internal.backend.State.StoredVolume;
import io.csi4j.testkit.model.PluginClock;
import io.csi4j.testkit.model.PluginContents;
import io.csi4j.testkit.model.PluginShape;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;

/** A plugin by the book: every call of the spec, over a storage. */
public final class SpecBackend implements Backend {

  private final Supplier<PluginShape> shape;
  private final BackendParts ground;
  private final Questions questions;
  private final VolumeService volumes;
  private final AttachService attachments;
  private final ListingPages listings;
  private final HealthService health;
  private final SnapshotService snapshots;
  private final Metadata metadata;
  private final NodeVolumeService onNode;

  /** A backend that knows nothing until it is opened. */
  public SpecBackend(
      Supplier<PluginShape> shape,
      List<NodeId> nodes,
      Storage storage,
      PluginClock clock,
      Duration snapshotsReadyAfter) {
    this.shape = shape;
    ground =
        new BackendParts(
            List.copyOf(nodes),
            storage,
            clock,
            snapshotsReadyAfter,
            new Knowledge(storage),
            new Flights(),
            new ToldHealth(),
            new BackendParts.NewIds(storage.mark()));
    questions = new Questions(ground);
    volumes = new VolumeService(ground);
    attachments = new AttachService(ground);
    listings = new ListingPages(ground);
    health = new HealthService(ground, listings);
    snapshots = new SnapshotService(ground);
    metadata = new Metadata(ground);
    onNode = new NodeVolumeService(ground, volumes);
  }

  @Override
  public List<Message> answer(Asked asked) throws Refusal {
    Call call = new Call(shape.get(), asked.node());
    ServedCalls.check(asked.operation(), call);
    RequestRules.check(call.shape(), asked.request());
    return switch (asked.operation()) {
      case GET_METADATA_ALLOCATED ->
          metadata.allocated((GetMetadataAllocatedRequest) asked.request());
      case GET_METADATA_DELTA -> metadata.delta((GetMetadataDeltaRequest) asked.request());
      default -> List.of(one(call, asked));
    };
  }

  private Message one(Call call, Asked asked) throws Refusal {
    Message request = asked.request();
    return switch (asked.operation()) {
      case GET_PLUGIN_INFO -> Questions.info(call.shape());
      case GET_PLUGIN_CAPABILITIES,
          CONTROLLER_GET_CAPABILITIES,
          GROUP_CONTROLLER_GET_CAPABILITIES,
          NODE_GET_CAPABILITIES ->
          Questions.capabilities(call.shape(), asked.operation());
      case PROBE -> Questions.probe(call.shape());
      case CREATE_VOLUME -> volumes.create(call, (CreateVolumeRequest) request);
      case DELETE_VOLUME -> volumes.delete(call, (DeleteVolumeRequest) request);
      case CONTROLLER_EXPAND_VOLUME ->
          volumes.expand(call, (ControllerExpandVolumeRequest) request);
      case CONTROLLER_MODIFY_VOLUME ->
          volumes.modify(call, (ControllerModifyVolumeRequest) request);
      case CONTROLLER_PUBLISH_VOLUME ->
          attachments.publish(call, (ControllerPublishVolumeRequest) request);
      case CONTROLLER_UNPUBLISH_VOLUME ->
          attachments.unpublish((ControllerUnpublishVolumeRequest) request);
      case VALIDATE_VOLUME_CAPABILITIES ->
          questions.validate(call, (ValidateVolumeCapabilitiesRequest) request);
      case LIST_VOLUMES -> listings.volumes(call, (ListVolumesRequest) request);
      case CONTROLLER_GET_VOLUME -> listings.volume(call, (ControllerGetVolumeRequest) request);
      case CONTROLLER_LIST_VOLUME_HEALTH ->
          health.volumes((ControllerListVolumeHealthRequest) request);
      case CONTROLLER_GET_VOLUME_HEALTH ->
          health.volume((ControllerGetVolumeHealthRequest) request);
      case LIST_SNAPSHOTS -> listings.snapshots(call, (ListSnapshotsRequest) request);
      case GET_CAPACITY -> questions.capacity(call, (GetCapacityRequest) request);

      case CREATE_SNAPSHOT -> snapshots.create(call, (CreateSnapshotRequest) request);
      case DELETE_SNAPSHOT -> snapshots.delete(call, (DeleteSnapshotRequest) request);
      case GET_SNAPSHOT -> snapshots.get(call, (GetSnapshotRequest) request);

      case CREATE_VOLUME_GROUP_SNAPSHOT ->
          snapshots.create(call, (CreateVolumeGroupSnapshotRequest) request);
      case DELETE_VOLUME_GROUP_SNAPSHOT ->
          snapshots.delete(call, (DeleteVolumeGroupSnapshotRequest) request);
      case GET_VOLUME_GROUP_SNAPSHOT ->
          snapshots.get(call, (GetVolumeGroupSnapshotRequest) request);
      case NODE_STAGE_VOLUME -> onNode.stage(call, (NodeStageVolumeRequest) request);
      case NODE_UNSTAGE_VOLUME -> onNode.unstage(call, (NodeUnstageVolumeRequest) request);
      case NODE_PUBLISH_VOLUME -> onNode.publish(call, (NodePublishVolumeRequest) request);
      case NODE_UNPUBLISH_VOLUME -> onNode.unpublish(call, (NodeUnpublishVolumeRequest) request);
      case NODE_GET_VOLUME_STATS -> onNode.stats(call, (NodeGetVolumeStatsRequest) request);
      case NODE_GET_VOLUME_HEALTH ->
          health.volumeOnNode(call, (NodeGetVolumeHealthRequest) request);
      case NODE_GET_STORAGE_HEALTH -> health.storage(call);
      case NODE_EXPAND_VOLUME -> onNode.expand(call, (NodeExpandVolumeRequest) request);

      case NODE_GET_INFO -> questions.nodeInfo(call);
      case GET_METADATA_ALLOCATED, GET_METADATA_DELTA ->
          throw new IllegalStateException("A stream: " + request.getClass());
    };
  }

  @Override
  public void open() {
    ground.knowledge().open();
  }

  /** Loses everything it knew; what is on the nodes stays. */
  public void forget() {
    ground.health().clear();
    listings.expireTokens();
    change(
        state -> {
          state.volumes().clear();
          state.snapshots().clear();
          state.groups().clear();
          state.attachments().clear();
          state.stagings().clear();
          state.publications().clear();
        });
  }

  public PluginContents contents() {
    State state = ground.now();
    return new PluginContents(
        state.volumes().keySet().stream().map(VolumeId::of).toList(),
        state.snapshots().keySet().stream().map(SnapshotId::of).toList(),
        state.groups().keySet().stream().map(GroupSnapshotId::of).toList(),
        state.attachments().keySet().stream()
            .map(at -> new PluginContents.Attached(VolumeId.of(at.what()), NodeId.of(at.node())))
            .toList(),
        state.stagings().entrySet().stream()
            .map(
                staged ->
                    new PluginContents.Staged(
                        VolumeId.of(staged.getKey().what()),
                        NodeId.of(staged.getKey().node()),
                        PluginPath.of(staged.getValue().getStagingTargetPath())))
            .toList(),
        state.publications().entrySet().stream()
            .map(
                published ->
                    new PluginContents.Published(
                        VolumeId.of(published.getValue().getVolumeId()),
                        NodeId.of(published.getKey().node()),
                        PluginPath.of(published.getKey().what()),
                        State.readOnly(published.getValue())))
            .toList());
  }

  public void addVolume(VolumeId volume, CapacityRange capacity, VolumeContext context) {
    Volume made =
        Volume.newBuilder()
            .setVolumeId(volume.value())
            .setCapacityBytes(
                capacity
                    .requiredBytes()
                    .orElseGet(
                        () ->
                            Math.min(
                                VolumeSizes.DEFAULT,
                                capacity.limitBytes().orElse(VolumeSizes.DEFAULT))))
            .putAllVolumeContext(context.reveal())
            .build();
    CreateVolumeRequest asked =
        CreateVolumeRequest.newBuilder().setCapacityRange(VolumeService.range(capacity)).build();
    try {
      ground.effect("Adding the volume", () -> ground.storage().create(made, asked));
    } catch (Refusal e) {
      throw new IllegalStateException(e.text(), e);
    }
    change(state -> state.volumes().put(volume.value(), new StoredVolume(made, asked)));
  }

  private void change(Knowledge.Change change) {
    try {
      ground.change(change);
    } catch (Refusal e) {
      throw new IllegalStateException(e.text(), e);
    }
  }

  /** The health that the plugin tells. */
  public ToldHealth health() {
    return ground.health();
  }

  public void expireTokens() {
    listings.expireTokens();
  }
}
