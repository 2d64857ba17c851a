package io.csi4j.client.internal.mapping;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import io.csi4j.client.internal.proto.CapacityRange;
import io.csi4j.client.internal.proto.ControllerExpandVolumeRequest;
import io.csi4j.client.internal.proto.ControllerExpandVolumeResponse;
import io.csi4j.client.internal.proto.ControllerGetCapabilitiesRequest;
import io.csi4j.client.internal.proto.ControllerGetCapabilitiesResponse;
import io.csi4j.client.internal.proto.ControllerGetVolumeHealthRequest;
import io.csi4j.client.internal.proto.ControllerGetVolumeHealthResponse;
import io.csi4j.client.internal.proto.ControllerGetVolumeRequest;
import io.csi4j.client.internal.proto.ControllerGetVolumeResponse;
import io.csi4j.client.internal.proto.ControllerListVolumeHealthRequest;
import io.csi4j.client.internal.proto.ControllerListVolumeHealthResponse;
import io.csi4j.client.internal.proto.ControllerPublishVolumeRequest;
import io.csi4j.client.internal.proto.ControllerPublishVolumeResponse;
import io.csi4j.client.internal.proto.CreateSnapshotRequest;
import io.csi4j.client.internal.proto.CreateSnapshotResponse;
import io.csi4j.client.internal.proto.CreateVolumeGroupSnapshotRequest;
import io.csi4j.client.internal.proto.CreateVolumeGroupSnapshotResponse;
import io.csi4j.client.internal.proto.CreateVolumeRequest;
import io.csi4j.client.internal.proto.CreateVolumeResponse;
import io.csi4j.client.internal.proto.GetCapacityRequest;
import io.csi4j.client.internal.proto.GetCapacityResponse;
import io.csi4j.client.internal.proto.GetMetadataAllocatedRequest;
import io.csi4j.client.internal.proto.GetMetadataAllocatedResponse;
import io.csi4j.client.internal.proto.GetMetadataDeltaRequest;
import io.csi4j.client.internal.proto.GetMetadataDeltaResponse;
import io.csi4j.client.internal.proto.GetPluginCapabilitiesRequest;
import io.csi4j.client.internal.proto.GetPluginCapabilitiesResponse;
import io.csi4j.client.internal.proto.GetPluginInfoRequest;
import io.csi4j.client.internal.proto.GetPluginInfoResponse;
import io.csi4j.client.internal.proto.GetSnapshotRequest;
import io.csi4j.client.internal.proto.GetSnapshotResponse;
import io.csi4j.client.internal.proto.GetVolumeGroupSnapshotRequest;
import io.csi4j.client.internal.proto.GetVolumeGroupSnapshotResponse;
import io.csi4j.client.internal.proto.GroupControllerGetCapabilitiesRequest;
import io.csi4j.client.internal.proto.GroupControllerGetCapabilitiesResponse;
import io.csi4j.client.internal.proto.ListSnapshotsRequest;
import io.csi4j.client.internal.proto.ListSnapshotsResponse;
import io.csi4j.client.internal.proto.ListVolumesRequest;
import io.csi4j.client.internal.proto.ListVolumesResponse;
import io.csi4j.client.internal.proto.NodeExpandVolumeRequest;
import io.csi4j.client.internal.proto.NodeExpandVolumeResponse;
import io.csi4j.client.internal.proto.NodeGetCapabilitiesRequest;
import io.csi4j.client.internal.proto.NodeGetCapabilitiesResponse;
import io.csi4j.client.internal.proto.NodeGetInfoRequest;
import io.csi4j.client.internal.proto.NodeGetInfoResponse;
import io.csi4j.client.internal.proto.NodeGetStorageHealthRequest;
import io.csi4j.client.internal.proto.NodeGetStorageHealthResponse;
import io.csi4j.client.internal.proto.NodeGetVolumeHealthRequest;
import io.csi4j.client.internal.proto.NodeGetVolumeHealthResponse;
import io.csi4j.client.internal.proto.NodeGetVolumeStatsRequest;
import io.csi4j.client.internal.proto.NodeGetVolumeStatsResponse;
import io.csi4j.client.internal.proto.ProbeRequest;
import io.csi4j.client.internal.proto.ProbeResponse;
import io.csi4j.client.internal.proto.Topology;
import io.csi4j.client.internal.proto.TopologyRequirement;
import io.csi4j.client.internal.proto.ValidateVolumeCapabilitiesRequest;
import io.csi4j.client.internal.proto.ValidateVolumeCapabilitiesResponse;
import io.csi4j.client.internal.proto.VolumeCapability;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.Violation;
import io.csi4j.client.scripted.Wire;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Whatever a plugin puts into its answer, the mapping ends in a result or in violations. */
class HostileAnswersTest {

  private static final int SOME = 200;
  private static final int MANY = 1500;

  /** These answer with nothing, so there is nothing to map. */
  private static final Set<CsiOperation> EMPTY_ANSWERS =
      Set.of(
          CsiOperation.DELETE_VOLUME,
          CsiOperation.CONTROLLER_UNPUBLISH_VOLUME,
          CsiOperation.CONTROLLER_MODIFY_VOLUME,
          CsiOperation.DELETE_SNAPSHOT,
          CsiOperation.DELETE_VOLUME_GROUP_SNAPSHOT,
          CsiOperation.NODE_STAGE_VOLUME,
          CsiOperation.NODE_UNSTAGE_VOLUME,
          CsiOperation.NODE_PUBLISH_VOLUME,
          CsiOperation.NODE_UNPUBLISH_VOLUME);

  interface Mapping {
    Object map(Message request, Message response, AnswerFindings findings);
  }

  interface Typed<Q extends Message, P extends Message> {
    Object map(Q request, P response, AnswerFindings findings);
  }

  private static <Q extends Message, P extends Message> Mapping typed(
      Class<Q> request, Class<P> response, Typed<Q, P> mapping) {
    return (q, p, findings) -> mapping.map(request.cast(q), response.cast(p), findings);
  }

  static Map<CsiOperation, Mapping> mappings() {
    Map<CsiOperation, Mapping> all = new EnumMap<>(CsiOperation.class);
    all.put(
        CsiOperation.GET_PLUGIN_INFO,
        typed(
            GetPluginInfoRequest.class,
            GetPluginInfoResponse.class,
            IdentityAnswerMapping::getPluginInfo));
    all.put(
        CsiOperation.GET_PLUGIN_CAPABILITIES,
        typed(
            GetPluginCapabilitiesRequest.class,
            GetPluginCapabilitiesResponse.class,
            IdentityAnswerMapping::getPluginCapabilities));
    all.put(
        CsiOperation.PROBE,
        typed(ProbeRequest.class, ProbeResponse.class, IdentityAnswerMapping::probe));
    all.put(
        CsiOperation.CREATE_VOLUME,
        typed(
            CreateVolumeRequest.class,
            CreateVolumeResponse.class,
            ControllerAnswerMapping::createVolume));
    all.put(
        CsiOperation.CONTROLLER_PUBLISH_VOLUME,
        typed(
            ControllerPublishVolumeRequest.class,
            ControllerPublishVolumeResponse.class,
            ControllerAnswerMapping::controllerPublishVolume));
    all.put(
        CsiOperation.LIST_VOLUMES,
        typed(
            ListVolumesRequest.class,
            ListVolumesResponse.class,
            ControllerAnswerMapping::listVolumes));
    all.put(
        CsiOperation.CONTROLLER_GET_VOLUME,
        typed(
            ControllerGetVolumeRequest.class,
            ControllerGetVolumeResponse.class,
            ControllerAnswerMapping::controllerGetVolume));
    all.put(
        CsiOperation.CONTROLLER_LIST_VOLUME_HEALTH,
        typed(
            ControllerListVolumeHealthRequest.class,
            ControllerListVolumeHealthResponse.class,
            ControllerAnswerMapping::controllerListVolumeHealth));
    all.put(
        CsiOperation.CONTROLLER_GET_VOLUME_HEALTH,
        typed(
            ControllerGetVolumeHealthRequest.class,
            ControllerGetVolumeHealthResponse.class,
            HealthMapping::controllerGetVolumeHealth));
    all.put(
        CsiOperation.NODE_GET_VOLUME_HEALTH,
        typed(
            NodeGetVolumeHealthRequest.class,
            NodeGetVolumeHealthResponse.class,
            HealthMapping::nodeGetVolumeHealth));
    all.put(
        CsiOperation.NODE_GET_STORAGE_HEALTH,
        typed(
            NodeGetStorageHealthRequest.class,
            NodeGetStorageHealthResponse.class,
            HealthMapping::nodeGetStorageHealth));
    all.put(
        CsiOperation.GET_CAPACITY,
        typed(
            GetCapacityRequest.class,
            GetCapacityResponse.class,
            ControllerAnswerMapping::getCapacity));
    all.put(
        CsiOperation.CONTROLLER_GET_CAPABILITIES,
        typed(
            ControllerGetCapabilitiesRequest.class,
            ControllerGetCapabilitiesResponse.class,
            ControllerAnswerMapping::controllerGetCapabilities));
    all.put(
        CsiOperation.CREATE_SNAPSHOT,
        typed(
            CreateSnapshotRequest.class,
            CreateSnapshotResponse.class,
            ControllerAnswerMapping::createSnapshot));
    all.put(
        CsiOperation.GET_SNAPSHOT,
        typed(
            GetSnapshotRequest.class,
            GetSnapshotResponse.class,
            ControllerAnswerMapping::getSnapshot));
    all.put(
        CsiOperation.LIST_SNAPSHOTS,
        typed(
            ListSnapshotsRequest.class,
            ListSnapshotsResponse.class,
            ControllerAnswerMapping::listSnapshots));
    all.put(
        CsiOperation.CONTROLLER_EXPAND_VOLUME,
        typed(
            ControllerExpandVolumeRequest.class,
            ControllerExpandVolumeResponse.class,
            ControllerAnswerMapping::controllerExpandVolume));
    all.put(
        CsiOperation.VALIDATE_VOLUME_CAPABILITIES,
        typed(
            ValidateVolumeCapabilitiesRequest.class,
            ValidateVolumeCapabilitiesResponse.class,
            CapabilityComparison::compare));
    all.put(
        CsiOperation.GROUP_CONTROLLER_GET_CAPABILITIES,
        typed(
            GroupControllerGetCapabilitiesRequest.class,
            GroupControllerGetCapabilitiesResponse.class,
            GroupAnswerMapping::groupControllerGetCapabilities));
    all.put(
        CsiOperation.CREATE_VOLUME_GROUP_SNAPSHOT,
        typed(
            CreateVolumeGroupSnapshotRequest.class,
            CreateVolumeGroupSnapshotResponse.class,
            GroupAnswerMapping::createVolumeGroupSnapshot));
    all.put(
        CsiOperation.GET_VOLUME_GROUP_SNAPSHOT,
        typed(
            GetVolumeGroupSnapshotRequest.class,
            GetVolumeGroupSnapshotResponse.class,
            GroupAnswerMapping::getVolumeGroupSnapshot));
    all.put(
        CsiOperation.NODE_GET_CAPABILITIES,
        typed(
            NodeGetCapabilitiesRequest.class,
            NodeGetCapabilitiesResponse.class,
            NodeAnswerMapping::nodeGetCapabilities));
    all.put(
        CsiOperation.NODE_GET_INFO,
        typed(NodeGetInfoRequest.class, NodeGetInfoResponse.class, NodeAnswerMapping::nodeGetInfo));
    all.put(
        CsiOperation.NODE_GET_VOLUME_STATS,
        typed(
            NodeGetVolumeStatsRequest.class,
            NodeGetVolumeStatsResponse.class,
            NodeAnswerMapping::nodeGetVolumeStats));
    all.put(
        CsiOperation.NODE_EXPAND_VOLUME,
        typed(
            NodeExpandVolumeRequest.class,
            NodeExpandVolumeResponse.class,
            NodeAnswerMapping::nodeExpandVolume));
    all.put(
        CsiOperation.GET_METADATA_ALLOCATED,
        typed(
            GetMetadataAllocatedRequest.class,
            GetMetadataAllocatedResponse.class,
            (request, response, findings) -> new MetadataCheck(3).next(response, findings)));
    all.put(
        CsiOperation.GET_METADATA_DELTA,
        typed(
            GetMetadataDeltaRequest.class,
            GetMetadataDeltaResponse.class,
            (request, response, findings) -> new MetadataCheck(3).next(response, findings)));
    return all;
  }

  static Stream<CsiOperation> operations() {
    return Stream.of(CsiOperation.values()).filter(operation -> !EMPTY_ANSWERS.contains(operation));
  }

  @Test
  void everyOperationThatAnswersWithSomethingIsTried() {
    assertThat(mappings()).containsOnlyKeys(operations().toList());
  }

  @ParameterizedTest
  @MethodSource("operations")
  void someAnswersEndInAResultOrInViolations(CsiOperation operation) {
    assertAllEndInAResultOrInViolations(operation, SOME);
  }

  @Tag("campaign")
  @ParameterizedTest
  @MethodSource("operations")
  void manyAnswersEndInAResultOrInViolations(CsiOperation operation) {
    assertAllEndInAResultOrInViolations(operation, MANY);
  }

  private static void assertAllEndInAResultOrInViolations(CsiOperation operation, int runs) {
    Mapping mapping = Objects.requireNonNull(mappings().get(operation), operation::toString);
    Random random = new Random(operation.fullName().hashCode());
    boolean usable = false;
    for (int run = 0; run < runs; run++) {
      Message request = request(operation);
      Message response = random(Wire.response(operation), random, 0);
      var answer = MappedAnswer.of(findings -> mapping.map(request, response, findings));
      usable |= answer.value().isPresent();
      answer.value().ifPresent(value -> assertOneLine(value.toString()));
      assertThat(answer.findings().violations()).hasSizeLessThanOrEqualTo(AnswerFindings.LIMIT);
      assertThat(answer.findings().warnings()).hasSizeLessThanOrEqualTo(AnswerFindings.LIMIT);
      Stream.concat(answer.findings().violations().stream(), answer.findings().warnings().stream())
          .map(Violation::toString)
          .forEach(HostileAnswersTest::assertOneLine);
    }
    assertThat(usable).as("some answer of " + operation + " was usable").isTrue();
  }

  private static void assertOneLine(String text) {
    assertThat(text.chars().noneMatch(Character::isISOControl)).as(text).isTrue();
  }

  /** A request that states what an answer is compared with. */
  static Message request(CsiOperation operation) {
    Message.Builder request = Wire.request(operation).newBuilderForType();
    for (FieldDescriptor field : request.getDescriptorForType().getFields()) {
      boolean text = field.getJavaType() == FieldDescriptor.JavaType.STRING;
      if (field.getName().equals("capacity_range")) {
        request.setField(
            field, CapacityRange.newBuilder().setRequiredBytes(1).setLimitBytes(9).build());
      } else if (text && field.isRepeated()) {
        request.setField(field, List.of("id", "a"));
      } else if (text) {
        request.setField(field, "id");
      } else if (field.getName().equals("volume_capabilities")) {
        request.addRepeatedField(
            field,
            VolumeCapability.newBuilder()
                .setMount(VolumeCapability.MountVolume.newBuilder().addMountFlags("id"))
                .build());
      } else if (field.getName().equals("accessibility_requirements")) {
        request.setField(
            field,
            TopologyRequirement.newBuilder()
                .addRequisite(Topology.newBuilder().putSegments("id", "id"))
                .build());
      }
    }
    return request.build();
  }

  private static Message random(Message prototype, Random random, int depth) {
    Message.Builder out = prototype.newBuilderForType();
    for (FieldDescriptor field : out.getDescriptorForType().getFields()) {
      if (field.isMapField() || field.isRepeated()) {
        int count = random.nextInt(40) == 0 ? 200 : random.nextInt(3);
        for (int i = 0; i < count; i++) {
          out.addRepeatedField(field, value(out, field, random, depth));
        }
      } else if (random.nextInt(5) > 0) {
        out.setField(field, value(out, field, random, depth));
      }
    }
    return out.build();
  }

  private static Object value(
      Message.Builder owner, FieldDescriptor field, Random random, int depth) {
    return switch (field.getJavaType()) {
      case MESSAGE -> random(owner.newBuilderForField(field).build(), random, depth + 1);
      case STRING -> text(random, depth);
      case LONG -> number(random);
      case INT -> (int) number(random);
      case BOOLEAN -> random.nextBoolean();
      case ENUM -> field.getEnumType().findValueByNumberCreatingIfUnknown(random.nextInt(20) - 2);
      default -> throw new AssertionError(field);
    };
  }

  private static long number(Random random) {
    return switch (random.nextInt(10)) {
      case 0 -> Long.MIN_VALUE;
      case 1 -> Long.MAX_VALUE;
      case 2 -> random.nextLong();
      case 3 -> -1;
      case 4 -> 0;
      default -> random.nextInt(10);
    };
  }

  private static String text(Random random, int depth) {
    return switch (random.nextInt(16)) {
      case 0 -> "";
      case 1 -> "\0";
      case 2 -> "\u001b[2J\n\u2028\u202e";
      case 3 -> "é".repeat(70);
      case 4 -> "x".repeat(random.nextInt(depth > 2 ? 300 : 100_000));
      case 5 -> new StringBuilder().appendCodePoint(random.nextInt(0xD800)).toString();
      case 6 -> "a";
      default -> "id";
    };
  }
}
