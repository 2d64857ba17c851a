package io.csi4j.testkit.internal.backend;

import static io.csi4j.testkit.internal.backend.Requests.GIB;
import static io.csi4j.testkit.internal.backend.Requests.atLeast;
import static io.csi4j.testkit.internal.backend.Requests.attach;
import static io.csi4j.testkit.internal.backend.Requests.created;
import static io.csi4j.testkit.internal.backend.Requests.expand;
import static io.csi4j.testkit.internal.backend.Requests.newVolume;
import static io.csi4j.testkit.internal.backend.Requests.publish;
import static io.csi4j.testkit.internal.backend.Requests.published;
import static io.csi4j.testkit.internal.backend.Requests.stage;
import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.client.internal.proto.ControllerExpandVolumeResponse;
import io.csi4j.client.internal.proto.ControllerGetCapabilitiesRequest;
import io.csi4j.client.internal.proto.ControllerGetCapabilitiesResponse;
import io.csi4j.client.internal.proto.ControllerModifyVolumeRequest;
import io.csi4j.client.internal.proto.ControllerPublishVolumeResponse;
import io.csi4j.client.internal.proto.ControllerServiceCapability;
import io.csi4j.client.internal.proto.CreateVolumeGroupSnapshotRequest;
import io.csi4j.client.internal.proto.CreateVolumeGroupSnapshotResponse;
import io.csi4j.client.internal.proto.DeleteVolumeGroupSnapshotRequest;
import io.csi4j.client.internal.proto.GetPluginCapabilitiesRequest;
import io.csi4j.client.internal.proto.GetPluginCapabilitiesResponse;
import io.csi4j.client.internal.proto.GetVolumeGroupSnapshotRequest;
import io.csi4j.client.internal.proto.GetVolumeGroupSnapshotResponse;
import io.csi4j.client.internal.proto.ListSnapshotsRequest;
import io.csi4j.client.internal.proto.ListSnapshotsResponse;
import io.csi4j.client.internal.proto.NodeExpandVolumeRequest;
import io.csi4j.client.internal.proto.NodeGetCapabilitiesRequest;
import io.csi4j.client.internal.proto.NodeGetCapabilitiesResponse;
import io.csi4j.client.internal.proto.NodeGetInfoRequest;
import io.csi4j.client.internal.proto.NodeGetInfoResponse;
import io.csi4j.client.internal.proto.NodeGetVolumeStatsRequest;
import io.csi4j.client.internal.proto.NodeGetVolumeStatsResponse;
import io.csi4j.client.internal.proto.NodeServiceCapability;
import io.csi4j.client.internal.proto.PluginCapability.Service;
import io.csi4j.client.internal.proto.Volume;
import io.csi4j.client.internal.proto.VolumeCapability;
import io.csi4j.client.internal.proto.VolumeCapability.AccessMode.Mode;
import io.csi4j.client.internal.proto.VolumeGroupSnapshot;
import io.csi4j.client.model.StatusCode;
import io.csi4j.testkit.model.PluginShape;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The answers that csi-sanity waits for, where the spec leaves more than one. */
class CsiSanityTest {

  private static final VolumeCapability ANY_FILESYSTEM =
      VolumeCapability.newBuilder()
          .setMount(VolumeCapability.MountVolume.getDefaultInstance())
          .setAccessMode(VolumeCapability.AccessMode.newBuilder().setMode(Mode.SINGLE_NODE_WRITER))
          .build();

  private final Asking plugin = new Asking(PluginShape.csiSanity());
  private final Asking byTheBook = new Asking();

  static Stream<PluginShape> shapesForIt() {
    return Stream.of(PluginShape.csiSanity(), PluginShape.full112And113().forCsiSanity());
  }

  @ParameterizedTest
  @MethodSource("shapesForIt")
  void noCapabilityIsNewToIt(PluginShape shape) {
    Asking shaped = new Asking(shape);
    assertThat(
            shaped
                .ask(
                    ControllerGetCapabilitiesResponse.class,
                    ControllerGetCapabilitiesRequest.getDefaultInstance())
                .getCapabilitiesList())
        .extracting(each -> each.getRpc().getType())
        .isNotEmpty()
        .isSubsetOf(
            ControllerServiceCapability.RPC.Type.CREATE_DELETE_VOLUME,
            ControllerServiceCapability.RPC.Type.PUBLISH_UNPUBLISH_VOLUME,
            ControllerServiceCapability.RPC.Type.LIST_VOLUMES,
            ControllerServiceCapability.RPC.Type.GET_CAPACITY,
            ControllerServiceCapability.RPC.Type.CREATE_DELETE_SNAPSHOT,
            ControllerServiceCapability.RPC.Type.LIST_SNAPSHOTS,
            ControllerServiceCapability.RPC.Type.PUBLISH_READONLY,
            ControllerServiceCapability.RPC.Type.CLONE_VOLUME,
            ControllerServiceCapability.RPC.Type.EXPAND_VOLUME,
            ControllerServiceCapability.RPC.Type.MODIFY_VOLUME,
            ControllerServiceCapability.RPC.Type.LIST_VOLUMES_PUBLISHED_NODES,
            ControllerServiceCapability.RPC.Type.GET_VOLUME,
            ControllerServiceCapability.RPC.Type.VOLUME_CONDITION,
            ControllerServiceCapability.RPC.Type.SINGLE_NODE_MULTI_WRITER);
    assertThat(
            shaped
                .ask(
                    NodeGetCapabilitiesResponse.class,
                    NodeGetCapabilitiesRequest.getDefaultInstance())
                .getCapabilitiesList())
        .extracting(each -> each.getRpc().getType())
        .isNotEmpty()
        .isSubsetOf(
            NodeServiceCapability.RPC.Type.STAGE_UNSTAGE_VOLUME,
            NodeServiceCapability.RPC.Type.GET_VOLUME_STATS,
            NodeServiceCapability.RPC.Type.EXPAND_VOLUME,
            NodeServiceCapability.RPC.Type.VOLUME_CONDITION,
            NodeServiceCapability.RPC.Type.SINGLE_NODE_MULTI_WRITER,
            NodeServiceCapability.RPC.Type.VOLUME_MOUNT_GROUP);
    assertThat(
            shaped
                .ask(
                    GetPluginCapabilitiesResponse.class,
                    GetPluginCapabilitiesRequest.getDefaultInstance())
                .getCapabilitiesList())
        .filteredOn(each -> each.hasService())
        .extracting(each -> each.getService().getType())
        .isNotEmpty()
        .isSubsetOf(
            Service.Type.CONTROLLER_SERVICE,
            Service.Type.VOLUME_ACCESSIBILITY_CONSTRAINTS,
            Service.Type.GROUP_CONTROLLER_SERVICE);
  }

  @Test
  void aNodeTellsItsIdAndItsPlaceAndVolumesAreMadeThere() {
    NodeGetInfoResponse node =
        plugin.ask(NodeGetInfoResponse.class, NodeGetInfoRequest.getDefaultInstance());
    assertThat(node.getNodeId()).isEqualTo("node-1");
    assertThat(node.getAccessibleTopology().getSegmentsMap()).isEqualTo(Map.of("zone", "z1"));

    var request = newVolume("there", ANY_FILESYSTEM);
    request.getAccessibilityRequirementsBuilder().addRequisite(node.getAccessibleTopology());
    assertThat(created(plugin, request).getAccessibleTopologyList())
        .containsExactly(node.getAccessibleTopology());
  }

  /** Its case of an incompatible ControllerPublishVolume leaves the context out. */
  @Test
  void aVolumeIsAttachedStagedAndPublishedWithoutItsContextButNotWithAnotherOne() {
    Volume volume = created(plugin, "v", ANY_FILESYSTEM);
    assertThat(volume.getVolumeContextMap()).isNotEmpty();
    var attach = attach(volume, Asking.ONE, ANY_FILESYSTEM).clearVolumeContext();

    assertThat(plugin.refusal(attach.clone().putVolumeContext("a", "b").build()).code())
        .isEqualTo(StatusCode.INVALID_ARGUMENT);
    Map<String, String> attached =
        plugin.ask(ControllerPublishVolumeResponse.class, attach.build()).getPublishContextMap();
    var stage = stage(volume, attached, ANY_FILESYSTEM).clearVolumeContext();
    assertThat(plugin.refusal(stage.clone().putVolumeContext("a", "b").build()).code())
        .isEqualTo(StatusCode.INVALID_ARGUMENT);
    plugin.ask(stage.build());
    var publish = publish(volume, attached, ANY_FILESYSTEM, "/target").clearVolumeContext();
    assertThat(plugin.refusal(publish.clone().putVolumeContext("a", "b").build()).code())
        .isEqualTo(StatusCode.INVALID_ARGUMENT);
    plugin.ask(publish.build());

    Volume other = created(byTheBook, "v");
    assertThat(
            byTheBook
                .refusal(attach(other, Asking.ONE, ANY_FILESYSTEM).clearVolumeContext().build())
                .code())
        .isEqualTo(StatusCode.INVALID_ARGUMENT);
  }

  @Test
  void aPathThatIsNotAbsoluteIsNotFound() {
    Volume volume = created(plugin, "v", ANY_FILESYSTEM);
    published(plugin, volume, ANY_FILESYSTEM, "/target");

    assertThat(plugin.refusal(stats("no-such-volume", "some/path")).code())
        .isEqualTo(StatusCode.NOT_FOUND);
    assertThat(plugin.refusal(stats(volume.getVolumeId(), "some/path")).code())
        .isEqualTo(StatusCode.NOT_FOUND);
    assertThat(plugin.refusal(growth("no-such-volume", "some/path")).code())
        .isEqualTo(StatusCode.NOT_FOUND);
    assertThat(plugin.refusal(stats("", "some/path")).code())
        .isEqualTo(StatusCode.INVALID_ARGUMENT);
    assertThat(plugin.refusal(stats(volume.getVolumeId(), "")).code())
        .isEqualTo(StatusCode.INVALID_ARGUMENT);
    assertThat(byTheBook.refusal(stats("no-such-volume", "some/path")).code())
        .isEqualTo(StatusCode.INVALID_ARGUMENT);
  }

  @Test
  void usageIsToldOfAPublishedVolume() {
    Volume volume = created(plugin, "v", ANY_FILESYSTEM);
    published(plugin, volume, ANY_FILESYSTEM, "/target");

    assertThat(
            plugin
                .ask(NodeGetVolumeStatsResponse.class, stats(volume.getVolumeId(), "/target"))
                .getUsageList())
        .isNotEmpty();
  }

  @Test
  void aVolumeGrowsToTheVerySizeAskedFor() {
    Volume volume = created(plugin, "v", ANY_FILESYSTEM);

    assertThat(
            plugin
                .ask(ControllerExpandVolumeResponse.class, expand(volume, atLeast(2 * GIB + 1)))
                .getCapacityBytes())
        .isEqualTo(2 * GIB + 1);

    published(plugin, volume, ANY_FILESYSTEM, "/target");
    plugin.ask(
        growth(volume.getVolumeId(), "/target").toBuilder()
            .setCapacityRange(atLeast(2 * GIB + 1))
            .build());
  }

  @Test
  void anUnknownMutableParameterIsRefused() {
    Volume volume =
        created(plugin, newVolume("v", ANY_FILESYSTEM).putMutableParams("tier", "gold"));
    plugin.ask(modification(volume.getVolumeId(), "tier"));

    assertThat(plugin.refusal(modification(volume.getVolumeId(), "color")))
        .satisfies(
            refusal -> {
              assertThat(refusal.code()).isEqualTo(StatusCode.INVALID_ARGUMENT);
              assertThat(refusal.text())
                  .isEqualTo(
                      "mutable_parameters['color'] is not known to this plugin. Send one of"
                          + " [tier]. Nothing was changed.");
            });
    assertThat(
            plugin
                .refusal(newVolume("w", ANY_FILESYSTEM).putMutableParams("color", "red").build())
                .code())
        .isEqualTo(StatusCode.INVALID_ARGUMENT);
    assertThat(plugin.refusal(modification("no-such-volume", "tier")).code())
        .isEqualTo(StatusCode.NOT_FOUND);

    Volume other = created(byTheBook, "v");
    byTheBook.ask(modification(other.getVolumeId(), "color"));
  }

  @Test
  void aGroupIsToldAndDeletedByItsIdAlone() {
    assertThat(plugin.refusal(group("no-such-group")).code()).isEqualTo(StatusCode.NOT_FOUND);
    plugin.ask(deletion("no-such-group"));

    VolumeGroupSnapshot group = grouped(plugin);
    assertThat(
            plugin
                .ask(GetVolumeGroupSnapshotResponse.class, group(group.getGroupSnapshotId()))
                .getGroupSnapshot())
        .isEqualTo(group);
    plugin.ask(deletion(group.getGroupSnapshotId()));
    assertThat(plugin.backend.contents().groups()).isEmpty();
    assertThat(plugin.backend.contents().snapshots()).isEmpty();

    assertThat(byTheBook.refusal(deletion(grouped(byTheBook).getGroupSnapshotId())).code())
        .isEqualTo(StatusCode.INVALID_ARGUMENT);
    assertThat(byTheBook.backend.contents().groups()).hasSize(1);
  }

  @Test
  void otherMembersThanThoseOfAGroupAreStillRefused() {
    VolumeGroupSnapshot group = grouped(plugin);

    assertThat(
            plugin
                .refusal(
                    deletion(group.getGroupSnapshotId()).toBuilder().addSnapshotIds("x").build())
                .code())
        .isEqualTo(StatusCode.INVALID_ARGUMENT);
  }

  @Test
  void aVolumeAttachedForWritingIsNotAttachedForReading() {
    Volume volume = created(plugin, "v", ANY_FILESYSTEM);
    plugin.ask(attach(volume, Asking.ONE, ANY_FILESYSTEM).build());

    assertThat(
            plugin
                .refusal(attach(volume, Asking.ONE, ANY_FILESYSTEM).setReadonly(true).build())
                .code())
        .isEqualTo(StatusCode.ALREADY_EXISTS);
  }

  @Test
  void aListOfSnapshotsThatDoNotExistIsEmpty() {
    assertThat(
            plugin
                .ask(
                    ListSnapshotsResponse.class,
                    ListSnapshotsRequest.newBuilder().setSnapshotId("no-such-snapshot").build())
                .getEntriesList())
        .isEmpty();
    assertThat(
            plugin
                .ask(
                    ListSnapshotsResponse.class,
                    ListSnapshotsRequest.newBuilder().setSourceVolumeId("no-such-volume").build())
                .getEntriesList())
        .isEmpty();
  }

  private static NodeGetVolumeStatsRequest stats(String volume, String path) {
    return NodeGetVolumeStatsRequest.newBuilder().setVolumeId(volume).setVolumePath(path).build();
  }

  private static NodeExpandVolumeRequest growth(String volume, String path) {
    return NodeExpandVolumeRequest.newBuilder().setVolumeId(volume).setVolumePath(path).build();
  }

  private static ControllerModifyVolumeRequest modification(String volume, String parameter) {
    return ControllerModifyVolumeRequest.newBuilder()
        .setVolumeId(volume)
        .putMutableParameters(parameter, "x")
        .build();
  }

  private static GetVolumeGroupSnapshotRequest group(String id) {
    return GetVolumeGroupSnapshotRequest.newBuilder().setGroupSnapshotId(id).build();
  }

  private static DeleteVolumeGroupSnapshotRequest deletion(String id) {
    return DeleteVolumeGroupSnapshotRequest.newBuilder().setGroupSnapshotId(id).build();
  }

  private static VolumeGroupSnapshot grouped(Asking plugin) {
    return plugin
        .ask(
            CreateVolumeGroupSnapshotResponse.class,
            CreateVolumeGroupSnapshotRequest.newBuilder()
                .setName("g")
                .addSourceVolumeIds(created(plugin, "g1").getVolumeId())
                .addSourceVolumeIds(created(plugin, "g2").getVolumeId())
                .build())
        .getGroupSnapshot();
  }
}
