package io.csi4j.testkit.internal.backend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import io.csi4j.client.internal.proto.CapacityRange;
import io.csi4j.client.internal.proto.CreateSnapshotRequest;
import io.csi4j.client.internal.proto.CreateVolumeGroupSnapshotRequest;
import io.csi4j.client.internal.proto.CreateVolumeRequest;
import io.csi4j.client.internal.proto.DeleteVolumeRequest;
import io.csi4j.client.internal.proto.ListVolumesRequest;
import io.csi4j.client.internal.proto.NodeStageVolumeRequest;
import io.csi4j.client.internal.proto.Topology;
import io.csi4j.client.internal.proto.VolumeCapability;
import io.csi4j.client.internal.redaction.SpecFields;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.StatusCode;
import io.csi4j.testkit.model.PluginShape;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a request has to look like, whatever it is about. */
class RequestRulesTest {

  /** The fields of {@link Lawful} that the spec does not require. */
  private static final Map<String, Set<String>> OPTIONAL =
      Map.of(
          "CreateVolumeRequest", Set.of("capacity_range"),
          "NodePublishVolumeRequest", Set.of("staging_target_path"));

  private static Refusal refusal(Message request) {
    try {
      RequestRules.check(PluginShape.full(), request);
    } catch (Refusal refusal) {
      return refusal;
    }
    throw new AssertionError("was taken: " + request);
  }

  private static void refused(Message request, String text) {
    Refusal refusal = refusal(request);
    assertThat(refusal.code()).isEqualTo(StatusCode.INVALID_ARGUMENT);
    assertThat(refusal.text()).startsWith(text);
  }

  private static CreateVolumeRequest spoilt(Consumer<CreateVolumeRequest.Builder> change) {
    CreateVolumeRequest.Builder request = Requests.newVolume("a");
    change.accept(request);
    return request.build();
  }

  @Test
  void thereIsALawfulRequestForEachCall() {
    assertThat(Lawful.requests())
        .extracting(Asking::operation)
        .containsExactlyInAnyOrder(CsiOperation.values());
    assertThat(Lawful.requests())
        .allSatisfy(
            request ->
                assertThatCode(() -> RequestRules.check(PluginShape.full(), request))
                    .doesNotThrowAnyException());
  }

  @TestFactory
  Stream<DynamicTest> everyRequiredFieldHasToBeSet() {
    List<DynamicTest> tests = new ArrayList<>();
    for (Message request : Lawful.requests()) {
      String type = request.getDescriptorForType().getName();
      for (FieldDescriptor field : request.getAllFields().keySet()) {
        String name = SpecFields.name(field);
        if (!OPTIONAL.getOrDefault(type, Set.of()).contains(name)) {
          tests.add(
              DynamicTest.dynamicTest(
                  type + "." + name,
                  () ->
                      refused(
                          request.toBuilder().clearField(field).build(), name + " is REQUIRED")));
        } else {
          tests.add(
              DynamicTest.dynamicTest(
                  type + "." + name + " is optional",
                  () ->
                      RequestRules.check(
                          PluginShape.full(), request.toBuilder().clearField(field).build())));
        }
      }
    }
    assertThat(tests).hasSizeGreaterThan(40);
    return tests.stream();
  }

  @Test
  void capabilitiesNeedAnAccessTypeAndAMode() {
    VolumeCapability good = Requests.WRITER;
    refused(
        spoilt(request -> request.setVolumeCapabilities(0, good.toBuilder().clearMount())),
        "volume_capabilities[0].access_type is REQUIRED");
    refused(
        spoilt(request -> request.setVolumeCapabilities(0, good.toBuilder().clearAccessMode())),
        "volume_capabilities[0].access_mode is REQUIRED");
    refused(
        spoilt(
            request ->
                request.getVolumeCapabilitiesBuilder(0).getAccessModeBuilder().setModeValue(0)),
        "volume_capabilities[0].access_mode.mode is UNKNOWN");
    refused(
        spoilt(
            request ->
                request.getVolumeCapabilitiesBuilder(0).getAccessModeBuilder().setModeValue(99)),
        "volume_capabilities[0].access_mode.mode is 99");
  }

  @Test
  void sizesAreNotNegativeAndNotUpsideDown() {
    refused(
        spoilt(r -> r.getCapacityRangeBuilder().setRequiredBytes(-1)),
        "capacity_range.required_bytes is -1");
    refused(
        spoilt(r -> r.getCapacityRangeBuilder().setLimitBytes(-1)),
        "capacity_range.limit_bytes is -1");
    refused(
        spoilt(r -> r.getCapacityRangeBuilder().setRequiredBytes(2).setLimitBytes(1)),
        "capacity_range has required_bytes 2 above limit_bytes 1");
    refused(
        spoilt(r -> r.setCapacityRange(CapacityRange.getDefaultInstance())),
        "capacity_range has neither");
    refused(ListVolumesRequest.newBuilder().setMaxEntries(-1).build(), "max_entries is -1");
  }

  @Test
  void stringsHave128BytesOfUtf8() throws Refusal {
    RequestRules.check(PluginShape.full(), spoilt(r -> r.setName("x".repeat(128))));
    refused(spoilt(r -> r.setName("x".repeat(129))), "name has 129 bytes");
    refused(spoilt(r -> r.setName("\u20ac".repeat(43))), "name has 129 bytes");
    refused(
        DeleteVolumeRequest.newBuilder().setVolumeId("x".repeat(129)).build(),
        "volume_id has 129 bytes");
    refused(
        spoilt(
            r -> r.getVolumeContentSourceBuilder().getVolumeBuilder().setVolumeId("x".repeat(129))),
        "volume_content_source.volume.volume_id has 129 bytes");
  }

  @Test
  void nodeIdsHave256BytesAndPathsAreLonger() throws Refusal {
    var attach = Requests.attach(Requests.created(new Asking(), "a"), Asking.ONE, Requests.WRITER);
    RequestRules.check(PluginShape.full(), attach.setNodeId("x".repeat(256)).build());
    refused(attach.setNodeId("x".repeat(257)).build(), "node_id has 257 bytes");
    NodeStageVolumeRequest.Builder stage =
        NodeStageVolumeRequest.newBuilder()
            .setVolumeId("v")
            .setVolumeCapability(Requests.WRITER)
            .setStagingTargetPath("/" + "x".repeat(4095));
    RequestRules.check(PluginShape.full(), stage.build());
    refused(
        stage.setStagingTargetPath("/" + "x".repeat(4096)).build(),
        "staging_target_path has 4097 bytes");
    refused(
        stage.setStagingTargetPath("staging").build(),
        "staging_target_path 'staging' is not absolute");
  }

  @Test
  void mapsAndMountFlagsHave4KiBInAll() throws Refusal {
    RequestRules.check(PluginShape.full(), spoilt(r -> r.putParameters("k", "x".repeat(4095))));
    refused(
        spoilt(r -> r.putParameters("k", "x".repeat(4096))), "parameters has 4097 bytes in total");
    refused(spoilt(r -> r.putSecrets("k", "x".repeat(4096))), "secrets has 4097 bytes in total");
    refused(
        spoilt(r -> r.putMutableParams("k", "x".repeat(4096))),
        "mutable_parameters has 4097 bytes in total");
    refused(
        spoilt(
            r ->
                r.getVolumeCapabilitiesBuilder(0)
                    .getMountBuilder()
                    .addMountFlags("x".repeat(4000))
                    .addMountFlags("x".repeat(97))),
        "volume_capabilities[0].mount.mount_flags has 4097 bytes in total");
  }

  @Test
  void aRefusalDoesNotShowWhatIsSecret() {
    String text = refusal(spoilt(r -> r.putSecrets("k", "hunter2".repeat(1000)))).text();
    assertThat(text).doesNotContain("hunter2");
  }

  @ParameterizedTest
  @ValueSource(chars = {1, 8, 0x0B, 0x0C, 0x0E, 0x1F, 0x7F, 0x9F})
  void namesHoldNoControlCharacters(char bad) {
    String name = "a" + bad;
    for (Message request :
        List.of(
            spoilt(r -> r.setName(name)),
            CreateSnapshotRequest.newBuilder().setName(name).setSourceVolumeId("v").build(),
            CreateVolumeGroupSnapshotRequest.newBuilder()
                .setName(name)
                .addSourceVolumeIds("v")
                .build())) {
      refused(request, "name contains the control character U+");
    }
  }

  @Test
  void namesMayHoldTabsAndLineBreaksButNoNul() throws Refusal {
    RequestRules.check(PluginShape.full(), spoilt(r -> r.setName("a\t\n\rb \u00e4\ud83d\ude80")));
    refused(spoilt(r -> r.setName("a\0")), "name contains a NUL");
  }

  @Test
  void elementsOfRequiredListsAreNotEmpty() {
    refused(
        CreateVolumeGroupSnapshotRequest.newBuilder()
            .setName("g")
            .addAllSourceVolumeIds(Arrays.asList("v", ""))
            .build(),
        "source_volume_ids[1] is REQUIRED");
  }

  @Test
  void preferredTopologyIsAmongTheRequisite() throws Refusal {
    Topology east = Topology.newBuilder().putSegments("zone", "east").build();
    Topology again = Topology.newBuilder().putSegments("ZONE", "east").build();
    Topology west = Topology.newBuilder().putSegments("zone", "west").build();
    RequestRules.check(
        PluginShape.full(),
        spoilt(
            r -> r.getAccessibilityRequirementsBuilder().addRequisite(east).addPreferred(again)));
    RequestRules.check(
        PluginShape.full(),
        spoilt(r -> r.getAccessibilityRequirementsBuilder().addPreferred(west)));
    refused(
        spoilt(r -> r.getAccessibilityRequirementsBuilder().addRequisite(east).addPreferred(west)),
        "accessibility_requirements.preferred[0] is not among");
    refused(
        spoilt(CreateVolumeRequest.Builder::getAccessibilityRequirementsBuilder),
        "accessibility_requirements has neither");
  }

  @Test
  void aContentSourceNamesSomething() {
    refused(
        spoilt(CreateVolumeRequest.Builder::getVolumeContentSourceBuilder),
        "volume_content_source.type is REQUIRED");
    refused(
        spoilt(r -> r.getVolumeContentSourceBuilder().getSnapshotBuilder()),
        "volume_content_source.snapshot.snapshot_id is REQUIRED");
  }
}
