package io.csi4j.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import com.google.protobuf.UnknownFieldSet;
import io.csi4j.client.controller.ControllerCapability;
import io.csi4j.client.controller.ControllerExpandVolumeRequest;
import io.csi4j.client.controller.ControllerPublishVolumeRequest;
import io.csi4j.client.controller.CreateVolumeRequest;
import io.csi4j.client.controller.ListSnapshotsRequest;
import io.csi4j.client.controller.Snapshot;
import io.csi4j.client.controller.ValidateVolumeCapabilitiesRequest;
import io.csi4j.client.controller.VolumeEntry;
import io.csi4j.client.internal.proto.CreateSnapshotRequest;
import io.csi4j.client.internal.proto.GetPluginCapabilitiesResponse;
import io.csi4j.client.internal.proto.ListVolumesResponse;
import io.csi4j.client.internal.proto.NodeGetVolumeStatsResponse;
import io.csi4j.client.internal.proto.PluginCapability.Service;
import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.CapacityRange;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.CsiUnsupportedException;
import io.csi4j.client.model.NodeId;
import io.csi4j.client.model.Outcome;
import io.csi4j.client.model.Page;
import io.csi4j.client.model.PluginPath;
import io.csi4j.client.model.Secrets;
import io.csi4j.client.model.VolumeCapability;
import io.csi4j.client.model.VolumeId;
import io.csi4j.client.node.NodeCapability;
import io.csi4j.client.node.NodeExpandVolumeRequest;
import io.csi4j.client.node.NodeGetVolumeStatsRequest;
import io.csi4j.client.node.NodePublishVolumeRequest;
import io.csi4j.client.node.NodeStageVolumeRequest;
import io.csi4j.client.node.VolumeStats;
import io.csi4j.client.scripted.Samples;
import io.csi4j.client.scripted.ScriptedPlugin;
import io.csi4j.client.scripted.Walk;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Plugins of every release of CSI, older ones and one that is newer than this library. */
class CsiReleasesTest extends AgainstScriptedPlugin {

  private static final Secrets SECRETS = Secrets.of(Map.of("token", "s3cr3t-s3cr3t"));
  private static final VolumeId VOLUME = VolumeId.of("vol-1");
  private static final VolumeCapability BLOCK =
      VolumeCapability.block(AccessMode.SINGLE_NODE_WRITER);

  /** The minor release that brought a call. */
  private static int since(CsiOperation operation) {
    return switch (operation) {
      case CONTROLLER_EXPAND_VOLUME, NODE_EXPAND_VOLUME -> 1;
      case CONTROLLER_GET_VOLUME -> 3;
      case GROUP_CONTROLLER_GET_CAPABILITIES,
          CREATE_VOLUME_GROUP_SNAPSHOT,
          DELETE_VOLUME_GROUP_SNAPSHOT,
          GET_VOLUME_GROUP_SNAPSHOT ->
          8;
      case CONTROLLER_MODIFY_VOLUME -> 9;
      case GET_METADATA_ALLOCATED, GET_METADATA_DELTA -> 10;
      case GET_SNAPSHOT -> 12;
      case CONTROLLER_LIST_VOLUME_HEALTH,
          CONTROLLER_GET_VOLUME_HEALTH,
          NODE_GET_VOLUME_HEALTH,
          NODE_GET_STORAGE_HEALTH ->
          13;
      default -> 0;
    };
  }

  private static boolean has(int release, ControllerCapability capability) {
    return switch (capability) {
      case EXPAND_VOLUME -> release >= 1;
      case LIST_VOLUMES_PUBLISHED_NODES -> release >= 2;
      case GET_VOLUME -> release >= 3;
      case VOLUME_CONDITION -> release >= 3 && release <= 12;
      case SINGLE_NODE_MULTI_WRITER -> release >= 5;
      case MODIFY_VOLUME -> release >= 9;
      case GET_SNAPSHOT -> release >= 12;
      case GET_VOLUME_HEALTH, LIST_VOLUME_HEALTH -> release >= 13;
      default -> true;
    };
  }

  private static boolean has(int release, NodeCapability capability) {
    return switch (capability) {
      case EXPAND_VOLUME -> release >= 1;
      case VOLUME_CONDITION -> release >= 3 && release <= 12;
      case SINGLE_NODE_MULTI_WRITER, VOLUME_MOUNT_GROUP -> release >= 5;
      case GET_VOLUME_HEALTH, GET_STORAGE_HEALTH -> release >= 13;
      default -> true;
    };
  }

  private static boolean has(int release, Service.Type capability) {
    return switch (capability) {
      case CONTROLLER_SERVICE, VOLUME_ACCESSIBILITY_CONSTRAINTS -> true;
      case GROUP_CONTROLLER_SERVICE -> release >= 8;
      case SNAPSHOT_METADATA_SERVICE -> release >= 10;
      case SNAPSHOT_ACCESSIBILITY_CONSTRAINTS -> release >= 13;
      case UNKNOWN, UNRECOGNIZED -> false;
    };
  }

  /** Makes the plugin offer all that its release has, and nothing else. */
  private CsiPlugin connectTo(int release) {
    GetPluginCapabilitiesResponse.Builder plugin = GetPluginCapabilitiesResponse.newBuilder();
    Arrays.stream(Service.Type.values())
        .filter(each -> has(release, each))
        .forEach(each -> plugin.addCapabilitiesBuilder().getServiceBuilder().setType(each));
    scripted.answer(CsiOperation.GET_PLUGIN_CAPABILITIES, plugin.build());
    scripted.answer(
        CsiOperation.CONTROLLER_GET_CAPABILITIES,
        ScriptedPlugin.controllerCapabilities(
            Arrays.stream(ControllerCapability.values())
                .filter(each -> has(release, each))
                .toList()));
    scripted.answer(
        CsiOperation.NODE_GET_CAPABILITIES,
        ScriptedPlugin.nodeCapabilities(
            Arrays.stream(NodeCapability.values()).filter(each -> has(release, each)).toList()));
    return connect();
  }

  /** A request that a plugin of every release takes, as far as it has the call. */
  private static @Nullable Object request(CsiOperation operation) {
    return switch (operation) {
      case CREATE_VOLUME -> CreateVolumeRequest.builder("data", List.of(BLOCK)).build();
      case CONTROLLER_PUBLISH_VOLUME ->
          ControllerPublishVolumeRequest.builder(VOLUME, NodeId.of("n"), BLOCK).build();
      case VALIDATE_VOLUME_CAPABILITIES ->
          ValidateVolumeCapabilitiesRequest.builder(VOLUME, List.of(BLOCK)).build();
      case NODE_STAGE_VOLUME ->
          NodeStageVolumeRequest.builder(VOLUME, PluginPath.of("/s"), BLOCK).build();
      case NODE_PUBLISH_VOLUME ->
          NodePublishVolumeRequest.builder(VOLUME, PluginPath.of("/t"), BLOCK)
              .stagingTargetPath(PluginPath.of("/s"))
              .build();
      default -> new Samples(1).request(operation, false);
    };
  }

  private static <T> T called(CsiPlugin plugin, CsiOperation operation, Class<T> type) {
    return type.cast(
        Objects.requireNonNull(Samples.call(plugin, operation, request(operation)), "a result"));
  }

  private <T extends Message> T seen(CsiOperation operation, Class<T> type) {
    return scripted.calls(operation).get(0).as(type);
  }

  // ---- older plugins

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13})
  void aPluginIsSentTheCallsOfItsReleaseAndNoneOfALaterOne(int release) {
    CsiPlugin plugin = connectTo(release);
    for (CsiOperation operation : CsiOperation.values()) {
      scripted.forget();
      if (since(operation) > release) {
        if (operation.givesBack()) {
          continue; // Sent whatever is offered.
        }
        CsiUnsupportedException refused =
            catchThrowableOfType(
                CsiUnsupportedException.class,
                () -> Samples.call(plugin, operation, request(operation)));
        assertThat(refused)
            .as("%s on 1.%s", operation, release)
            .extracting(CsiUnsupportedException::outcome)
            .isEqualTo(Outcome.SETTLED);
        assertThat(refused.attempts()).isZero();
        assertThat(scripted.calls(operation)).as("%s on 1.%s", operation, release).isEmpty();
      } else {
        Samples.call(plugin, operation, request(operation));
        assertThat(scripted.calls(operation)).as("%s on 1.%s", operation, release).isNotEmpty();
      }
    }
  }

  @Test
  void fieldsWithoutACapabilityAreSentToEveryPlugin() {
    CsiPlugin plugin = connectTo(1);
    plugin
        .controller()
        .expandVolume(
            ControllerExpandVolumeRequest.builder(VOLUME, CapacityRange.atLeast(1))
                .capability(BLOCK)
                .build());
    plugin
        .node()
        .expandVolume(
            NodeExpandVolumeRequest.builder(VOLUME, PluginPath.of("/p"))
                .stagingTargetPath(PluginPath.of("/s"))
                .capability(BLOCK)
                .secrets(SECRETS)
                .build());
    plugin
        .node()
        .getVolumeStats(
            NodeGetVolumeStatsRequest.builder(VOLUME, PluginPath.of("/p"))
                .stagingTargetPath(PluginPath.of("/s"))
                .build());
    plugin.controller().listSnapshots(ListSnapshotsRequest.builder().secrets(SECRETS).build());

    assertThat(
            seen(
                    CsiOperation.CONTROLLER_EXPAND_VOLUME,
                    io.csi4j.client.internal.proto.ControllerExpandVolumeRequest.class)
                .hasVolumeCapability())
        .isTrue();
    var onNode =
        seen(
            CsiOperation.NODE_EXPAND_VOLUME,
            io.csi4j.client.internal.proto.NodeExpandVolumeRequest.class);
    assertThat(onNode.hasVolumeCapability()).isTrue();
    assertThat(onNode.getStagingTargetPath()).isEqualTo("/s");
    assertThat(onNode.getSecretsMap()).containsOnlyKeys("token");
    assertThat(
            seen(
                    CsiOperation.NODE_GET_VOLUME_STATS,
                    io.csi4j.client.internal.proto.NodeGetVolumeStatsRequest.class)
                .getStagingTargetPath())
        .isEqualTo("/s");
    assertThat(
            seen(
                    CsiOperation.LIST_SNAPSHOTS,
                    io.csi4j.client.internal.proto.ListSnapshotsRequest.class)
                .getSecretsMap())
        .containsOnlyKeys("token");
  }

  @Test
  void aListOfTheFirstReleaseTellsNeitherNodesNorCondition() {
    ListVolumesResponse.Builder page = ListVolumesResponse.newBuilder();
    page.addEntriesBuilder().getVolumeBuilder().setVolumeId("v");
    scripted.answer(CsiOperation.LIST_VOLUMES, page.build());

    List<?> entries = called(connectTo(0), CsiOperation.LIST_VOLUMES, Page.class).entries();

    assertThat(entries).hasSize(1);
    VolumeEntry read = (VolumeEntry) entries.get(0);
    assertThat(read.volume().id()).isEqualTo(VolumeId.of("v"));
    assertThat(read.publishedNodes()).isEmpty();
    assertThat(read.condition()).isEmpty();
  }

  @Test
  void statisticsOfTheFirstReleaseTellNoCondition() {
    NodeGetVolumeStatsResponse.Builder stats = NodeGetVolumeStatsResponse.newBuilder();
    stats.addUsageBuilder().setUnitValue(1).setTotal(7).setUsed(3).setAvailable(4);
    scripted.answer(CsiOperation.NODE_GET_VOLUME_STATS, stats.build());

    VolumeStats read = called(connectTo(0), CsiOperation.NODE_GET_VOLUME_STATS, VolumeStats.class);

    assertThat(read.usage()).hasSize(1);
    assertThat(read.condition()).isEmpty();
  }

  @Test
  void aSnapshotOfTheFirstReleaseHasNoGroupAndCanBeUsedEverywhere() {
    var snapshot = called(connectTo(0), CsiOperation.CREATE_SNAPSHOT, Snapshot.class);

    assertThat(snapshot.groupSnapshotId()).isEmpty();
    assertThat(snapshot.accessibleTopology()).isEmpty();
    assertThat(
            seen(CsiOperation.CREATE_SNAPSHOT, CreateSnapshotRequest.class)
                .hasAccessibilityRequirements())
        .isFalse();
  }

  // ---- newer plugins

  @ParameterizedTest
  @EnumSource(CsiOperation.class)
  void fieldsOfALaterReleaseChangeNoResult(CsiOperation operation) {
    CsiPlugin plugin = connect();
    Set<String> known = Walk.lines(Samples.call(plugin, operation, request(operation)));
    scripted.on(
        operation,
        (call, reply) -> reply.ok(later(ScriptedPlugin.defaultAnswer(operation, call.request()))));

    assertThat(Walk.lines(Samples.call(plugin, operation, request(operation)))).isEqualTo(known);
  }

  /** The message with a field that nobody knows, in it and in all that it holds. */
  private static Message later(Message message) {
    Message.Builder more = message.toBuilder();
    message
        .getAllFields()
        .forEach(
            (field, value) -> {
              if (field.getJavaType() != FieldDescriptor.JavaType.MESSAGE || field.isMapField()) {
                return;
              }
              if (value instanceof List<?> list) {
                for (int i = 0; i < list.size(); i++) {
                  more.setRepeatedField(field, i, later((Message) list.get(i)));
                }
              } else {
                more.setField(field, later((Message) value));
              }
            });
    return more.setUnknownFields(
            UnknownFieldSet.newBuilder()
                .addField(900, UnknownFieldSet.Field.newBuilder().addVarint(1).build())
                .build())
        .build();
  }
}
