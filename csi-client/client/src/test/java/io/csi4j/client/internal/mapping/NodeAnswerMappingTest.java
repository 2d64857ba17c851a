package io.csi4j.client.internal.mapping;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.client.internal.proto.NodeExpandVolumeRequest;
import io.csi4j.client.internal.proto.NodeExpandVolumeResponse;
import io.csi4j.client.internal.proto.NodeGetCapabilitiesRequest;
import io.csi4j.client.internal.proto.NodeGetCapabilitiesResponse;
import io.csi4j.client.internal.proto.NodeGetInfoRequest;
import io.csi4j.client.internal.proto.NodeGetInfoResponse;
import io.csi4j.client.internal.proto.NodeGetVolumeStatsRequest;
import io.csi4j.client.internal.proto.NodeGetVolumeStatsResponse;
import io.csi4j.client.model.NodeId;
import io.csi4j.client.model.Topology;
import io.csi4j.client.model.VolumeCondition;
import io.csi4j.client.node.NodeCapability;
import io.csi4j.client.node.NodeService;
import io.csi4j.client.node.NodeService.NodeInfo;
import io.csi4j.client.node.VolumeStats;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NodeAnswerMappingTest {

  @Test
  void aGoodInfoComesThroughWithoutFindings() {
    var response = NodeGetInfoResponse.newBuilder().setNodeId("n").setMaxVolumesPerNode(25);
    response.getAccessibleTopologyBuilder().putSegments("topology.ebs.csi.aws.com/zone", "us-1a");
    var answer = info(response);
    assertThat(answer.get())
        .isEqualTo(
            new NodeResults.NodeInfoValue(
                NodeId.of("n"),
                OptionalLong.of(25),
                Optional.of(Topology.of(Map.of("topology.ebs.csi.aws.com/zone", "us-1a")))));
    assertThat(answer.warnings()).isEmpty();
  }

  @Test
  void zeroVolumesAndNoTopologyMeanThatNothingIsStated() {
    var answer = info(NodeGetInfoResponse.newBuilder().setNodeId("n"));
    assertThat(answer.get().maxVolumesPerNode()).isEmpty();
    assertThat(answer.get().accessibleTopology()).isEmpty();
    assertThat(answer.warnings()).isEmpty();

    var emptyPlace = NodeGetInfoResponse.newBuilder().setNodeId("n");
    emptyPlace.getAccessibleTopologyBuilder();
    assertThat(info(emptyPlace).get().accessibleTopology()).isEmpty();
  }

  @Test
  void nodeIdsThatCannotBeUsedAreRefused() {
    assertThat(info(NodeGetInfoResponse.newBuilder()).violations())
        .containsExactly("node_id REQUIRED");
    assertThat(info("é".repeat(2049)).violations()).containsExactly("node_id TOO_LARGE");
    assertThat(info("a\0b").violations()).containsExactly("node_id NUL");
    assertThat(info("a\ud800").violations()).containsExactly("node_id NOT_UNICODE");
  }

  @Test
  void nodeIdsBeyondTheSpecsLimitAreReported() {
    assertThat(info("n".repeat(256)).warnings()).isEmpty();
    assertThat(info("n".repeat(257)).warnings()).containsExactly("node_id TOO_LARGE");
    assertThat(info("n".repeat(4096)).get().nodeId().value()).hasSize(4096);
  }

  @Test
  void aNegativeNumberOfVolumesCountsAsUnknown() {
    var answer =
        info(NodeGetInfoResponse.newBuilder().setNodeId("n").setMaxVolumesPerNode(Long.MIN_VALUE));
    assertThat(answer.get().maxVolumesPerNode()).isEmpty();
    assertThat(answer.warnings()).containsExactly("max_volumes_per_node OUT_OF_RANGE");
  }

  @ParameterizedTest
  @CsvSource({
    "zone, z1, ''",
    "a.b/Zone_1, Z-1.x_y, ''",
    "-zone, z1, CHARACTERS",
    "zone., z1, CHARACTERS",
    "a/b/c, z1, CHARACTERS",
    "/zone, z1, CHARACTERS",
    "A.b/zone, z1, CHARACTERS",
    "a..b/zone, z1, CHARACTERS",
    "a0123456789012345678901234567890123456789012345678901234567890123, z1, CHARACTERS",
    "a234567890123456789012345678901.3456789012345678901234567890123x/k, z1, CHARACTERS",
    "'', z1, CHARACTERS",
    "zone, '', CHARACTERS",
    "zone, z 1, CHARACTERS",
    "zone, z0123456789012345678901234567890123456789012345678901234567890123, CHARACTERS"
  })
  void topologyLabelsAreHeldAgainstTheSpec(String key, String value, String rule) {
    var response = NodeGetInfoResponse.newBuilder().setNodeId("n");
    response.getAccessibleTopologyBuilder().putSegments(key, value);
    var answer = info(response);
    assertThat(answer.get().accessibleTopology()).contains(Topology.of(Map.of(key, value)));
    assertThat(String.join("", answer.warnings()))
        .isEqualTo(rule.isEmpty() ? "" : "accessible_topology.segments " + rule);
  }

  @Test
  void keysThatDifferInCaseOrPrefixAreReported() {
    var cases = NodeGetInfoResponse.newBuilder().setNodeId("n");
    cases.getAccessibleTopologyBuilder().putSegments("zone", "a").putSegments("ZONE", "a");
    assertThat(info(cases).warnings()).containsExactly("accessible_topology.segments MISMATCH");

    var prefixes = NodeGetInfoResponse.newBuilder().setNodeId("n");
    prefixes.getAccessibleTopologyBuilder().putSegments("a/zone", "a").putSegments("b/rack", "a");
    assertThat(info(prefixes).warnings()).containsExactly("accessible_topology.segments MISMATCH");
  }

  @Test
  void manyLabelsAreReportedAndAbsurdlyManyRefused() {
    var response = NodeGetInfoResponse.newBuilder().setNodeId("n");
    for (int i = 0; i < 65; i++) {
      response.getAccessibleTopologyBuilder().putSegments("key" + i, "v");
    }
    assertThat(info(response).warnings()).containsExactly("accessible_topology.segments TOO_LARGE");
    for (int i = 0; i < 10_000; i++) {
      response.getAccessibleTopologyBuilder().putSegments("key" + i, "v");
    }
    assertThat(info(response).violations())
        .containsExactly("accessible_topology.segments TOO_LARGE");
  }

  @Test
  void usageIsGivenAsItIsAndWhatCannotBeTrueIsReported() {
    var response = NodeGetVolumeStatsResponse.newBuilder();
    response.addUsageBuilder().setAvailable(1).setTotal(3).setUsed(2).setUnitValue(1);
    response.addUsageBuilder().setTotal(7).setUnitValue(2);
    response.addUsageBuilder().setUsed(-1).setTotal(Long.MIN_VALUE).setUnitValue(0);
    response.addUsageBuilder().setUsed(Long.MAX_VALUE).setTotal(1).setUnitValue(9);
    var answer = stats(response);
    assertThat(answer.get().usage())
        .containsExactly(
            new VolumeStats.Usage(VolumeStats.Usage.Unit.BYTES, 1, 3, 2),
            new VolumeStats.Usage(VolumeStats.Usage.Unit.INODES, 0, 7, 0),
            new VolumeStats.Usage(VolumeStats.Usage.Unit.UNRECOGNIZED, 0, Long.MIN_VALUE, -1),
            new VolumeStats.Usage(VolumeStats.Usage.Unit.UNRECOGNIZED, 0, 1, Long.MAX_VALUE));
    assertThat(answer.get().condition()).isEmpty();
    assertThat(answer.warnings()).containsExactly("usage[2] OUT_OF_RANGE");
  }

  @Test
  void tenThousandFiguresAreCut() {
    var response = NodeGetVolumeStatsResponse.newBuilder();
    for (int i = 0; i < 10_000; i++) {
      response.addUsageBuilder().setTotal(i);
    }
    var answer = stats(response);
    assertThat(answer.get().usage()).hasSize(64);
    assertThat(answer.warnings()).containsExactly("usage TOO_LARGE");
  }

  @Test
  void theConditionIsEscaped() {
    var response = NodeGetVolumeStatsResponse.newBuilder();
    response.getVolumeConditionBuilder().setAbnormal(true).setMessage("bad\u001b[2J\n");
    assertThat(stats(response).get().condition())
        .contains(new VolumeCondition(true, "bad\u001b[2J\n"))
        .get()
        .extracting(VolumeCondition::message)
        .isEqualTo("bad\\u001b[2J\\n");
  }

  @ParameterizedTest
  @CsvSource({
    "0, ''",
    "10, ''",
    "20, ''",
    "9, OUT_OF_RANGE",
    "21, OUT_OF_RANGE",
    "-1, OUT_OF_RANGE",
    "-9223372036854775808, OUT_OF_RANGE",
    "9223372036854775807, OUT_OF_RANGE"
  })
  void theGrownSizeHasToBeWhatWasAskedFor(long bytes, String rule) {
    var request = NodeExpandVolumeRequest.newBuilder();
    request.getCapacityRangeBuilder().setRequiredBytes(10).setLimitBytes(20);
    MappedAnswer<NodeService.ExpandVolumeResult> answer =
        MappedAnswer.of(
            findings ->
                NodeAnswerMapping.nodeExpandVolume(
                    request.build(),
                    NodeExpandVolumeResponse.newBuilder().setCapacityBytes(bytes).build(),
                    findings));
    assertThat(String.join("", answer.violations()))
        .isEqualTo(rule.isEmpty() ? "" : "capacity_bytes " + rule);
    if (rule.isEmpty()) {
      assertThat(answer.get().capacityBytes()).isEqualTo(ValueMapping.unlessZero(bytes));
    }
  }

  @Test
  void withoutARangeAnySizeWillDo() {
    assertThat(
            NodeAnswerMapping.nodeExpandVolume(
                    NodeExpandVolumeRequest.getDefaultInstance(),
                    NodeExpandVolumeResponse.newBuilder().setCapacityBytes(5).build(),
                    new AnswerFindings())
                .capacityBytes())
        .hasValue(5);
  }

  @Test
  void everyNodeCapabilityIsKnownAndOthersAreNoted() {
    var response = NodeGetCapabilitiesResponse.newBuilder();
    for (int number = 0; number <= NodeCapability.values().length; number++) {
      response.addCapabilitiesBuilder().getRpcBuilder().setTypeValue(number);
    }
    response.addCapabilitiesBuilder().getRpcBuilder().setTypeValue(99);
    response.addCapabilitiesBuilder();
    var answer =
        NodeAnswerMapping.nodeGetCapabilities(
            NodeGetCapabilitiesRequest.getDefaultInstance(),
            response.build(),
            new AnswerFindings());
    assertThat(answer.offered()).containsExactlyInAnyOrder(NodeCapability.values());
    assertThat(answer.unrecognized()).containsExactlyInAnyOrder("rpc 0", "rpc 99", "empty");
  }

  private static MappedAnswer<NodeInfo> info(String nodeId) {
    return info(NodeGetInfoResponse.newBuilder().setNodeId(nodeId));
  }

  private static MappedAnswer<NodeInfo> info(NodeGetInfoResponse.Builder response) {
    return MappedAnswer.of(
        findings ->
            NodeAnswerMapping.nodeGetInfo(
                NodeGetInfoRequest.getDefaultInstance(), response.build(), findings));
  }

  private static MappedAnswer<VolumeStats> stats(NodeGetVolumeStatsResponse.Builder response) {
    return MappedAnswer.of(
        findings ->
            NodeAnswerMapping.nodeGetVolumeStats(
                NodeGetVolumeStatsRequest.getDefaultInstance(), response.build(), findings));
  }
}
