package io.csi4j.testkit.internal.backend;

import static io.csi4j.client.model.StatusCode.ABORTED;
import static io.csi4j.client.model.StatusCode.ALREADY_EXISTS;
import static io.csi4j.client.model.StatusCode.FAILED_PRECONDITION;
import static io.csi4j.client.model.StatusCode.INVALID_ARGUMENT;
import static io.csi4j.client.model.StatusCode.NOT_FOUND;
import static io.csi4j.client.model.StatusCode.OUT_OF_RANGE;
import static io.csi4j.client.model.StatusCode.RESOURCE_EXHAUSTED;
import static io.csi4j.testkit.internal.backend.Requests.BLOCK;
import static io.csi4j.testkit.internal.backend.Requests.GIB;
import static io.csi4j.testkit.internal.backend.Requests.SHARED;
import static io.csi4j.testkit.internal.backend.Requests.WRITER;
import static io.csi4j.testkit.internal.backend.Requests.attach;
import static io.csi4j.testkit.internal.backend.Requests.attached;
import static io.csi4j.testkit.internal.backend.Requests.created;
import static io.csi4j.testkit.internal.backend.Requests.cut;
import static io.csi4j.testkit.internal.backend.Requests.delete;
import static io.csi4j.testkit.internal.backend.Requests.detach;
import static io.csi4j.testkit.internal.backend.Requests.exactly;
import static io.csi4j.testkit.internal.backend.Requests.expand;
import static io.csi4j.testkit.internal.backend.Requests.filledFrom;
import static io.csi4j.testkit.internal.backend.Requests.mount;
import static io.csi4j.testkit.internal.backend.Requests.newVolume;
import static io.csi4j.testkit.internal.backend.Requests.publish;
import static io.csi4j.testkit.internal.backend.Requests.published;
import static io.csi4j.testkit.internal.backend.Requests.snapshot;
import static io.csi4j.testkit.internal.backend.Requests.stage;
import static io.csi4j.testkit.internal.backend.Requests.staged;
import static io.csi4j.testkit.internal.backend.Requests.staging;
import static io.csi4j.testkit.internal.backend.Requests.unpublish;
import static io.csi4j.testkit.internal.backend.Requests.unstage;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Message;
import io.csi4j.client.controller.ControllerCapability;
import io.csi4j.client.identity.PluginCapability;
import io.csi4j.client.internal.proto.ControllerGetVolumeRequest;
import io.csi4j.client.internal.proto.ControllerModifyVolumeRequest;
import io.csi4j.client.internal.proto.CreateVolumeGroupSnapshotRequest;
import io.csi4j.client.internal.proto.CreateVolumeGroupSnapshotResponse;
import io.csi4j.client.internal.proto.CreateVolumeRequest;
import io.csi4j.client.internal.proto.DeleteSnapshotRequest;
import io.csi4j.client.internal.proto.DeleteVolumeGroupSnapshotRequest;
import io.csi4j.client.internal.proto.GetMetadataAllocatedRequest;
import io.csi4j.client.internal.proto.GetMetadataDeltaRequest;
import io.csi4j.client.internal.proto.GetSnapshotRequest;
import io.csi4j.client.internal.proto.GetVolumeGroupSnapshotRequest;
import io.csi4j.client.internal.proto.ListSnapshotsRequest;
import io.csi4j.client.internal.proto.ListVolumesRequest;
import io.csi4j.client.internal.proto.NodeExpandVolumeRequest;
import io.csi4j.client.internal.proto.NodeGetVolumeStatsRequest;
import io.csi4j.client.internal.proto.Snapshot;
import io.csi4j.client.internal.proto.ValidateVolumeCapabilitiesRequest;
import io.csi4j.client.internal.proto.Volume;
import io.csi4j.client.internal.proto.VolumeCapability.AccessMode.Mode;
import io.csi4j.client.internal.proto.VolumeGroupSnapshot;
import io.csi4j.client.model.StatusCode;
import io.csi4j.client.model.Topology;
import io.csi4j.testkit.effects.NodeEffects;
import io.csi4j.testkit.model.PluginShape;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Every way in which the spec has a plugin refuse a call in its state. */
class RefusalsTest {

  private static final Volume UNKNOWN = Volume.newBuilder().setVolumeId("vol-unknown").build();
  private static final Topology EAST = Topology.of(Map.of("zone", "east"));
  private static final Topology WEST = Topology.of(Map.of("zone", "west"));

  private final List<DynamicTest> rows = new ArrayList<>();

  private void row(String name, StatusCode code, String text, Function<Asking, Message> spoilt) {
    row(name, PluginShape.full(), code, text, spoilt);
  }

  private void row(
      String name,
      PluginShape shape,
      StatusCode code,
      String text,
      Function<Asking, Message> spoilt) {
    rows.add(
        DynamicTest.dynamicTest(
            name,
            () -> {
              Asking plugin = new Asking(shape);
              Message request = spoilt.apply(plugin);
              var before = plugin.backend.contents();

              Refusal refusal = plugin.refusal(request);

              assertThat(refusal.code()).as(refusal.text()).isEqualTo(code);
              assertThat(refusal.text()).contains(text).endsWith(".");
              assertThat(plugin.backend.contents()).isEqualTo(before);
            }));
  }

  @TestFactory
  Stream<DynamicTest> creating() {
    row(
        "volumeFromAnUnknownSnapshot",
        NOT_FOUND,
        "volume_content_source.snapshot.snapshot_id",
        plugin -> filledFrom(Snapshot.newBuilder().setSnapshotId("none").build(), "a").build());
    row(
        "volumeFromAnUnknownVolume",
        NOT_FOUND,
        "volume_content_source.volume.volume_id",
        plugin -> filledFrom(UNKNOWN, "a").build());
    row(
        "volumeFromASnapshotOfTheOtherKind",
        INVALID_ARGUMENT,
        "volume_content_source",
        plugin -> filledFrom(cut(plugin, "s", created(plugin, "a", BLOCK)), "b").build());
    row(
        "cloneOfTheOtherKind",
        INVALID_ARGUMENT,
        "volume_content_source",
        plugin -> filledFrom(created(plugin, "a", BLOCK), "b").build());
    row(
        "volumeSmallerThanItsSnapshot",
        OUT_OF_RANGE,
        "smaller than the source",
        plugin ->
            filledFrom(cut(plugin, "s", created(plugin, "a")), "b")
                .setCapacityRange(exactly(GIB / 2))
                .build());
    row(
        "volumeSmallerThanItsSource",
        OUT_OF_RANGE,
        "smaller than the source",
        plugin -> filledFrom(created(plugin, "a"), "b").setCapacityRange(exactly(GIB - 1)).build());
    row(
        "volumeLargerThanEverything",
        OUT_OF_RANGE,
        "more than the total of this plugin",
        plugin -> newVolume("a").setCapacityRange(exactly((1L << 40) + 1)).build());
    row(
        "volumeLargerThanWhatIsLeft",
        PluginShape.full().totalBytes(3 * GIB),
        RESOURCE_EXHAUSTED,
        "are left",
        plugin -> {
          created(plugin, newVolume("a").setCapacityRange(exactly(2 * GIB)));
          return newVolume("b").setCapacityRange(exactly(2 * GIB)).build();
        });
    row(
        "sameNameOtherCapacity",
        ALREADY_EXISTS,
        "capacity_range",
        plugin -> {
          created(plugin, "a");
          return newVolume("a").setCapacityRange(exactly(2 * GIB)).build();
        });
    row(
        "sameNameOtherCapabilities",
        ALREADY_EXISTS,
        "volume_capabilities",
        plugin -> {
          created(plugin, "a");
          return newVolume("a", SHARED).build();
        });
    row(
        "sameNameOtherParameters",
        ALREADY_EXISTS,
        "parameters",
        plugin -> {
          created(plugin, newVolume("a").putParameters("tier", "fast"));
          return newVolume("a").putParameters("tier", "slow").build();
        });
    row(
        "sameNameOtherSource",
        ALREADY_EXISTS,
        "volume_content_source",
        plugin -> {
          Volume volume = created(plugin, "a");
          return filledFrom(volume, "a").build();
        });
    PluginShape zones = PluginShape.full().topologies(EAST, WEST);
    row(
        "sameNameOtherTopology",
        zones,
        ALREADY_EXISTS,
        "accessibility_requirements",
        plugin -> {
          created(plugin, in(newVolume("a"), "east"));
          return in(newVolume("a"), "west").build();
        });
    row(
        "topologyWhereNoNodeIs",
        zones,
        RESOURCE_EXHAUSTED,
        "requisite",
        plugin -> in(newVolume("a"), "south").build());
    row(
        "topologyKeyThatNoNodeHas",
        zones,
        INVALID_ARGUMENT,
        "accessibility_requirements.requisite",
        plugin -> {
          CreateVolumeRequest.Builder request = newVolume("a");
          request
              .getAccessibilityRequirementsBuilder()
              .addRequisiteBuilder()
              .putSegments("rack", "1");
          return request.build();
        });
    row(
        "topologyWithoutTheCapability",
        zones.without(PluginCapability.VOLUME_ACCESSIBILITY_CONSTRAINTS),
        INVALID_ARGUMENT,
        "VOLUME_ACCESSIBILITY_CONSTRAINTS",
        plugin -> in(newVolume("a"), "east").build());
    row(
        "cloneWithoutTheCapability",
        PluginShape.full().without(ControllerCapability.CLONE_VOLUME),
        INVALID_ARGUMENT,
        "CLONE_VOLUME",
        plugin -> filledFrom(created(plugin, "a"), "b").build());
    row(
        "restoreWithoutTheCapability",
        PluginShape.full().without(ControllerCapability.CREATE_DELETE_SNAPSHOT),
        INVALID_ARGUMENT,
        "CREATE_DELETE_SNAPSHOT",
        plugin -> filledFrom(Snapshot.newBuilder().setSnapshotId("s").build(), "b").build());
    row(
        "mutableParametersWithoutTheCapability",
        PluginShape.full().without(ControllerCapability.MODIFY_VOLUME),
        INVALID_ARGUMENT,
        "MODIFY_VOLUME",
        plugin -> newVolume("a").putMutableParams("iops", "1").build());
    row(
        "modeWithoutTheCapability",
        PluginShape.full().without(ControllerCapability.SINGLE_NODE_MULTI_WRITER),
        INVALID_ARGUMENT,
        "SINGLE_NODE_MULTI_WRITER",
        plugin -> newVolume("a", mount(Mode.SINGLE_NODE_SINGLE_WRITER)).build());
    row(
        "filesystemOfABlockPlugin",
        PluginShape.blockOnly(),
        INVALID_ARGUMENT,
        "volume_capabilities[0]",
        plugin -> newVolume("a").build());
    return rows.stream();
  }

  private static CreateVolumeRequest.Builder in(CreateVolumeRequest.Builder request, String zone) {
    request.getAccessibilityRequirementsBuilder().addRequisiteBuilder().putSegments("Zone", zone);
    return request;
  }

  @TestFactory
  Stream<DynamicTest> volumes() {
    row(
        "deletingWhatIsAttached",
        FAILED_PRECONDITION,
        "ControllerUnpublishVolume",
        plugin -> {
          Volume volume = created(plugin, "a");
          attached(plugin, volume, WRITER);
          return delete(volume);
        });
    row(
        "deletingWhatIsStaged",
        PluginShape.noAttach(),
        FAILED_PRECONDITION,
        "is staged",
        plugin -> {
          Volume volume = created(plugin, "a");
          plugin.ask(stage(volume, Map.of(), WRITER).build());
          return delete(volume);
        });
    row(
        "deletingWhatIsPublished",
        PluginShape.plain(),
        FAILED_PRECONDITION,
        "is published",
        plugin -> {
          Volume volume = created(plugin, "a");
          plugin.ask(publish(volume, Map.of(), WRITER, "/t/1").build());
          return delete(volume);
        });
    row(
        "validatingAnUnknownVolume",
        NOT_FOUND,
        "volume_id",
        plugin ->
            ValidateVolumeCapabilitiesRequest.newBuilder()
                .setVolumeId("none")
                .addVolumeCapabilities(WRITER)
                .build());
    row(
        "readingAnUnknownVolume",
        NOT_FOUND,
        "volume_id",
        plugin -> ControllerGetVolumeRequest.newBuilder().setVolumeId("none").build());
    row(
        "modifyingAnUnknownVolume",
        NOT_FOUND,
        "volume_id",
        plugin ->
            ControllerModifyVolumeRequest.newBuilder()
                .setVolumeId("none")
                .putMutableParameters("iops", "1")
                .build());
    row(
        "modifyingByAnEmptyValue",
        INVALID_ARGUMENT,
        "mutable_parameters['iops']",
        plugin ->
            ControllerModifyVolumeRequest.newBuilder()
                .setVolumeId(created(plugin, "a").getVolumeId())
                .putMutableParameters("iops", "")
                .build());
    row(
        "expandingAnUnknownVolume",
        NOT_FOUND,
        "volume_id",
        plugin -> expand(UNKNOWN, exactly(GIB)));
    row(
        "expandingBeyondEverything",
        OUT_OF_RANGE,
        "more than the total of this plugin",
        plugin -> expand(created(plugin, "a"), exactly(1L << 41)));
    row(
        "expandingBeyondWhatIsLeft",
        PluginShape.full().totalBytes(3 * GIB),
        RESOURCE_EXHAUSTED,
        "are left",
        plugin -> {
          created(plugin, "b");
          return expand(created(plugin, "a"), exactly(3 * GIB));
        });
    row(
        "shrinking",
        OUT_OF_RANGE,
        "cannot shrink",
        plugin -> expand(created(plugin, "a"), exactly(GIB / 2)));
    row(
        "expandingForAnotherUse",
        INVALID_ARGUMENT,
        "volume_capability",
        plugin ->
            expand(created(plugin, "a"), exactly(2 * GIB)).toBuilder()
                .setVolumeCapability(BLOCK)
                .build());
    row(
        "expandingOnlineWhatOnlyGrowsOffline",
        PluginShape.full().without(PluginCapability.VOLUME_EXPANSION_ONLINE),
        FAILED_PRECONDITION,
        "is attached to",
        plugin -> {
          Volume volume = created(plugin, "a");
          attached(plugin, volume, WRITER);
          return expand(volume, exactly(2 * GIB));
        });
    row(
        "listingVolumesFromAWrongToken",
        ABORTED,
        "starting_token",
        plugin -> ListVolumesRequest.newBuilder().setStartingToken("nonsense").build());
    row(
        "listingSnapshotsFromAWrongToken",
        ABORTED,
        "starting_token",
        plugin -> ListSnapshotsRequest.newBuilder().setStartingToken("nonsense").build());
    return rows.stream();
  }

  @TestFactory
  Stream<DynamicTest> attaching() {
    row(
        "attachingAnUnknownVolume",
        NOT_FOUND,
        "volume_id",
        plugin -> attach(UNKNOWN, Asking.ONE, WRITER).build());
    row(
        "attachingToAnUnknownNode",
        NOT_FOUND,
        "node_id",
        plugin -> attach(created(plugin, "a"), Asking.ONE, WRITER).setNodeId("none").build());
    row(
        "attachingAgainOtherwise",
        ALREADY_EXISTS,
        "another volume_capability or readonly",
        plugin -> {
          Volume volume = created(plugin, "a");
          attached(plugin, volume, WRITER);
          return attach(volume, Asking.ONE, mount(Mode.SINGLE_NODE_READER_ONLY)).build();
        });
    row(
        "attachingAgainReadOnly",
        ALREADY_EXISTS,
        "another volume_capability or readonly",
        plugin -> {
          Volume volume = created(plugin, "a");
          attached(plugin, volume, WRITER);
          return attach(volume, Asking.ONE, WRITER).setReadonly(true).build();
        });
    row(
        "attachingToASecondNode",
        FAILED_PRECONDITION,
        "'node-1'",
        plugin -> {
          Volume volume = created(plugin, "a");
          attached(plugin, volume, WRITER);
          return attach(volume, Asking.TWO, WRITER).build();
        });
    row(
        "attachingASecondWriter",
        FAILED_PRECONDITION,
        "writes to it already",
        plugin -> {
          Volume volume = created(plugin, "a", mount(Mode.MULTI_NODE_SINGLE_WRITER));
          attached(plugin, volume, mount(Mode.MULTI_NODE_SINGLE_WRITER));
          return attach(volume, Asking.TWO, mount(Mode.MULTI_NODE_SINGLE_WRITER)).build();
        });
    row(
        "attachingOneMoreThanTheNodeTakes",
        PluginShape.full().maxVolumesPerNode(1),
        RESOURCE_EXHAUSTED,
        "has 1 volume attached, and accepts no more",
        plugin -> {
          attached(plugin, created(plugin, "a"), WRITER);
          return attach(created(plugin, "b"), Asking.ONE, WRITER).build();
        });
    row(
        "attachingReadOnlyWithoutTheCapability",
        PluginShape.full().without(ControllerCapability.PUBLISH_READONLY),
        INVALID_ARGUMENT,
        "PUBLISH_READONLY",
        plugin -> attach(created(plugin, "a"), Asking.ONE, WRITER).setReadonly(true).build());
    row(
        "attachingWithAnotherContext",
        INVALID_ARGUMENT,
        "volume_context",
        plugin -> attach(created(plugin, "a"), Asking.ONE, WRITER).clearVolumeContext().build());
    row(
        "attachingForAnotherUse",
        INVALID_ARGUMENT,
        "volume_capability",
        plugin -> attach(created(plugin, "a"), Asking.ONE, BLOCK).build());
    row(
        "attachingWhereTheVolumeIsOutOfReach",
        PluginShape.full().topologies(EAST, WEST),
        INVALID_ARGUMENT,
        "accessible_topology",
        plugin -> attach(created(plugin, in(newVolume("a"), "west")), Asking.ONE, WRITER).build());
    row(
        "detachingFromAnUnknownNode",
        NOT_FOUND,
        "node_id",
        plugin -> detach(created(plugin, "a"), "none"));
    row(
        "detachingWhatIsStaged",
        FAILED_PRECONDITION,
        "is staged",
        plugin -> {
          Volume volume = created(plugin, "a");
          staged(plugin, volume, WRITER);
          return detach(volume, "node-1");
        });
    row(
        "detachingFromEverywhereWhatIsPublished",
        FAILED_PRECONDITION,
        "is published",
        plugin -> {
          Volume volume = created(plugin, "a");
          published(plugin, volume, WRITER, "/t/1");
          return detach(volume, "");
        });
    return rows.stream();
  }

  @TestFactory
  Stream<DynamicTest> snapshots() {
    row(
        "snapshotOfAnUnknownVolume",
        NOT_FOUND,
        "source_volume_id",
        plugin -> snapshot("s", UNKNOWN));
    row(
        "sameNameOfAnotherVolume",
        ALREADY_EXISTS,
        "source_volume_id",
        plugin -> {
          cut(plugin, "s", created(plugin, "a"));
          return snapshot("s", created(plugin, "b"));
        });
    row(
        "snapshotWithoutSpace",
        PluginShape.full().totalBytes(GIB),
        RESOURCE_EXHAUSTED,
        "are left",
        plugin -> snapshot("s", created(plugin, "a")));
    row(
        "readingAnUnknownSnapshot",
        NOT_FOUND,
        "snapshot_id",
        plugin -> GetSnapshotRequest.newBuilder().setSnapshotId("none").build());
    row(
        "deletingAMemberAlone",
        INVALID_ARGUMENT,
        "DeleteVolumeGroupSnapshot",
        plugin ->
            DeleteSnapshotRequest.newBuilder()
                .setSnapshotId(group(plugin).getSnapshots(0).getSnapshotId())
                .build());
    row(
        "groupOfAnUnknownVolume",
        NOT_FOUND,
        "source_volume_ids",
        plugin -> groupRequest("g", UNKNOWN));
    row(
        "groupThatNamesAVolumeTwice",
        INVALID_ARGUMENT,
        "twice",
        plugin -> {
          Volume volume = created(plugin, "a");
          return groupRequest("g", volume, volume);
        });
    row(
        "groupNameOfOtherVolumes",
        ALREADY_EXISTS,
        "source_volume_ids or parameters",
        plugin -> {
          group(plugin);
          return groupRequest("g", created(plugin, "c"));
        });
    row(
        "groupNameWithOtherParameters",
        ALREADY_EXISTS,
        "source_volume_ids or parameters",
        plugin -> {
          Volume volume = created(plugin, "c");
          plugin.ask(groupRequest("g", volume));
          return groupRequest("g", volume).toBuilder().putParameters("tier", "x").build();
        });
    row(
        "groupOfVolumesInDifferentPlaces",
        PluginShape.full().topologies(EAST, WEST),
        FAILED_PRECONDITION,
        "different topologies",
        plugin ->
            groupRequest(
                "g",
                created(plugin, in(newVolume("a"), "east")),
                created(plugin, in(newVolume("b"), "west"))));
    row(
        "groupWithoutSpace",
        PluginShape.full().totalBytes(3 * GIB),
        RESOURCE_EXHAUSTED,
        "are left",
        plugin -> groupRequest("g", created(plugin, "a"), created(plugin, "b")));
    row(
        "readingAnUnknownGroup",
        NOT_FOUND,
        "group_snapshot_id",
        plugin ->
            GetVolumeGroupSnapshotRequest.newBuilder()
                .setGroupSnapshotId("none")
                .addSnapshotIds("s")
                .build());
    row(
        "readingAGroupByOtherMembers",
        INVALID_ARGUMENT,
        "snapshot_ids",
        plugin ->
            GetVolumeGroupSnapshotRequest.newBuilder()
                .setGroupSnapshotId(group(plugin).getGroupSnapshotId())
                .addSnapshotIds("s")
                .build());
    row(
        "deletingAGroupBySomeOfItsMembers",
        INVALID_ARGUMENT,
        "snapshot_ids",
        plugin -> {
          VolumeGroupSnapshot group = group(plugin);
          return DeleteVolumeGroupSnapshotRequest.newBuilder()
              .setGroupSnapshotId(group.getGroupSnapshotId())
              .addSnapshotIds(group.getSnapshots(0).getSnapshotId())
              .build();
        });
    return rows.stream();
  }

  private static CreateVolumeGroupSnapshotRequest groupRequest(String name, Volume... volumes) {
    CreateVolumeGroupSnapshotRequest.Builder request =
        CreateVolumeGroupSnapshotRequest.newBuilder().setName(name);
    for (Volume volume : volumes) {
      request.addSourceVolumeIds(volume.getVolumeId());
    }
    return request.build();
  }

  private static VolumeGroupSnapshot group(Asking plugin) {
    return plugin
        .ask(
            CreateVolumeGroupSnapshotResponse.class,
            groupRequest("g", created(plugin, "a"), created(plugin, "b")))
        .getGroupSnapshot();
  }

  @TestFactory
  Stream<DynamicTest> metadata() {
    row(
        "allocatedOfAnUnknownSnapshot",
        NOT_FOUND,
        "snapshot_id",
        plugin -> GetMetadataAllocatedRequest.newBuilder().setSnapshotId("none").build());
    row(
        "allocatedFromBeforeTheBeginning",
        OUT_OF_RANGE,
        "starting_offset -1",
        plugin ->
            GetMetadataAllocatedRequest.newBuilder()
                .setSnapshotId(cut(plugin, "s", created(plugin, "a")).getSnapshotId())
                .setStartingOffset(-1)
                .build());
    row(
        "allocatedFromBeyondTheEnd",
        OUT_OF_RANGE,
        "starting_offset",
        plugin ->
            GetMetadataAllocatedRequest.newBuilder()
                .setSnapshotId(cut(plugin, "s", created(plugin, "a")).getSnapshotId())
                .setStartingOffset(GIB + 1)
                .build());
    row(
        "deltaFromBeyondTheEnd",
        OUT_OF_RANGE,
        "starting_offset",
        plugin -> delta(plugin, created(plugin, "a")).setStartingOffset(GIB + 1).build());
    row(
        "deltaFromAnUnknownBase",
        NOT_FOUND,
        "base_snapshot_id",
        plugin -> delta(plugin, created(plugin, "a")).setBaseSnapshotId("none").build());
    row(
        "deltaToAnUnknownTarget",
        NOT_FOUND,
        "target_snapshot_id",
        plugin -> delta(plugin, created(plugin, "a")).setTargetSnapshotId("none").build());
    row(
        "deltaBetweenVolumes",
        INVALID_ARGUMENT,
        "another volume",
        plugin ->
            delta(plugin, created(plugin, "a"))
                .setTargetSnapshotId(cut(plugin, "o", created(plugin, "b")).getSnapshotId())
                .build());
    row(
        "deltaBackInTime",
        INVALID_ARGUMENT,
        "not taken later",
        plugin -> {
          GetMetadataDeltaRequest.Builder request = delta(plugin, created(plugin, "a"));
          return request
              .setBaseSnapshotId(request.getTargetSnapshotId())
              .setTargetSnapshotId(request.getBaseSnapshotId())
              .build();
        });
    row(
        "deltaOfWhatIsNotTracked",
        FAILED_PRECONDITION,
        "not tracked",
        plugin ->
            delta(plugin, created(plugin, newVolume("a").putParameters(Metadata.TRACKING, "off")))
                .build());
    return rows.stream();
  }

  private static GetMetadataDeltaRequest.Builder delta(Asking plugin, Volume volume) {
    Snapshot base = cut(plugin, "base", volume);
    plugin.clock.advance(Duration.ofSeconds(1));
    return GetMetadataDeltaRequest.newBuilder()
        .setBaseSnapshotId(base.getSnapshotId())
        .setTargetSnapshotId(cut(plugin, "target", volume).getSnapshotId());
  }

  @TestFactory
  Stream<DynamicTest> stagings() {
    row(
        "stagingAnUnknownVolume",
        NOT_FOUND,
        "volume_id",
        plugin -> stage(UNKNOWN, Map.of(), WRITER).build());
    row(
        "stagingWhatIsNotAttached",
        FAILED_PRECONDITION,
        "ControllerPublishVolume",
        plugin -> stage(created(plugin, "a"), Map.of(), WRITER).build());
    row(
        "stagingWhatIsAttachedElsewhere",
        FAILED_PRECONDITION,
        "not attached to this node",
        plugin -> {
          Volume volume = created(plugin, "a");
          return stage(volume, attached(plugin, volume, Asking.TWO, WRITER), WRITER).build();
        });
    row(
        "stagingWithAnotherPublishContext",
        INVALID_ARGUMENT,
        "publish_context",
        plugin -> {
          Volume volume = created(plugin, "a");
          attached(plugin, volume, WRITER);
          return stage(volume, Map.of(), WRITER).build();
        });
    row(
        "stagingWithAContextWhereNothingIsAttached",
        PluginShape.noAttach(),
        INVALID_ARGUMENT,
        "publish_context",
        plugin -> stage(created(plugin, "a"), Map.of("x", "y"), WRITER).build());
    row(
        "stagingWithAnotherVolumeContext",
        INVALID_ARGUMENT,
        "volume_context",
        plugin -> {
          Volume volume = created(plugin, "a");
          return stage(volume, attached(plugin, volume, WRITER), WRITER)
              .putVolumeContext("more", "of it")
              .build();
        });
    row(
        "stagingAgainForAnotherUse",
        ALREADY_EXISTS,
        "another volume_capability",
        plugin -> {
          Volume volume = created(plugin, "a", WRITER, BLOCK);
          return stage(volume, staged(plugin, volume, WRITER), BLOCK).build();
        });
    row(
        "stagingAtASecondPath",
        FAILED_PRECONDITION,
        "is staged at",
        plugin -> {
          Volume volume = created(plugin, "a");
          return stage(volume, staged(plugin, volume, WRITER), WRITER)
              .setStagingTargetPath("/staging/other")
              .build();
        });
    row(
        "stagingForAUseThatTheVolumeWasNotMadeFor",
        FAILED_PRECONDITION,
        "volume_capability",
        plugin -> {
          Volume volume = created(plugin, "a");
          return stage(volume, attached(plugin, volume, WRITER), SHARED).build();
        });
    row(
        "stagingWithAGroupWithoutTheCapability",
        PluginShape.full().without(io.csi4j.client.node.NodeCapability.VOLUME_MOUNT_GROUP),
        INVALID_ARGUMENT,
        "VOLUME_MOUNT_GROUP",
        plugin -> {
          var capability = WRITER.toBuilder();
          capability.getMountBuilder().setVolumeMountGroup("1000");
          return stage(UNKNOWN, Map.of(), capability.build()).build();
        });
    row("unstagingAnUnknownVolume", NOT_FOUND, "volume_id", plugin -> unstage(UNKNOWN));
    row(
        "unstagingWhatIsPublished",
        FAILED_PRECONDITION,
        "'/t/1'",
        plugin -> {
          Volume volume = created(plugin, "a");
          published(plugin, volume, WRITER, "/t/1");
          return unstage(volume);
        });
    return rows.stream();
  }

  @TestFactory
  Stream<DynamicTest> publications() {
    row(
        "publishingAnUnknownVolume",
        NOT_FOUND,
        "volume_id",
        plugin -> publish(UNKNOWN, Map.of(), WRITER, "/t/1").build());
    row(
        "publishingWithoutAStagingPath",
        FAILED_PRECONDITION,
        "staging_target_path is not set",
        plugin -> {
          Volume volume = created(plugin, "a");
          return publish(volume, staged(plugin, volume, WRITER), WRITER, "/t/1")
              .clearStagingTargetPath()
              .build();
        });
    row(
        "publishingWhatIsNotStaged",
        FAILED_PRECONDITION,
        "NodeStageVolume first",
        plugin -> {
          Volume volume = created(plugin, "a");
          return publish(volume, attached(plugin, volume, WRITER), WRITER, "/t/1").build();
        });
    row(
        "publishingFromAnotherStagingPath",
        FAILED_PRECONDITION,
        "is staged at",
        plugin -> {
          Volume volume = created(plugin, "a");
          return publish(volume, staged(plugin, volume, WRITER), WRITER, "/t/1")
              .setStagingTargetPath("/staging/other")
              .build();
        });
    row(
        "publishingWhatIsNotAttached",
        PluginShape.noStaging(),
        FAILED_PRECONDITION,
        "not attached",
        plugin -> publish(created(plugin, "a"), Map.of(), WRITER, "/t/1").build());
    row(
        "publishingAgainAtTheSamePathReadOnly",
        ALREADY_EXISTS,
        "readonly",
        plugin -> {
          Volume volume = created(plugin, "a");
          return publish(volume, published(plugin, volume, WRITER, "/t/1"), WRITER, "/t/1")
              .setReadonly(true)
              .build();
        });
    row(
        "publishingAgainAtTheSamePathForAnotherUse",
        ALREADY_EXISTS,
        "another volume_capability",
        plugin -> {
          Volume volume = created(plugin, "a", SHARED);
          return publish(volume, published(plugin, volume, SHARED, "/t/1"), WRITER, "/t/1").build();
        });
    for (Mode mode :
        List.of(
            Mode.SINGLE_NODE_WRITER,
            Mode.SINGLE_NODE_READER_ONLY,
            Mode.SINGLE_NODE_SINGLE_WRITER)) {
      row(
          "publishingAtASecondPathAs_" + mode,
          FAILED_PRECONDITION,
          "'/t/1'",
          plugin -> {
            Volume volume = created(plugin, "a", mount(mode));
            return publish(
                    volume, published(plugin, volume, mount(mode), "/t/1"), mount(mode), "/t/2")
                .build();
          });
    }
    row(
        "publishingAtASecondPathForAnotherUse",
        FAILED_PRECONDITION,
        "another volume_capability",
        plugin -> {
          Volume volume = created(plugin, "a", SHARED);
          return publish(
                  volume,
                  published(plugin, volume, SHARED, "/t/1"),
                  mount(Mode.MULTI_NODE_READER_ONLY),
                  "/t/2")
              .build();
        });
    row(
        "publishingWhereAnotherVolumeIs",
        ALREADY_EXISTS,
        "a different target_path",
        plugin -> {
          published(plugin, created(plugin, "a"), WRITER, "/t/1");
          Volume volume = created(plugin, "b");
          return publish(volume, staged(plugin, volume, WRITER), WRITER, "/t/1").build();
        });
    row(
        "publishingForAUseThatTheVolumeWasNotMadeFor",
        FAILED_PRECONDITION,
        "volume_capability",
        plugin -> {
          Volume volume = created(plugin, "a");
          return publish(volume, staged(plugin, volume, WRITER), BLOCK, "/t/1").build();
        });
    row(
        "unpublishingAnUnknownVolume",
        NOT_FOUND,
        "volume_id",
        plugin -> unpublish(UNKNOWN, "/t/1"));
    row(
        "unpublishingTheTargetOfAnotherVolume",
        INVALID_ARGUMENT,
        "target_path",
        plugin -> {
          published(plugin, created(plugin, "a"), WRITER, "/t/1");
          return unpublish(created(plugin, "b"), "/t/1");
        });
    return rows.stream();
  }

  @TestFactory
  Stream<DynamicTest> onNodes() {
    row("statisticsOfAnUnknownVolume", NOT_FOUND, "volume_id", plugin -> stats(UNKNOWN, "/t/1"));
    row(
        "statisticsWhereTheVolumeIsNot",
        NOT_FOUND,
        "volume_path",
        plugin -> {
          Volume volume = created(plugin, "a");
          published(plugin, volume, WRITER, "/t/1");
          return stats(volume, "/t/2");
        });
    row(
        "statisticsWhereAnotherVolumeIs",
        NOT_FOUND,
        "volume_path",
        plugin -> {
          published(plugin, created(plugin, "a"), WRITER, "/t/1");
          return stats(created(plugin, "b"), "/t/1");
        });
    row("growingAnUnknownVolume", NOT_FOUND, "volume_id", plugin -> grow(UNKNOWN, "/t/1").build());
    row(
        "growingWhereTheVolumeIsNot",
        NOT_FOUND,
        "volume_path",
        plugin -> grow(created(plugin, "a"), "/t/1").build());
    row(
        "growingForAnotherUse",
        INVALID_ARGUMENT,
        "volume_capability",
        plugin -> grow(created(plugin, "a"), "/t/1").setVolumeCapability(BLOCK).build());
    row(
        "growingBeyondWhatTheControllerGave",
        OUT_OF_RANGE,
        "call ControllerExpandVolume first",
        plugin -> {
          Volume volume = created(plugin, "a");
          staged(plugin, volume, WRITER);
          return grow(volume, staging(volume)).setCapacityRange(exactly(2 * GIB)).build();
        });
    row(
        "growingWithoutVolumeExpansion",
        PluginShape.full()
            .without(
                PluginCapability.VOLUME_EXPANSION_ONLINE,
                PluginCapability.VOLUME_EXPANSION_OFFLINE),
        FAILED_PRECONDITION,
        "cannot grow while it is staged or published",
        plugin -> {
          Volume volume = created(plugin, "a");
          staged(plugin, volume, WRITER);
          return grow(volume, staging(volume)).build();
        });
    return rows.stream();
  }

  private static NodeGetVolumeStatsRequest stats(Volume volume, String path) {
    return NodeGetVolumeStatsRequest.newBuilder()
        .setVolumeId(volume.getVolumeId())
        .setVolumePath(path)
        .build();
  }

  private static NodeExpandVolumeRequest.Builder grow(Volume volume, String path) {
    return NodeExpandVolumeRequest.newBuilder()
        .setVolumeId(volume.getVolumeId())
        .setVolumePath(path);
  }

  @TestFactory
  Stream<DynamicTest> unready() {
    rows.add(
        DynamicTest.dynamicTest(
            "volumeFromASnapshotThatIsNotReady",
            () -> {
              Asking plugin =
                  new Asking(
                      PluginShape.full(),
                      new MemoryStorage(NodeEffects.none()),
                      Duration.ofMinutes(1));
              Snapshot snapshot = cut(plugin, "s", created(plugin, "a"));
              assertThat(snapshot.getReadyToUse()).isFalse();

              Refusal refusal = plugin.refusal(filledFrom(snapshot, "b").build());
              assertThat(refusal.code()).isEqualTo(FAILED_PRECONDITION);
              assertThat(refusal.text()).contains("ready_to_use");

              plugin.clock.advance(Duration.ofMinutes(1));
              assertThat(cut(plugin, "s", created(plugin, "a")).getReadyToUse()).isTrue();
              created(plugin, filledFrom(snapshot, "b"));
            }));
    return rows.stream();
  }
}
