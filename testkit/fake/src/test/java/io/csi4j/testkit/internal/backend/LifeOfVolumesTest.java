package io.csi4j.testkit.internal.backend;

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
import io.csi4j.client.internal.proto.BlockMetadata;
import io.csi4j.client.internal.proto.ControllerExpandVolumeResponse;
import io.csi4j.client.internal.proto.ControllerGetVolumeRequest;
import io.csi4j.client.internal.proto.ControllerGetVolumeResponse;
import io.csi4j.client.internal.proto.ControllerModifyVolumeRequest;
import io.csi4j.client.internal.proto.CreateVolumeGroupSnapshotRequest;
import io.csi4j.client.internal.proto.CreateVolumeGroupSnapshotResponse;
import io.csi4j.client.internal.proto.DeleteSnapshotRequest;
import io.csi4j.client.internal.proto.DeleteVolumeGroupSnapshotRequest;
import io.csi4j.client.internal.proto.GetCapacityRequest;
import io.csi4j.client.internal.proto.GetCapacityResponse;
import io.csi4j.client.internal.proto.GetMetadataAllocatedRequest;
import io.csi4j.client.internal.proto.GetMetadataAllocatedResponse;
import io.csi4j.client.internal.proto.GetMetadataDeltaRequest;
import io.csi4j.client.internal.proto.GetMetadataDeltaResponse;
import io.csi4j.client.internal.proto.GetSnapshotRequest;
import io.csi4j.client.internal.proto.GetVolumeGroupSnapshotRequest;
import io.csi4j.client.internal.proto.GetVolumeGroupSnapshotResponse;
import io.csi4j.client.internal.proto.NodeExpandVolumeRequest;
import io.csi4j.client.internal.proto.NodeExpandVolumeResponse;
import io.csi4j.client.internal.proto.NodeGetInfoRequest;
import io.csi4j.client.internal.proto.NodeGetInfoResponse;
import io.csi4j.client.internal.proto.NodeGetVolumeStatsRequest;
import io.csi4j.client.internal.proto.NodeGetVolumeStatsResponse;
import io.csi4j.client.internal.proto.Snapshot;
import io.csi4j.client.internal.proto.ValidateVolumeCapabilitiesRequest;
import io.csi4j.client.internal.proto.ValidateVolumeCapabilitiesResponse;
import io.csi4j.client.internal.proto.Volume;
import io.csi4j.client.internal.proto.VolumeCapability.AccessMode.Mode;
import io.csi4j.client.internal.proto.VolumeGroupSnapshot;
import io.csi4j.client.internal.proto.VolumeUsage;
import io.csi4j.client.model.CapacityRange;
import io.csi4j.client.model.StatusCode;
import io.csi4j.client.model.Topology;
import io.csi4j.client.model.VolumeCondition;
import io.csi4j.client.model.VolumeContext;
import io.csi4j.client.model.VolumeId;
import io.csi4j.client.node.NodeCapability;
import io.csi4j.testkit.effects.NodeEffects;
import io.csi4j.testkit.model.PluginContents;
import io.csi4j.testkit.model.PluginShape;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What a plugin answers to a lawful caller, once and again. */
class LifeOfVolumesTest {

  private final Asking plugin = new Asking();

  static Stream<PluginShape> presets() {
    return Stream.of(
        PluginShape.full(),
        PluginShape.separateSockets(),
        PluginShape.nodeOnly(),
        PluginShape.noStaging(),
        PluginShape.noAttach(),
        PluginShape.attachRequired(),
        PluginShape.blockOnly(),
        PluginShape.plain());
  }

  /** Asks twice; the second answer is the first one again. */
  private static Message twice(Asking plugin, Message request) {
    Message first = plugin.ask(request);
    PluginContents then = plugin.backend.contents();
    assertThat(plugin.ask(request)).isEqualTo(first);
    assertThat(plugin.backend.contents()).isEqualTo(then);
    return first;
  }

  @ParameterizedTest
  @MethodSource("presets")
  void everyPresetTakesAVolumeThroughItsLifeWithEachCallRepeated(PluginShape shape) {
    Asking plugin = new Asking(shape);
    var capability = shape.filesystems() ? WRITER : BLOCK;
    Volume volume;
    if (shape.offers(ControllerCapability.CREATE_DELETE_VOLUME)) {
      twice(plugin, newVolume("a", capability).build());
      volume = created(plugin, "a", capability);
    } else {
      plugin.backend.addVolume(
          VolumeId.of("v"), CapacityRange.exactly(GIB), VolumeContext.of(Map.of("k", "v")));
      volume = Volume.newBuilder().setVolumeId("v").putVolumeContext("k", "v").build();
    }
    Map<String, String> context = Map.of();
    if (shape.offers(ControllerCapability.PUBLISH_UNPUBLISH_VOLUME)) {
      twice(plugin, attach(volume, Asking.ONE, capability).build());
      context = attached(plugin, volume, capability);
      assertThat(context).isNotEmpty();
    }
    if (shape.offers(NodeCapability.STAGE_UNSTAGE_VOLUME)) {
      twice(plugin, stage(volume, context, capability).build());
    }
    twice(plugin, publish(volume, context, capability, "/t/1").build());
    assertThat(plugin.backend.contents().published()).hasSize(1);

    twice(plugin, unpublish(volume, "/t/1"));
    if (shape.offers(NodeCapability.STAGE_UNSTAGE_VOLUME)) {
      twice(plugin, unstage(volume));
    }
    if (shape.offers(ControllerCapability.PUBLISH_UNPUBLISH_VOLUME)) {
      twice(plugin, detach(volume, "node-1"));
    }
    assertThat(plugin.backend.contents().idle()).isTrue();
    if (shape.offers(ControllerCapability.CREATE_DELETE_VOLUME)) {
      twice(plugin, delete(volume));
      assertThat(plugin.backend.contents().volumes()).isEmpty();
    }
  }

  @Test
  void secretsDoNotMakeARepeatAnotherRequest() {
    Volume volume = created(plugin, newVolume("a").putSecrets("password", "old"));
    assertThat(created(plugin, newVolume("a").putSecrets("password", "new"))).isEqualTo(volume);
    Map<String, String> context = attached(plugin, volume, WRITER);
    plugin.ask(attach(volume, Asking.ONE, WRITER).putSecrets("password", "new").build());
    plugin.ask(stage(volume, context, WRITER).putSecrets("password", "a").build());
    plugin.ask(stage(volume, context, WRITER).putSecrets("password", "b").build());
    plugin.ask(publish(volume, context, WRITER, "/t/1").putSecrets("password", "a").build());
    plugin.ask(publish(volume, context, WRITER, "/t/1").putSecrets("password", "b").build());
  }

  @Test
  void aNameGivesItsVolumeWhereverTheExistingCapacityFits() {
    Volume volume = created(plugin, newVolume("a").setCapacityRange(exactly(2 * GIB)));
    assertThat(volume.getCapacityBytes()).isEqualTo(2 * GIB);
    assertThat(created(plugin, newVolume("a").setCapacityRange(Requests.atLeast(GIB))))
        .isEqualTo(volume);
    assertThat(created(plugin, newVolume("a").clearCapacityRange())).isEqualTo(volume);
  }

  @Test
  void aSizeIsChosenWhereNoneIsAsked() {
    assertThat(created(plugin, newVolume("a").clearCapacityRange()).getCapacityBytes())
        .isEqualTo(GIB);
    var small = newVolume("b").clearCapacityRange();
    small.getCapacityRangeBuilder().setLimitBytes(1000);
    assertThat(created(plugin, small).getCapacityBytes()).isEqualTo(1000);
  }

  @Test
  void aDeletedVolumeLeavesItsNameAndItsBytes() {
    plugin.shape = PluginShape.full().totalBytes(GIB);
    Volume first = created(plugin, "a");
    plugin.ask(delete(first));
    assertThat(created(plugin, "a").getVolumeId()).isNotEqualTo(first.getVolumeId());
  }

  @Test
  void volumesAreFilledFromSnapshotsAndVolumes() {
    Volume source = created(plugin, newVolume("a").setCapacityRange(exactly(2 * GIB)));
    Snapshot snapshot = cut(plugin, "s", source);
    Volume restored = created(plugin, filledFrom(snapshot, "b"));
    Volume cloned = created(plugin, filledFrom(source, "c"));

    assertThat(restored.getCapacityBytes()).isEqualTo(2 * GIB);
    assertThat(restored.getContentSource().getSnapshot().getSnapshotId())
        .isEqualTo(snapshot.getSnapshotId());
    assertThat(cloned.getContentSource().getVolume().getVolumeId()).isEqualTo(source.getVolumeId());
    assertThat(
            created(plugin, filledFrom(source, "d").setCapacityRange(exactly(3 * GIB)))
                .getCapacityBytes())
        .isEqualTo(3 * GIB);
  }

  @Test
  void snapshotsOutliveTheirVolume() {
    Volume source = created(plugin, "a");
    Snapshot snapshot = cut(plugin, "s", source);
    plugin.ask(delete(source));
    assertThat(created(plugin, filledFrom(snapshot, "b")).getCapacityBytes()).isEqualTo(GIB);
  }

  @Test
  void snapshotsBecomeReadyByTheClockAndAreCutAtOnce() {
    Asking slow =
        new Asking(
            PluginShape.full(), new MemoryStorage(NodeEffects.none()), Duration.ofMinutes(5));
    Volume volume = created(slow, "a");
    Snapshot snapshot = cut(slow, "s", volume);
    assertThat(snapshot.getReadyToUse()).isFalse();
    assertThat(snapshot.getCreationTime().getSeconds())
        .isEqualTo(slow.clock.now().getEpochSecond());

    slow.clock.advance(Duration.ofMinutes(5).minusNanos(1));
    assertThat(cut(slow, "s", volume)).isEqualTo(snapshot);
    slow.clock.advance(Duration.ofNanos(1));
    assertThat(cut(slow, "s", volume)).isEqualTo(snapshot.toBuilder().setReadyToUse(true).build());
  }

  @Test
  void snapshotsAreDeletedOnceAndAgain() {
    Snapshot snapshot = cut(plugin, "s", created(plugin, "a"));
    twice(plugin, GetSnapshotRequest.newBuilder().setSnapshotId(snapshot.getSnapshotId()).build());
    twice(plugin, snapshot("s", created(plugin, "a")));
    twice(
        plugin, DeleteSnapshotRequest.newBuilder().setSnapshotId(snapshot.getSnapshotId()).build());
    assertThat(plugin.backend.contents().snapshots()).isEmpty();
  }

  @Test
  void groupsAreMadeReadAndDeletedAsAWhole() {
    CreateVolumeGroupSnapshotRequest create =
        CreateVolumeGroupSnapshotRequest.newBuilder()
            .setName("g")
            .addSourceVolumeIds(created(plugin, "a").getVolumeId())
            .addSourceVolumeIds(created(plugin, "b").getVolumeId())
            .build();
    VolumeGroupSnapshot group =
        ((CreateVolumeGroupSnapshotResponse) twice(plugin, create)).getGroupSnapshot();
    assertThat(group.getReadyToUse()).isTrue();
    assertThat(group.getSnapshotsList())
        .extracting(Snapshot::getGroupSnapshotId)
        .containsExactly(group.getGroupSnapshotId(), group.getGroupSnapshotId());
    List<String> members = group.getSnapshotsList().stream().map(Snapshot::getSnapshotId).toList();

    GetVolumeGroupSnapshotRequest get =
        GetVolumeGroupSnapshotRequest.newBuilder()
            .setGroupSnapshotId(group.getGroupSnapshotId())
            .addSnapshotIds(members.get(1))
            .addSnapshotIds(members.get(0))
            .build();
    assertThat(plugin.ask(GetVolumeGroupSnapshotResponse.class, get).getGroupSnapshot())
        .isEqualTo(group);
    created(plugin, filledFrom(group.getSnapshots(0), "c"));

    twice(
        plugin,
        DeleteVolumeGroupSnapshotRequest.newBuilder()
            .setGroupSnapshotId(group.getGroupSnapshotId())
            .addAllSnapshotIds(members)
            .build());
    assertThat(plugin.backend.contents().groups()).isEmpty();
    assertThat(plugin.backend.contents().snapshots()).isEmpty();
  }

  @Test
  void severalTargetsAreForModesThatAllowThem() {
    for (Mode mode :
        List.of(
            Mode.SINGLE_NODE_MULTI_WRITER,
            Mode.MULTI_NODE_READER_ONLY,
            Mode.MULTI_NODE_SINGLE_WRITER,
            Mode.MULTI_NODE_MULTI_WRITER)) {
      Volume volume = created(plugin, "a" + mode, mount(mode));
      Map<String, String> context = published(plugin, volume, mount(mode), "/t/1" + mode);
      plugin.ask(publish(volume, context, mount(mode), "/t/2" + mode).setReadonly(true).build());
    }
    assertThat(plugin.backend.contents().published()).hasSize(8);
  }

  @Test
  void readersNeverWrite() {
    Volume volume = created(plugin, "a", mount(Mode.MULTI_NODE_READER_ONLY));
    published(plugin, volume, mount(Mode.MULTI_NODE_READER_ONLY), "/t/1");
    assertThat(plugin.backend.contents().published())
        .singleElement()
        .extracting(PluginContents.Published::readonly)
        .isEqualTo(true);
  }

  @Test
  void detachingFromNoNodeInParticularDetachesFromAll() {
    Volume volume = created(plugin, "a", SHARED);
    attached(plugin, volume, Asking.ONE, SHARED);
    attached(plugin, volume, Asking.TWO, SHARED);
    plugin.ask(detach(volume, ""));
    assertThat(plugin.backend.contents().attached()).isEmpty();
  }

  @Test
  void detachingAnUnknownVolumeIsDone() {
    plugin.ask(detach(Volume.newBuilder().setVolumeId("none").build(), "node-1"));
  }

  @Test
  void volumesGrowOnlineAndThenOnTheNode() {
    Volume volume = created(plugin, "a");
    published(plugin, volume, WRITER, "/t/1");
    ControllerExpandVolumeResponse grown =
        (ControllerExpandVolumeResponse) twice(plugin, expand(volume, exactly(2 * GIB)));
    assertThat(grown.getCapacityBytes()).isEqualTo(2 * GIB);
    assertThat(grown.getNodeExpansionRequired()).isTrue();

    NodeExpandVolumeRequest onNode =
        NodeExpandVolumeRequest.newBuilder()
            .setVolumeId(volume.getVolumeId())
            .setVolumePath("/t/1")
            .setStagingTargetPath(staging(volume))
            .setCapacityRange(exactly(2 * GIB))
            .build();
    assertThat(((NodeExpandVolumeResponse) twice(plugin, onNode)).getCapacityBytes())
        .isEqualTo(2 * GIB);
    assertThat(
            plugin
                .ask(ControllerExpandVolumeResponse.class, expand(volume, Requests.atLeast(GIB)))
                .getCapacityBytes())
        .as("large enough already")
        .isEqualTo(2 * GIB);
  }

  @Test
  void aVolumeGrowsOfflineOnceItIsDetached() {
    plugin.shape = PluginShape.full().without(PluginCapability.VOLUME_EXPANSION_ONLINE);
    Volume volume = created(plugin, "a");
    attached(plugin, volume, WRITER);
    assertThat(plugin.refusal(expand(volume, exactly(2 * GIB))).code())
        .isEqualTo(StatusCode.FAILED_PRECONDITION);
    plugin.ask(detach(volume, "node-1"));
    plugin.ask(expand(volume, exactly(2 * GIB)));
  }

  @Test
  void aPluginThatGrowsOnNodesOnlyNeedsNoController() {
    plugin.shape = PluginShape.full().without(ControllerCapability.EXPAND_VOLUME);
    Volume volume = created(plugin, "a");
    staged(plugin, volume, WRITER);
    NodeExpandVolumeResponse grown =
        plugin.ask(
            NodeExpandVolumeResponse.class,
            NodeExpandVolumeRequest.newBuilder()
                .setVolumeId(volume.getVolumeId())
                .setVolumePath(staging(volume))
                .setCapacityRange(exactly(2 * GIB))
                .build());
    assertThat(grown.getCapacityBytes()).isEqualTo(2 * GIB);
    assertThat(created(plugin, newVolume("a").clearCapacityRange()).getCapacityBytes())
        .isEqualTo(2 * GIB);
  }

  @Test
  void parametersAreModifiedTogetherOrNotAtAll() {
    Volume volume = created(plugin, newVolume("a").putMutableParams("iops", "1"));
    ControllerModifyVolumeRequest.Builder modify =
        ControllerModifyVolumeRequest.newBuilder()
            .setVolumeId(volume.getVolumeId())
            .putMutableParameters("iops", "2");
    twice(plugin, modify.build());
    assertThat(
            plugin
                .refusal(
                    modify.putMutableParameters("iops", "3").putMutableParameters("x", "").build())
                .code())
        .isEqualTo(StatusCode.INVALID_ARGUMENT);
    assertThat(created(plugin, newVolume("a").putMutableParams("iops", "1"))).isEqualTo(volume);
  }

  @Test
  void whatIsConfirmedIsWhatWasAsked() {
    Volume volume = created(plugin, newVolume("a").putParameters("tier", "fast"));
    ValidateVolumeCapabilitiesRequest request =
        ValidateVolumeCapabilitiesRequest.newBuilder()
            .setVolumeId(volume.getVolumeId())
            .putAllVolumeContext(volume.getVolumeContextMap())
            .addVolumeCapabilities(WRITER)
            .putParameters("tier", "fast")
            .putMutableParams("iops", "1")
            .build();
    var confirmed = validate(request).getConfirmed();
    assertThat(confirmed.getVolumeContextMap()).isEqualTo(request.getVolumeContextMap());
    assertThat(confirmed.getVolumeCapabilitiesList())
        .isEqualTo(request.getVolumeCapabilitiesList());
    assertThat(confirmed.getParametersMap()).isEqualTo(request.getParametersMap());
    assertThat(confirmed.getMutableParamsMap()).isEqualTo(request.getMutableParamsMap());
    assertThat(validate(request).getMessage()).isEmpty();

    for (var wrong :
        List.of(
            request.toBuilder().setVolumeCapabilities(0, BLOCK),
            request.toBuilder().addVolumeCapabilities(SHARED),
            request.toBuilder().putVolumeContext("more", "of it"),
            request.toBuilder().putParameters("tier", "slow"))) {
      ValidateVolumeCapabilitiesResponse answer = validate(wrong.build());
      assertThat(answer.hasConfirmed()).isFalse();
      assertThat(answer.getMessage()).isNotEmpty();
    }
  }

  private ValidateVolumeCapabilitiesResponse validate(ValidateVolumeCapabilitiesRequest request) {
    return plugin.ask(ValidateVolumeCapabilitiesResponse.class, request);
  }

  @Test
  void statisticsTellBytesAndInodesAndTheCondition() {
    Volume volume = created(plugin, "a");
    published(plugin, volume, WRITER, "/t/1");
    plugin
        .backend
        .health()
        .volume(VolumeId.of(volume.getVolumeId()), new VolumeCondition(true, "a cable is loose"));
    NodeGetVolumeStatsResponse stats = stats(volume, "/t/1");
    assertThat(stats.getUsageList())
        .extracting(VolumeUsage::getUnit)
        .containsExactly(VolumeUsage.Unit.BYTES, VolumeUsage.Unit.INODES);
    VolumeUsage bytes = stats.getUsage(0);
    assertThat(bytes.getTotal()).isEqualTo(GIB);
    assertThat(bytes.getUsed() + bytes.getAvailable()).isEqualTo(GIB);
    assertThat(stats.getVolumeCondition().getAbnormal()).isTrue();
    assertThat(stats.getVolumeCondition().getMessage()).isEqualTo("a cable is loose");
    assertThat(stats(volume, staging(volume))).isEqualTo(stats);

    plugin.shape = PluginShape.full().without(NodeCapability.VOLUME_CONDITION);
    assertThat(stats(volume, "/t/1").hasVolumeCondition()).isFalse();
    plugin.shape = PluginShape.full().without(NodeCapability.GET_VOLUME_STATS);
    assertThat(stats(volume, "/t/1").getUsageList()).isEmpty();
  }

  private NodeGetVolumeStatsResponse stats(Volume volume, String path) {
    return plugin.ask(
        NodeGetVolumeStatsResponse.class,
        NodeGetVolumeStatsRequest.newBuilder()
            .setVolumeId(volume.getVolumeId())
            .setVolumePath(path)
            .build());
  }

  @Test
  void aBlockDeviceHasNoInodes() {
    Volume volume = created(plugin, "a", BLOCK);
    published(plugin, volume, BLOCK, "/t/1");
    assertThat(stats(volume, "/t/1").getUsageList())
        .extracting(VolumeUsage::getUnit)
        .containsExactly(VolumeUsage.Unit.BYTES);
  }

  @Test
  void aVolumeIsReadWithItsNodesAndItsCondition() {
    Volume volume = created(plugin, "a", SHARED);
    attached(plugin, volume, Asking.ONE, SHARED);
    attached(plugin, volume, Asking.TWO, SHARED);
    ControllerGetVolumeResponse answer =
        plugin.ask(
            ControllerGetVolumeResponse.class,
            ControllerGetVolumeRequest.newBuilder().setVolumeId(volume.getVolumeId()).build());
    assertThat(answer.getVolume()).isEqualTo(volume);
    assertThat(answer.getStatus().getPublishedNodeIdsList()).containsExactly("node-1", "node-2");
    assertThat(answer.getStatus().getVolumeCondition().getAbnormal()).isFalse();
  }

  @Test
  void capacityIsWhatIsLeft() {
    plugin.shape = PluginShape.blockOnly().totalBytes(4 * GIB);
    Volume volume = created(plugin, "a", BLOCK);
    assertThat(capacity(GetCapacityRequest.getDefaultInstance())).isEqualTo(3 * GIB);
    plugin.ask(snapshot("s", volume));
    assertThat(capacity(GetCapacityRequest.newBuilder().addVolumeCapabilities(BLOCK).build()))
        .isEqualTo(2 * GIB);
    assertThat(capacity(GetCapacityRequest.newBuilder().addVolumeCapabilities(WRITER).build()))
        .isZero();
  }

  private long capacity(GetCapacityRequest request) {
    return plugin.ask(GetCapacityResponse.class, request).getAvailableCapacity();
  }

  @Test
  void volumesGoWhereTheyAreWantedAndNodesSayWhereTheyAre() {
    Topology east = Topology.of(Map.of("zone", "east", "rack", "1"));
    Topology west = Topology.of(Map.of("zone", "west", "rack", "2"));
    plugin.shape = PluginShape.full().topologies(east, west);
    var request = newVolume("a");
    var zones = request.getAccessibilityRequirementsBuilder();
    zones.addRequisiteBuilder().putSegments("ZONE", "east");
    zones.addRequisiteBuilder().putSegments("zone", "west");
    zones.addPreferredBuilder().putSegments("zone", "west");
    Volume volume = created(plugin, request);

    assertThat(volume.getAccessibleTopologyList())
        .extracting(VolumePlacement::of)
        .containsExactly(west);
    assertThat(created(plugin, "b").getAccessibleTopologyList())
        .extracting(VolumePlacement::of)
        .containsExactly(east);
    NodeGetInfoResponse info =
        plugin.on(Asking.TWO, NodeGetInfoResponse.class, NodeGetInfoRequest.getDefaultInstance());
    assertThat(info.getNodeId()).isEqualTo("node-2");
    assertThat(VolumePlacement.of(info.getAccessibleTopology())).isEqualTo(west);
    attached(plugin, volume, Asking.TWO, WRITER);

    assertThat(
            capacity(
                GetCapacityRequest.newBuilder()
                    .setAccessibleTopology(
                        io.csi4j.client.internal.proto.Topology.newBuilder()
                            .putSegments("zone", "south"))
                    .build()))
        .isZero();
  }

  @Test
  void blocksAscendAndPagesJoinToTheWhole() throws Refusal {
    Volume volume = created(plugin, "a", BLOCK);
    Snapshot base = cut(plugin, "base", volume);
    plugin.clock.advance(Duration.ofSeconds(1));
    Snapshot target = cut(plugin, "target", volume);
    List<BlockMetadata> all = allocated(base, 0, 0);
    assertThat(all).hasSizeGreaterThan(4);
    long end = 0;
    for (BlockMetadata block : all) {
      assertThat(block.getByteOffset()).isGreaterThanOrEqualTo(end);
      assertThat(block.getSizeBytes()).isPositive();
      end = block.getByteOffset() + block.getSizeBytes();
    }
    assertThat(end).isLessThanOrEqualTo(GIB);
    assertThat(allocated(base, 0, 3)).isEqualTo(all);
    BlockMetadata third = all.get(2);
    assertThat(allocated(base, third.getByteOffset() + 1, 0)).isEqualTo(all.subList(2, all.size()));
    assertThat(allocated(base, third.getByteOffset() + third.getSizeBytes(), 0))
        .isEqualTo(all.subList(3, all.size()));
    assertThat(allocated(base, GIB, 0)).isEmpty();

    GetMetadataDeltaRequest request =
        GetMetadataDeltaRequest.newBuilder()
            .setBaseSnapshotId(base.getSnapshotId())
            .setTargetSnapshotId(target.getSnapshotId())
            .setMaxResults(2)
            .build();
    List<Message> delta = plugin.answers(Asking.ONE, request);
    assertThat(delta).hasSizeGreaterThan(1);
    for (Message message : delta) {
      GetMetadataDeltaResponse part = (GetMetadataDeltaResponse) message;
      assertThat(part.getVolumeCapacityBytes()).isEqualTo(GIB);
      assertThat(part.getBlockMetadataCount()).isBetween(1, 2);
    }
    assertThat(plugin.answers(Asking.ONE, request)).isEqualTo(delta);
  }

  private List<BlockMetadata> allocated(Snapshot snapshot, long start, int most) throws Refusal {
    return plugin
        .answers(
            Asking.ONE,
            GetMetadataAllocatedRequest.newBuilder()
                .setSnapshotId(snapshot.getSnapshotId())
                .setStartingOffset(start)
                .setMaxResults(most)
                .build())
        .stream()
        .map(GetMetadataAllocatedResponse.class::cast)
        .peek(
            part ->
                assertThat(part.getBlockMetadataCount())
                    .isLessThanOrEqualTo(most == 0 ? 256 : most))
        .flatMap(part -> part.getBlockMetadataList().stream())
        .toList();
  }

  @Test
  void whoForgetsKnowsNothingButForNewIds() {
    Volume volume = created(plugin, "a");
    published(plugin, volume, WRITER, "/t/1");
    cut(plugin, "s", volume);
    plugin.backend.forget();
    assertThat(plugin.backend.contents())
        .isEqualTo(
            new PluginContents(List.of(), List.of(), List.of(), List.of(), List.of(), List.of()));
    assertThat(plugin.refusal(unpublish(volume, "/t/1")).code()).isEqualTo(StatusCode.NOT_FOUND);
    assertThat(created(plugin, "a").getVolumeId()).isNotEqualTo(volume.getVolumeId());
  }

  @Test
  void whoRestartsKnowsWhatItKnew() {
    Volume volume = created(plugin, "a");
    published(plugin, volume, WRITER, "/t/1");
    PluginContents before = plugin.backend.contents();
    plugin.backend.open();
    assertThat(plugin.backend.contents()).isEqualTo(before);
  }

  @Test
  void aPreProvisionedVolumeTakesEveryUse() {
    plugin.backend.addVolume(
        VolumeId.of("mine"), CapacityRange.atMost(5000), VolumeContext.empty());
    Volume volume = Volume.newBuilder().setVolumeId("mine").build();
    published(plugin, volume, SHARED, "/t/1");
    assertThat(stats(volume, "/t/1").getUsage(0).getTotal()).isEqualTo(5000);
  }
}
