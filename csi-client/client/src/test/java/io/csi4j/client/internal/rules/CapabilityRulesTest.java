package io.csi4j.client.internal.rules;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Message;
import io.csi4j.client.controller.ControllerCapability;
import io.csi4j.client.group.GroupControllerCapability;
import io.csi4j.client.identity.PluginCapability;
import io.csi4j.client.internal.proto.ControllerExpandVolumeRequest;
import io.csi4j.client.internal.proto.ControllerPublishVolumeRequest;
import io.csi4j.client.internal.proto.CreateSnapshotRequest;
import io.csi4j.client.internal.proto.CreateVolumeRequest;
import io.csi4j.client.internal.proto.GetCapacityRequest;
import io.csi4j.client.internal.proto.NodeExpandVolumeRequest;
import io.csi4j.client.internal.proto.NodeGetVolumeHealthRequest;
import io.csi4j.client.internal.proto.NodePublishVolumeRequest;
import io.csi4j.client.internal.proto.NodeStageVolumeRequest;
import io.csi4j.client.internal.proto.Topology;
import io.csi4j.client.internal.proto.TopologyRequirement;
import io.csi4j.client.internal.proto.ValidateVolumeCapabilitiesRequest;
import io.csi4j.client.internal.proto.VolumeCapability;
import io.csi4j.client.internal.proto.VolumeCapability.AccessMode;
import io.csi4j.client.internal.proto.VolumeCapability.AccessMode.Mode;
import io.csi4j.client.internal.proto.VolumeCapability.MountVolume;
import io.csi4j.client.internal.proto.VolumeContentSource;
import io.csi4j.client.internal.proto.VolumeContentSource.SnapshotSource;
import io.csi4j.client.internal.proto.VolumeContentSource.VolumeSource;
import io.csi4j.client.internal.rules.CapabilityRules.Need;
import io.csi4j.client.internal.rules.CapabilityRules.Source;
import io.csi4j.client.model.CapabilitySet;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.Violation;
import io.csi4j.client.node.NodeCapability;
import io.csi4j.client.scripted.RandomMessages;
import io.csi4j.client.scripted.Wire;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class CapabilityRulesTest {

  private static final Map<Source, CapabilitySet<?>> EVERYTHING =
      Map.of(
          Source.PLUGIN, set(EnumSet.allOf(PluginCapability.class)),
          Source.CONTROLLER, set(EnumSet.allOf(ControllerCapability.class)),
          Source.NODE, set(EnumSet.allOf(NodeCapability.class)),
          Source.GROUP_CONTROLLER, set(EnumSet.allOf(GroupControllerCapability.class)));

  private static <C extends Enum<C>> CapabilitySet<C> set(Set<C> capabilities) {
    return new CapabilitySet<>(capabilities, Set.of());
  }

  private static List<Need> needs(CsiOperation operation, Message.Builder request) {
    return CapabilityRules.needs(operation, request.build());
  }

  private static List<String> texts(List<Need> needs) {
    return needs.stream().map(need -> need.source() + " " + need.capability()).toList();
  }

  @ParameterizedTest
  @CsvSource({
    "GetPluginInfo,",
    "GetPluginCapabilities,",
    "Probe,",
    "CreateVolume,CREATE_DELETE_VOLUME",
    "DeleteVolume,",
    "ControllerPublishVolume,PUBLISH_UNPUBLISH_VOLUME",
    "ControllerUnpublishVolume,",
    "ValidateVolumeCapabilities,",
    "ListVolumes,LIST_VOLUMES",
    "ControllerListVolumeHealth,LIST_VOLUME_HEALTH",
    "ControllerGetVolumeHealth,GET_VOLUME_HEALTH or LIST_VOLUME_HEALTH",
    "GetCapacity,GET_CAPACITY",
    "ControllerGetCapabilities,",
    "CreateSnapshot,CREATE_DELETE_SNAPSHOT",
    "DeleteSnapshot,",
    "ListSnapshots,LIST_SNAPSHOTS",
    "GetSnapshot,GET_SNAPSHOT",
    "ControllerExpandVolume,EXPAND_VOLUME",
    "ControllerGetVolume,GET_VOLUME",
    "ControllerModifyVolume,MODIFY_VOLUME",
    "GroupControllerGetCapabilities,",
    "CreateVolumeGroupSnapshot,CREATE_DELETE_GET_VOLUME_GROUP_SNAPSHOT",
    "DeleteVolumeGroupSnapshot,",
    "GetVolumeGroupSnapshot,CREATE_DELETE_GET_VOLUME_GROUP_SNAPSHOT",
    "GetMetadataAllocated,",
    "GetMetadataDelta,",
    "NodeStageVolume,STAGE_UNSTAGE_VOLUME",
    "NodeUnstageVolume,",
    "NodePublishVolume,",
    "NodeUnpublishVolume,",
    "NodeGetVolumeStats,GET_VOLUME_STATS or VOLUME_CONDITION",
    "NodeGetVolumeHealth,GET_VOLUME_HEALTH",
    "NodeGetStorageHealth,GET_STORAGE_HEALTH",
    "NodeExpandVolume,EXPAND_VOLUME",
    "NodeGetCapabilities,",
    "NodeGetInfo,",
  })
  void everyCallNeedsItsServiceAndItsCapability(String rpc, String capability) {
    CsiOperation operation = CsiOperation.ofRpcName(rpc).orElseThrow();
    boolean givesBack = rpc.startsWith("Delete") || rpc.contains("Unpublish");
    String service =
        givesBack
            ? null
            : switch (operation.service()) {
              case CONTROLLER -> "PLUGIN CONTROLLER_SERVICE";
              case GROUP_CONTROLLER -> "PLUGIN GROUP_CONTROLLER_SERVICE";
              case SNAPSHOT_METADATA -> "PLUGIN SNAPSHOT_METADATA_SERVICE";
              case IDENTITY, NODE -> null;
            };
    List<String> expected = new ArrayList<>();
    if (service != null) {
      expected.add(service);
    }
    if (capability != null) {
      expected.add(operation.service() + " " + capability);
    }

    assertThat(texts(CapabilityRules.needs(operation, Wire.request(operation))))
        .isEqualTo(expected);
  }

  @Test
  void createVolumeNeedsWhatItsFieldsNeed() {
    CreateVolumeRequest.Builder create =
        CreateVolumeRequest.newBuilder()
            .setVolumeContentSource(
                VolumeContentSource.newBuilder().setSnapshot(SnapshotSource.newBuilder()))
            .setAccessibilityRequirements(TopologyRequirement.newBuilder())
            .putMutableParams("a", "b")
            .addVolumeCapabilities(VolumeCapability.getDefaultInstance())
            .addVolumeCapabilities(mode(Mode.SINGLE_NODE_MULTI_WRITER));

    List<Need> needs = needs(CsiOperation.CREATE_VOLUME, create);

    assertThat(texts(needs))
        .containsExactly(
            "PLUGIN CONTROLLER_SERVICE",
            "CONTROLLER CREATE_DELETE_VOLUME",
            "CONTROLLER CREATE_DELETE_SNAPSHOT",
            "PLUGIN VOLUME_ACCESSIBILITY_CONSTRAINTS",
            "CONTROLLER MODIFY_VOLUME",
            "CONTROLLER SINGLE_NODE_MULTI_WRITER");
    assertThat(needs)
        .extracting(Need::field)
        .containsExactly(
            Optional.empty(),
            Optional.empty(),
            Optional.of("volume_content_source.snapshot"),
            Optional.of("accessibility_requirements"),
            Optional.of("mutable_parameters"),
            Optional.of("volume_capabilities[1].access_mode.mode"));
    assertThat(needs.get(2).missing())
        .isEqualTo(
            "CreateVolume with a snapshot as source needs the controller capability"
                + " CREATE_DELETE_SNAPSHOT, which the plugin does not offer");
    assertThat(needs.get(5).missing())
        .isEqualTo(
            "CreateVolume with the access mode SINGLE_NODE_MULTI_WRITER needs the controller"
                + " capability SINGLE_NODE_MULTI_WRITER, which the plugin does not offer");
    assertThat(needs.get(5).advice()).isEqualTo("Use AccessMode.withoutSingleNodeMultiWriter().");
  }

  @Test
  void clonesNeedCloneVolume() {
    assertThat(
            texts(
                needs(
                    CsiOperation.CREATE_VOLUME,
                    CreateVolumeRequest.newBuilder()
                        .setVolumeContentSource(
                            VolumeContentSource.newBuilder()
                                .setVolume(VolumeSource.newBuilder())))))
        .endsWith("CONTROLLER CLONE_VOLUME")
        .hasSize(3);
  }

  @Test
  void mutableParametersNeedModifyVolumeInValidationToo() {
    assertThat(
            texts(
                needs(
                    CsiOperation.VALIDATE_VOLUME_CAPABILITIES,
                    ValidateVolumeCapabilitiesRequest.newBuilder().putMutableParams("a", "b"))))
        .containsExactly("PLUGIN CONTROLLER_SERVICE", "CONTROLLER MODIFY_VOLUME");
  }

  @Test
  void readonlyNeedsACapabilityOfTheControllerOnly() {
    assertThat(
            texts(
                needs(
                    CsiOperation.CONTROLLER_PUBLISH_VOLUME,
                    ControllerPublishVolumeRequest.newBuilder().setReadonly(true))))
        .containsExactly(
            "PLUGIN CONTROLLER_SERVICE",
            "CONTROLLER PUBLISH_UNPUBLISH_VOLUME",
            "CONTROLLER PUBLISH_READONLY");
    assertThat(
            needs(
                CsiOperation.NODE_PUBLISH_VOLUME,
                NodePublishVolumeRequest.newBuilder().setReadonly(true)))
        .isEmpty();
  }

  @Test
  void topologyOfACapacityNeedsAccessibilityConstraints() {
    assertThat(
            texts(
                needs(
                    CsiOperation.GET_CAPACITY,
                    GetCapacityRequest.newBuilder()
                        .setAccessibleTopology(Topology.getDefaultInstance()))))
        .endsWith("PLUGIN VOLUME_ACCESSIBILITY_CONSTRAINTS");
  }

  @Test
  void thePlaceOfASnapshotNeedsItsOwnCapability() {
    Need need =
        last(
            CsiOperation.CREATE_SNAPSHOT,
            CreateSnapshotRequest.newBuilder()
                .setAccessibilityRequirements(TopologyRequirement.getDefaultInstance()));
    assertThat(need.field()).contains("accessibility_requirements");
    assertThat(need.missing())
        .isEqualTo(
            "CreateSnapshot with accessibility_requirements needs the plugin capability"
                + " SNAPSHOT_ACCESSIBILITY_CONSTRAINTS, which the plugin does not offer");
  }

  @Test
  void theHealthOfAVolumeTakesAStagingPathOnlyFromPluginsThatStage() {
    NodeGetVolumeHealthRequest.Builder health =
        NodeGetVolumeHealthRequest.newBuilder().setVolumePublishPath("/p");
    assertThat(texts(needs(CsiOperation.NODE_GET_VOLUME_HEALTH, health)))
        .containsExactly("NODE GET_VOLUME_HEALTH");
    assertThat(texts(needs(CsiOperation.NODE_GET_VOLUME_HEALTH, health.setStagingTargetPath("/s"))))
        .containsExactly("NODE GET_VOLUME_HEALTH", "NODE STAGE_UNSTAGE_VOLUME");
  }

  @ParameterizedTest
  @EnumSource(
      value = ControllerCapability.class,
      names = {"GET_VOLUME_HEALTH", "LIST_VOLUME_HEALTH"})
  void aPluginThatListsTheHealthOfVolumesAlsoReadsThatOfOne(ControllerCapability capability) {
    CsiOperation operation = CsiOperation.CONTROLLER_GET_VOLUME_HEALTH;
    List<Need> needs = CapabilityRules.needs(operation, Wire.request(operation));
    assertThat(
            CapabilityRules.firstMissing(
                needs,
                Map.of(
                    Source.PLUGIN,
                    set(Set.of(PluginCapability.CONTROLLER_SERVICE)),
                    Source.CONTROLLER,
                    set(Set.of(capability)))))
        .isEmpty();
  }

  @Test
  void singleNodeModesNeedTheCapabilityOfTheServiceThatIsCalled() {
    for (Mode mode : List.of(Mode.SINGLE_NODE_SINGLE_WRITER, Mode.SINGLE_NODE_MULTI_WRITER)) {
      assertThat(
              texts(
                  needs(
                      CsiOperation.CONTROLLER_EXPAND_VOLUME,
                      ControllerExpandVolumeRequest.newBuilder().setVolumeCapability(mode(mode)))))
          .endsWith("CONTROLLER SINGLE_NODE_MULTI_WRITER");
      assertThat(
              texts(
                  needs(
                      CsiOperation.NODE_PUBLISH_VOLUME,
                      NodePublishVolumeRequest.newBuilder().setVolumeCapability(mode(mode)))))
          .containsExactly("NODE SINGLE_NODE_MULTI_WRITER");
    }
    for (Mode mode : Mode.values()) {
      if (mode != Mode.SINGLE_NODE_SINGLE_WRITER
          && mode != Mode.SINGLE_NODE_MULTI_WRITER
          && mode != Mode.UNRECOGNIZED) {
        assertThat(
                needs(
                    CsiOperation.NODE_PUBLISH_VOLUME,
                    NodePublishVolumeRequest.newBuilder().setVolumeCapability(mode(mode))))
            .isEmpty();
      }
    }
  }

  private static VolumeCapability mode(Mode mode) {
    return VolumeCapability.newBuilder()
        .setAccessMode(AccessMode.newBuilder().setMode(mode))
        .build();
  }

  @Test
  void mountGroupsNeedACapabilityInNodeCallsOnly() {
    VolumeCapability group =
        VolumeCapability.newBuilder()
            .setMount(MountVolume.newBuilder().setVolumeMountGroup("1000"))
            .build();
    for (Need need :
        List.of(
            last(
                CsiOperation.NODE_STAGE_VOLUME,
                NodeStageVolumeRequest.newBuilder().setVolumeCapability(group)),
            last(
                CsiOperation.NODE_PUBLISH_VOLUME,
                NodePublishVolumeRequest.newBuilder().setVolumeCapability(group)),
            last(
                CsiOperation.NODE_EXPAND_VOLUME,
                NodeExpandVolumeRequest.newBuilder().setVolumeCapability(group)))) {
      assertThat(need.anyOf()).isEqualTo(List.of(NodeCapability.VOLUME_MOUNT_GROUP));
      assertThat(need.field()).contains("volume_capability.mount.volume_mount_group");
    }
    assertThat(
            needs(
                CsiOperation.CONTROLLER_PUBLISH_VOLUME,
                ControllerPublishVolumeRequest.newBuilder().setVolumeCapability(group)))
        .hasSize(2);
  }

  private static Need last(CsiOperation operation, Message.Builder request) {
    List<Need> needs = needs(operation, request);
    return needs.get(needs.size() - 1);
  }

  @Test
  void theFirstMissingNeedIsTheMostGeneral() {
    List<Need> needs =
        needs(
            CsiOperation.CREATE_VOLUME,
            CreateVolumeRequest.newBuilder().putMutableParams("a", "b"));
    CapabilitySet<ControllerCapability> create =
        set(Set.of(ControllerCapability.CREATE_DELETE_VOLUME));
    CapabilitySet<PluginCapability> service = set(Set.of(PluginCapability.CONTROLLER_SERVICE));

    assertThat(CapabilityRules.firstMissing(needs, Map.of())).contains(needs.get(0));
    assertThat(CapabilityRules.firstMissing(needs, Map.of(Source.CONTROLLER, create)))
        .contains(needs.get(0));
    assertThat(CapabilityRules.firstMissing(needs, Map.of(Source.PLUGIN, service)))
        .contains(needs.get(1));
    assertThat(
            CapabilityRules.firstMissing(
                needs, Map.of(Source.PLUGIN, service, Source.CONTROLLER, create)))
        .contains(needs.get(2));
    assertThat(CapabilityRules.firstMissing(needs, EVERYTHING)).isEmpty();
    assertThat(needs.get(0).missing())
        .isEqualTo(
            "CreateVolume needs the plugin capability CONTROLLER_SERVICE, which the plugin does"
                + " not offer");
  }

  @Test
  void capabilitiesOfOneServiceDoNotStandInForAnother() {
    List<Need> needs = needs(CsiOperation.NODE_EXPAND_VOLUME, NodeExpandVolumeRequest.newBuilder());
    assertThat(
            CapabilityRules.firstMissing(
                needs, Map.of(Source.CONTROLLER, set(Set.of(ControllerCapability.EXPAND_VOLUME)))))
        .contains(needs.get(0));
  }

  @ParameterizedTest
  @EnumSource(
      value = NodeCapability.class,
      names = {"GET_VOLUME_STATS", "VOLUME_CONDITION"})
  void eitherAlternativeSuffices(NodeCapability capability) {
    CsiOperation operation = CsiOperation.NODE_GET_VOLUME_STATS;
    List<Need> needs = CapabilityRules.needs(operation, Wire.request(operation));
    assertThat(CapabilityRules.firstMissing(needs, Map.of(Source.NODE, set(Set.of(capability)))))
        .isEmpty();
    assertThat(needs.get(0).missing())
        .isEqualTo(
            "NodeGetVolumeStats needs the node capability GET_VOLUME_STATS or VOLUME_CONDITION,"
                + " which the plugin does not offer");
  }

  @Test
  void pluginsThatStageNeedTheStagingPathAtPublish() {
    CsiOperation publish = CsiOperation.NODE_PUBLISH_VOLUME;
    Message without = Wire.request(publish);
    Message with = NodePublishVolumeRequest.newBuilder().setStagingTargetPath("/s").build();

    assertThat(CapabilityRules.conditional(publish, without, EVERYTHING))
        .containsExactly(
            new Violation(
                "staging_target_path",
                Violation.Rule.REQUIRED,
                "is empty, and the plugin offers STAGE_UNSTAGE_VOLUME"));
    assertThat(CapabilityRules.conditional(publish, with, EVERYTHING)).isEmpty();
    assertThat(CapabilityRules.conditional(publish, without, Map.of())).isEmpty();
    String ephemeral = "csi.storage.k8s.io/ephemeral";
    assertThat(CapabilityRules.conditional(publish, context(ephemeral, "true"), EVERYTHING))
        .as("an inline volume is not staged")
        .isEmpty();
    assertThat(CapabilityRules.conditional(publish, context(ephemeral, "false"), EVERYTHING))
        .hasSize(1);
    assertThat(
            CapabilityRules.conditional(
                publish, without, Map.of(Source.NODE, set(Set.of(NodeCapability.EXPAND_VOLUME)))))
        .isEmpty();
    CsiOperation stats = CsiOperation.NODE_GET_VOLUME_STATS;
    assertThat(CapabilityRules.conditional(stats, Wire.request(stats), EVERYTHING)).isEmpty();
  }

  private static Message context(String key, String value) {
    return NodePublishVolumeRequest.newBuilder().putVolumeContext(key, value).build();
  }

  @Test
  void aPluginThatOffersEverythingMissesNothing() {
    Random random = new Random(11);
    for (int round = 0; round < 50; round++) {
      for (CsiOperation operation : CsiOperation.values()) {
        Message request =
            RandomMessages.fill(
                Wire.request(operation),
                random,
                field -> RandomMessages.nasty(random, 0, 20, true));
        List<Need> needs = CapabilityRules.needs(operation, request);
        assertThat(CapabilityRules.firstMissing(needs, EVERYTHING)).isEmpty();
        assertThat(needs).allSatisfy(need -> assertThat(need.advice()).endsWith("."));
        if (operation.service() == CsiOperation.Service.IDENTITY) {
          assertThat(needs).isEmpty();
        }
      }
    }
  }
}
