package io.csi4j.client.internal.mapping;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import com.google.protobuf.TextFormat;
import io.csi4j.client.controller.ControllerExpandVolumeRequest;
import io.csi4j.client.controller.ControllerGetVolumeHealthRequest;
import io.csi4j.client.controller.ControllerGetVolumeRequest;
import io.csi4j.client.controller.ControllerListVolumeHealthRequest;
import io.csi4j.client.controller.ControllerModifyVolumeRequest;
import io.csi4j.client.controller.ControllerPublishVolumeRequest;
import io.csi4j.client.controller.ControllerUnpublishVolumeRequest;
import io.csi4j.client.controller.CreateSnapshotRequest;
import io.csi4j.client.controller.CreateVolumeRequest;
import io.csi4j.client.controller.DeleteSnapshotRequest;
import io.csi4j.client.controller.DeleteVolumeRequest;
import io.csi4j.client.controller.GetCapacityRequest;
import io.csi4j.client.controller.GetSnapshotRequest;
import io.csi4j.client.controller.ListSnapshotsRequest;
import io.csi4j.client.controller.ListVolumesRequest;
import io.csi4j.client.controller.ValidateVolumeCapabilitiesRequest;
import io.csi4j.client.group.CreateVolumeGroupSnapshotRequest;
import io.csi4j.client.group.DeleteVolumeGroupSnapshotRequest;
import io.csi4j.client.group.GetVolumeGroupSnapshotRequest;
import io.csi4j.client.metadata.GetMetadataAllocatedRequest;
import io.csi4j.client.metadata.GetMetadataDeltaRequest;
import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.CapacityRange;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.GroupSnapshotId;
import io.csi4j.client.model.MountFlags;
import io.csi4j.client.model.MountOptions;
import io.csi4j.client.model.NodeId;
import io.csi4j.client.model.PluginPath;
import io.csi4j.client.model.PublishContext;
import io.csi4j.client.model.Secrets;
import io.csi4j.client.model.SnapshotId;
import io.csi4j.client.model.Topology;
import io.csi4j.client.model.TopologyRequirement;
import io.csi4j.client.model.VolumeCapability;
import io.csi4j.client.model.VolumeContentSource;
import io.csi4j.client.model.VolumeContext;
import io.csi4j.client.model.VolumeId;
import io.csi4j.client.node.NodeExpandVolumeRequest;
import io.csi4j.client.node.NodeGetStorageHealthRequest;
import io.csi4j.client.node.NodeGetVolumeHealthRequest;
import io.csi4j.client.node.NodeGetVolumeStatsRequest;
import io.csi4j.client.node.NodePublishVolumeRequest;
import io.csi4j.client.node.NodeStageVolumeRequest;
import io.csi4j.client.node.NodeUnpublishVolumeRequest;
import io.csi4j.client.node.NodeUnstageVolumeRequest;
import io.csi4j.client.scripted.Wire;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class RequestMappingTest {

  private static final VolumeId VOLUME = VolumeId.of("vol-1");
  private static final NodeId NODE = NodeId.of("node-1");
  private static final SnapshotId SNAPSHOT = SnapshotId.of("snap-1");
  private static final GroupSnapshotId GROUP = GroupSnapshotId.of("group-1");
  private static final PluginPath STAGING = PluginPath.of("/staging");
  private static final PluginPath TARGET = PluginPath.of("/target");
  private static final Secrets SECRETS = Secrets.of(Map.of("key", "secret"));
  private static final VolumeContext CONTEXT = VolumeContext.of(Map.of("ctx", "volume"));
  private static final PublishContext PUBLISHED = PublishContext.of(Map.of("ctx", "publish"));
  private static final Map<String, String> PARAMETERS = Map.of("par", "ameter");
  private static final Map<String, String> MUTABLE = Map.of("mut", "able");
  private static final CapacityRange RANGE = CapacityRange.between(1, 2);
  private static final Topology PLACE = Topology.of(Map.of("zone", "z1"));
  private static final VolumeCapability CAPABILITY =
      VolumeCapability.mount(
          AccessMode.SINGLE_NODE_WRITER,
          MountOptions.none()
              .withFsType("ext4")
              .withFlags(MountFlags.of("ro"))
              .withVolumeMountGroup("7"));

  private static final String CAPABILITY_TEXT =
      "{ mount { fs_type: \"ext4\" mount_flags: \"ro\" volume_mount_group: \"7\" }"
          + " access_mode { mode: SINGLE_NODE_WRITER } }";
  private static final String SECRETS_TEXT = "secrets { key: \"key\" value: \"secret\" }";
  private static final String CONTEXT_TEXT = "volume_context { key: \"ctx\" value: \"volume\" }";
  private static final String PUBLISHED_TEXT =
      "publish_context { key: \"ctx\" value: \"publish\" }";
  private static final String PARAMETERS_TEXT = "parameters { key: \"par\" value: \"ameter\" }";
  private static final String MUTABLE_TEXT = "mutable_params { key: \"mut\" value: \"able\" }";
  private static final String RANGE_TEXT = "capacity_range { required_bytes: 1 limit_bytes: 2 }";
  private static final String PLACE_TEXT = "{ segments { key: \"zone\" value: \"z1\" } }";

  record Case(Message mapped, String expected) {
    @Override
    public String toString() {
      return mapped.getDescriptorForType().getName();
    }
  }

  static Stream<Case> fullRequests() {
    return Stream.of(
        new Case(
            ControllerRequestMapping.toProto(
                CreateVolumeRequest.builder("name-1", List.of(CAPABILITY))
                    .capacityRange(RANGE)
                    .parameters(PARAMETERS)
                    .secrets(SECRETS)
                    .contentSource(VolumeContentSource.of(SNAPSHOT))
                    .accessibilityRequirements(
                        new TopologyRequirement(Set.of(PLACE), List.of(PLACE)))
                    .mutableParameters(MUTABLE)
                    .build()),
            "name: \"name-1\" volume_capabilities "
                + CAPABILITY_TEXT
                + RANGE_TEXT
                + PARAMETERS_TEXT
                + SECRETS_TEXT
                + MUTABLE_TEXT
                + "volume_content_source { snapshot { snapshot_id: \"snap-1\" } }"
                + "accessibility_requirements { requisite "
                + PLACE_TEXT
                + " preferred "
                + PLACE_TEXT
                + " }"),
        new Case(
            ControllerRequestMapping.toProto(
                DeleteVolumeRequest.builder(VOLUME).secrets(SECRETS).build()),
            "volume_id: \"vol-1\"" + SECRETS_TEXT),
        new Case(
            ControllerRequestMapping.toProto(
                ControllerPublishVolumeRequest.builder(VOLUME, NODE, CAPABILITY)
                    .readonly(true)
                    .secrets(SECRETS)
                    .volumeContext(CONTEXT)
                    .build()),
            "volume_id: \"vol-1\" node_id: \"node-1\" readonly: true volume_capability "
                + CAPABILITY_TEXT
                + SECRETS_TEXT
                + CONTEXT_TEXT),
        new Case(
            ControllerRequestMapping.toProto(
                ControllerUnpublishVolumeRequest.builder(VOLUME, NODE).secrets(SECRETS).build()),
            "volume_id: \"vol-1\" node_id: \"node-1\"" + SECRETS_TEXT),
        new Case(
            ControllerRequestMapping.toProto(
                ValidateVolumeCapabilitiesRequest.builder(VOLUME, List.of(CAPABILITY))
                    .volumeContext(CONTEXT)
                    .parameters(PARAMETERS)
                    .secrets(SECRETS)
                    .mutableParameters(MUTABLE)
                    .build()),
            "volume_id: \"vol-1\" volume_capabilities "
                + CAPABILITY_TEXT
                + CONTEXT_TEXT
                + PARAMETERS_TEXT
                + SECRETS_TEXT
                + MUTABLE_TEXT),
        new Case(
            ControllerRequestMapping.toProto(
                ListVolumesRequest.builder().maxEntries(3).startingToken("tok").build()),
            "max_entries: 3 starting_token: \"tok\""),
        new Case(
            ControllerRequestMapping.toProto(
                ControllerListVolumeHealthRequest.builder()
                    .maxEntries(3)
                    .startingToken("tok")
                    .secrets(SECRETS)
                    .build()),
            "max_entries: 3 starting_token: \"tok\"" + SECRETS_TEXT),
        new Case(
            ControllerRequestMapping.toProto(
                ControllerGetVolumeHealthRequest.builder(VOLUME).secrets(SECRETS).build()),
            "volume_id: \"vol-1\"" + SECRETS_TEXT),
        new Case(
            ControllerRequestMapping.toProto(
                GetCapacityRequest.builder()
                    .capabilities(List.of(CAPABILITY))
                    .parameters(PARAMETERS)
                    .accessibleTopology(PLACE)
                    .build()),
            "volume_capabilities "
                + CAPABILITY_TEXT
                + PARAMETERS_TEXT
                + "accessible_topology "
                + PLACE_TEXT),
        new Case(
            ControllerRequestMapping.toProto(
                CreateSnapshotRequest.builder(VOLUME, "name-2")
                    .secrets(SECRETS)
                    .parameters(PARAMETERS)
                    .accessibilityRequirements(TopologyRequirement.anyOf(List.of(PLACE)))
                    .build()),
            "source_volume_id: \"vol-1\" name: \"name-2\""
                + SECRETS_TEXT
                + PARAMETERS_TEXT
                + "accessibility_requirements { requisite "
                + PLACE_TEXT
                + " }"),
        new Case(
            ControllerRequestMapping.toProto(
                DeleteSnapshotRequest.builder(SNAPSHOT).secrets(SECRETS).build()),
            "snapshot_id: \"snap-1\"" + SECRETS_TEXT),
        new Case(
            ControllerRequestMapping.toProto(
                ListSnapshotsRequest.builder()
                    .maxEntries(3)
                    .startingToken("tok")
                    .sourceVolumeId(VOLUME)
                    .snapshotId(SNAPSHOT)
                    .secrets(SECRETS)
                    .build()),
            "max_entries: 3 starting_token: \"tok\" source_volume_id: \"vol-1\""
                + "snapshot_id: \"snap-1\""
                + SECRETS_TEXT),
        new Case(
            ControllerRequestMapping.toProto(
                GetSnapshotRequest.builder(SNAPSHOT).secrets(SECRETS).build()),
            "snapshot_id: \"snap-1\"" + SECRETS_TEXT),
        new Case(
            ControllerRequestMapping.toProto(
                ControllerExpandVolumeRequest.builder(VOLUME, RANGE)
                    .secrets(SECRETS)
                    .capability(CAPABILITY)
                    .build()),
            "volume_id: \"vol-1\" volume_capability "
                + CAPABILITY_TEXT
                + RANGE_TEXT
                + SECRETS_TEXT),
        new Case(
            ControllerRequestMapping.toProto(ControllerGetVolumeRequest.builder(VOLUME).build()),
            "volume_id: \"vol-1\""),
        new Case(
            ControllerRequestMapping.toProto(
                ControllerModifyVolumeRequest.builder(VOLUME, MUTABLE).secrets(SECRETS).build()),
            "volume_id: \"vol-1\" mutable_parameters { key: \"mut\" value: \"able\" } "
                + SECRETS_TEXT),
        new Case(
            NodeRequestMapping.toProto(
                NodeStageVolumeRequest.builder(VOLUME, STAGING, CAPABILITY)
                    .publishContext(PUBLISHED)
                    .secrets(SECRETS)
                    .volumeContext(CONTEXT)
                    .build()),
            "volume_id: \"vol-1\" staging_target_path: \"/staging\" volume_capability "
                + CAPABILITY_TEXT
                + PUBLISHED_TEXT
                + SECRETS_TEXT
                + CONTEXT_TEXT),
        new Case(
            NodeRequestMapping.toProto(NodeUnstageVolumeRequest.builder(VOLUME, STAGING).build()),
            "volume_id: \"vol-1\" staging_target_path: \"/staging\""),
        new Case(
            NodeRequestMapping.toProto(
                NodePublishVolumeRequest.builder(VOLUME, TARGET, CAPABILITY)
                    .stagingTargetPath(STAGING)
                    .readonly(true)
                    .publishContext(PUBLISHED)
                    .secrets(SECRETS)
                    .volumeContext(CONTEXT)
                    .build()),
            "volume_id: \"vol-1\" target_path: \"/target\" staging_target_path: \"/staging\""
                + "readonly: true volume_capability "
                + CAPABILITY_TEXT
                + PUBLISHED_TEXT
                + SECRETS_TEXT
                + CONTEXT_TEXT),
        new Case(
            NodeRequestMapping.toProto(NodeUnpublishVolumeRequest.builder(VOLUME, TARGET).build()),
            "volume_id: \"vol-1\" target_path: \"/target\""),
        new Case(
            NodeRequestMapping.toProto(
                NodeGetVolumeStatsRequest.builder(VOLUME, TARGET)
                    .stagingTargetPath(STAGING)
                    .build()),
            "volume_id: \"vol-1\" volume_path: \"/target\" staging_target_path: \"/staging\""),
        new Case(
            NodeRequestMapping.toProto(
                NodeGetVolumeHealthRequest.builder(VOLUME)
                    .volumePublishPath(TARGET)
                    .stagingTargetPath(STAGING)
                    .build()),
            "volume_id: \"vol-1\" volume_publish_path: \"/target\""
                + "staging_target_path: \"/staging\""),
        new Case(
            NodeRequestMapping.toProto(
                NodeGetStorageHealthRequest.builder().secrets(SECRETS).build()),
            SECRETS_TEXT),
        new Case(
            NodeRequestMapping.toProto(
                NodeExpandVolumeRequest.builder(VOLUME, TARGET)
                    .capacityRange(RANGE)
                    .stagingTargetPath(STAGING)
                    .capability(CAPABILITY)
                    .secrets(SECRETS)
                    .build()),
            "volume_id: \"vol-1\" volume_path: \"/target\" staging_target_path: \"/staging\""
                + "volume_capability "
                + CAPABILITY_TEXT
                + RANGE_TEXT
                + SECRETS_TEXT),
        new Case(
            GroupRequestMapping.toProto(
                CreateVolumeGroupSnapshotRequest.builder("name-3", List.of(VOLUME))
                    .secrets(SECRETS)
                    .parameters(PARAMETERS)
                    .build()),
            "name: \"name-3\" source_volume_ids: \"vol-1\"" + SECRETS_TEXT + PARAMETERS_TEXT),
        new Case(
            GroupRequestMapping.toProto(
                DeleteVolumeGroupSnapshotRequest.builder(GROUP, List.of(SNAPSHOT))
                    .secrets(SECRETS)
                    .build()),
            "group_snapshot_id: \"group-1\" snapshot_ids: \"snap-1\"" + SECRETS_TEXT),
        new Case(
            GroupRequestMapping.toProto(
                GetVolumeGroupSnapshotRequest.builder(GROUP, List.of(SNAPSHOT))
                    .secrets(SECRETS)
                    .build()),
            "group_snapshot_id: \"group-1\" snapshot_ids: \"snap-1\"" + SECRETS_TEXT),
        new Case(
            MetadataRequestMapping.toProto(
                GetMetadataAllocatedRequest.builder(SNAPSHOT)
                    .startingOffset(5)
                    .maxResults(6)
                    .secrets(SECRETS)
                    .build()),
            "snapshot_id: \"snap-1\" starting_offset: 5 max_results: 6 " + SECRETS_TEXT),
        new Case(
            MetadataRequestMapping.toProto(
                GetMetadataDeltaRequest.builder(SNAPSHOT, SnapshotId.of("snap-2"))
                    .startingOffset(5)
                    .maxResults(6)
                    .secrets(SECRETS)
                    .build()),
            "base_snapshot_id: \"snap-1\" target_snapshot_id: \"snap-2\" starting_offset: 5"
                + " max_results: 6 "
                + SECRETS_TEXT));
  }

  @ParameterizedTest
  @MethodSource("fullRequests")
  void everyPartOfARequestReachesItsField(Case full) throws TextFormat.ParseException {
    Message.Builder expected = full.mapped.newBuilderForType();
    TextFormat.merge(full.expected, expected);
    assertThat(full.mapped).isEqualTo(expected.build());
  }

  @ParameterizedTest
  @MethodSource("fullRequests")
  void noFieldOfARequestIsOutOfReach(Case full) {
    assertThat(full.mapped.getAllFields().keySet())
        .extracting(FieldDescriptor::getName)
        .containsExactlyInAnyOrderElementsOf(
            full.mapped.getDescriptorForType().getFields().stream()
                .map(FieldDescriptor::getName)
                .toList());
  }

  @Test
  void everyRequestThatHoldsAnythingIsMapped() {
    List<String> mapped =
        fullRequests().map(full -> full.mapped.getDescriptorForType().getName()).toList();
    List<String> wanted =
        Arrays.stream(CsiOperation.values())
            .map(Wire::request)
            .map(Message::getDescriptorForType)
            .filter(type -> !type.getFields().isEmpty())
            .map(type -> type.getName())
            .toList();
    assertThat(mapped).containsExactlyInAnyOrderElementsOf(wanted).hasSize(29);
  }

  @Test
  void whatIsNotStatedStaysUnset() {
    assertThat(
            Stream.of(
                    ControllerRequestMapping.toProto(
                        ControllerUnpublishVolumeRequest.builderForAllNodes(VOLUME).build()),
                    ControllerRequestMapping.toProto(ListVolumesRequest.builder().build()),
                    ControllerRequestMapping.toProto(ListSnapshotsRequest.builder().build()),
                    ControllerRequestMapping.toProto(GetCapacityRequest.builder().build()),
                    ControllerRequestMapping.toProto(
                        CreateVolumeRequest.builder("n", List.of()).build()),
                    ControllerRequestMapping.toProto(
                        ControllerExpandVolumeRequest.builder(VOLUME, RANGE).build()),
                    NodeRequestMapping.toProto(
                        NodeExpandVolumeRequest.builder(VOLUME, TARGET).build()),
                    NodeRequestMapping.toProto(
                        NodePublishVolumeRequest.builder(VOLUME, TARGET, CAPABILITY).build()))
                .map(
                    message ->
                        message.getAllFields().keySet().stream()
                            .map(FieldDescriptor::getName)
                            .toList()))
        .containsExactly(
            List.of("volume_id"),
            List.of(),
            List.of(),
            List.of(),
            List.of("name"),
            List.of("volume_id", "capacity_range"),
            List.of("volume_id", "volume_path"),
            List.of("volume_id", "target_path", "volume_capability"));
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 12, 13, 100})
  void allEntriesAreSentInTheirOrderHoweverManyThereAre(int count) {
    Map<String, String> entries = new LinkedHashMap<>();
    for (int i = count; i > 0; i--) {
      entries.put("key-" + i, "value-" + i);
    }

    var sent =
        NodeRequestMapping.toProto(
            NodePublishVolumeRequest.builder(VOLUME, TARGET, CAPABILITY)
                .publishContext(PublishContext.of(entries))
                .secrets(Secrets.of(entries))
                .volumeContext(VolumeContext.of(entries))
                .build());

    assertThat(sent.getPublishContextMap()).containsExactlyEntriesOf(entries);
    assertThat(sent.getSecretsMap()).containsExactlyEntriesOf(entries);
    assertThat(sent.getVolumeContextMap()).containsExactlyEntriesOf(entries);
  }

  @Test
  @SuppressWarnings("DoNotCall") // that it is refused is what is looked at
  void nobodyChangesEntriesThatAreRevealed() {
    Map<String, String> revealed = VolumeContext.of(Map.of("key", "value")).reveal();

    assertThatThrownBy(() -> revealed.put("other", "x"))
        .isInstanceOf(UnsupportedOperationException.class);
    assertThatThrownBy(() -> revealed.remove("key"))
        .isInstanceOf(UnsupportedOperationException.class);
    assertThatThrownBy(revealed::clear).isInstanceOf(UnsupportedOperationException.class);
    assertThatThrownBy(() -> revealed.keySet().remove("key"))
        .isInstanceOf(UnsupportedOperationException.class);
    assertThatThrownBy(() -> revealed.values().remove("value"))
        .isInstanceOf(UnsupportedOperationException.class);
    assertThatThrownBy(() -> revealed.entrySet().iterator().next().setValue("x"))
        .isInstanceOf(UnsupportedOperationException.class);
    assertThat(revealed).containsExactly(Map.entry("key", "value"));
  }
}
