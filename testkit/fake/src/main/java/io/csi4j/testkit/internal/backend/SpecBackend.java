package io.csi4j.testkit.internal.backend;

import com.google.protobuf.Message;
import io.csi4j.client.internal.proto.CreateVolumeRequest;
import io.csi4j.client.internal.proto.Volume;
import io.csi4j.client.model.CapacityRange;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.GroupSnapshotId;
import io.csi4j.client.model.NodeId;
import io.csi4j.client.model.PluginPath;
import io.csi4j.client.model.SnapshotId;
import io.csi4j.client.model.VolumeContext;
import io.csi4j.client.model.VolumeId;
import io.csi4j.testkit.internal.journal.ProtoMessage;
import io.csi4j.testkit.model.PluginClock;
import io.csi4j.testkit.model.PluginContents;
import io.csi4j.testkit.model.PluginShape;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;

/** A backend that implements every call as the spec requires, on top of a storage. */
public final class SpecBackend implements Backend {

  private final Supplier<PluginShape> shape;
  private final BackendParts ground;
  private final ListingPages listings;
  private final VolumeService volumes;
  private final Map<CsiOperation, Work<Message>> works = new EnumMap<>(CsiOperation.class);

  /** Implements one operation, whose requests have the type {@code R}. */
  private interface Work<R extends Message> {
    List<? extends Message> of(Call call, R request) throws Refusal;
  }

  /** Implements an operation that answers with one message. */
  private interface OneAnswer<R extends Message> {
    Message of(Call call, R request) throws Refusal;
  }

  /** Creates a backend. The backend has no state until it is opened. */
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
    listings = new ListingPages(ground);
    Questions questions = new Questions(ground);
    for (CsiOperation each :
        List.of(
            CsiOperation.GET_PLUGIN_CAPABILITIES,
            CsiOperation.CONTROLLER_GET_CAPABILITIES,
            CsiOperation.GROUP_CONTROLLER_GET_CAPABILITIES,
            CsiOperation.NODE_GET_CAPABILITIES)) {
      on(each, (call, request) -> Questions.capabilities(call.shape(), each));
    }
    on(CsiOperation.GET_PLUGIN_INFO, (call, request) -> Questions.info(call.shape()));
    on(CsiOperation.PROBE, (call, request) -> Questions.probe(call.shape()));
    on(CsiOperation.VALIDATE_VOLUME_CAPABILITIES, questions::validate);
    on(CsiOperation.GET_CAPACITY, questions::capacity);
    on(CsiOperation.NODE_GET_INFO, (call, request) -> questions.nodeInfo(call));
    volumes = new VolumeService(ground);
    on(CsiOperation.CREATE_VOLUME, volumes::create);
    on(CsiOperation.DELETE_VOLUME, volumes::delete);
    on(CsiOperation.CONTROLLER_EXPAND_VOLUME, volumes::expand);
    on(CsiOperation.CONTROLLER_MODIFY_VOLUME, volumes::modify);
    AttachService attachments = new AttachService(ground);
    on(CsiOperation.CONTROLLER_PUBLISH_VOLUME, attachments::publish);
    on(CsiOperation.CONTROLLER_UNPUBLISH_VOLUME, attachments::unpublish);
    on(CsiOperation.LIST_VOLUMES, listings::volumes);
    on(CsiOperation.CONTROLLER_GET_VOLUME, listings::volume);
    on(CsiOperation.LIST_SNAPSHOTS, listings::snapshots);
    HealthService health = new HealthService(ground, listings);
    on(CsiOperation.CONTROLLER_LIST_VOLUME_HEALTH, health::volumes);
    on(CsiOperation.CONTROLLER_GET_VOLUME_HEALTH, health::volume);
    on(CsiOperation.NODE_GET_VOLUME_HEALTH, health::volumeOnNode);
    on(CsiOperation.NODE_GET_STORAGE_HEALTH, (call, request) -> health.storage(call));
    SnapshotService snapshots = new SnapshotService(ground);
    on(CsiOperation.CREATE_SNAPSHOT, snapshots::create);
    on(CsiOperation.DELETE_SNAPSHOT, snapshots::delete);
    on(CsiOperation.GET_SNAPSHOT, snapshots::get);
    on(CsiOperation.CREATE_VOLUME_GROUP_SNAPSHOT, snapshots::createGroup);
    on(CsiOperation.DELETE_VOLUME_GROUP_SNAPSHOT, snapshots::deleteGroup);
    on(CsiOperation.GET_VOLUME_GROUP_SNAPSHOT, snapshots::getGroup);
    Metadata metadata = new Metadata(ground);
    stream(CsiOperation.GET_METADATA_ALLOCATED, metadata::allocated);
    stream(CsiOperation.GET_METADATA_DELTA, metadata::delta);
    NodeVolumeService onNode = new NodeVolumeService(ground, volumes);
    on(CsiOperation.NODE_STAGE_VOLUME, onNode::stage);
    on(CsiOperation.NODE_UNSTAGE_VOLUME, onNode::unstage);
    on(CsiOperation.NODE_PUBLISH_VOLUME, onNode::publish);
    on(CsiOperation.NODE_UNPUBLISH_VOLUME, onNode::unpublish);
    on(CsiOperation.NODE_GET_VOLUME_STATS, onNode::stats);
    on(CsiOperation.NODE_EXPAND_VOLUME, onNode::expand);
  }

  private <R extends Message> void on(CsiOperation operation, OneAnswer<R> work) {
    this.<R>stream(operation, (call, request) -> List.of(work.of(call, request)));
  }

  @SuppressWarnings("unchecked") // The operation determines the type of the request.
  private <R extends Message> void stream(CsiOperation operation, Work<R> work) {
    works.put(operation, (call, request) -> work.of(call, (R) request));
  }

  @Override
  public List<Message> answer(Asked asked) throws Refusal {
    Call call = new Call(shape.get(), asked.node());
    ServedCalls.check(asked.operation(), call);
    RequestRules.check(call.shape(), asked.request());
    ServedCalls.checkFields(asked.operation(), call.shape(), new ProtoMessage(asked.request()));
    return List.copyOf(
        Objects.requireNonNull(works.get(asked.operation())).of(call, asked.request()));
  }

  @Override
  public void open() {
    ground.knowledge().open();
  }

  /** Discards all state of the plugin. Volumes remain staged and published on the nodes. */
  public void forget() {
    ground.health().clear();
    listings.expireTokens();
    try {
      ground.change(
          state -> {
            state.volumes().clear();
            state.snapshots().clear();
            state.groups().clear();
            state.attachments().clear();
            state.stagings().clear();
            state.publications().clear();
          });
    } catch (Refusal e) {
      throw new IllegalStateException(e.text(), e);
    }
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
      volumes.keep(shape.get(), 0, "Adding", made, asked);
    } catch (Refusal e) {
      throw new IllegalStateException(e.text(), e);
    }
  }

  /** Returns the health that the plugin reports. */
  public ToldHealth health() {
    return ground.health();
  }

  public void expireTokens() {
    listings.expireTokens();
  }
}
