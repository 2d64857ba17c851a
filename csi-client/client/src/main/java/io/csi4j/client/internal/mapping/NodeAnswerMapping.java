package io.csi4j.client.internal.mapping;

import io.csi4j.client.internal.proto.NodeExpandVolumeRequest;
import io.csi4j.client.internal.proto.NodeExpandVolumeResponse;
import io.csi4j.client.internal.proto.NodeGetCapabilitiesRequest;
import io.csi4j.client.internal.proto.NodeGetCapabilitiesResponse;
import io.csi4j.client.internal.proto.NodeGetInfoRequest;
import io.csi4j.client.internal.proto.NodeGetInfoResponse;
import io.csi4j.client.internal.proto.NodeGetVolumeStatsRequest;
import io.csi4j.client.internal.proto.NodeGetVolumeStatsResponse;
import io.csi4j.client.internal.text.FieldLimits;
import io.csi4j.client.model.CapabilitySet;
import io.csi4j.client.model.NodeId;
import io.csi4j.client.model.Topology;
import io.csi4j.client.model.Violation.Rule;
import io.csi4j.client.node.NodeCapability;
import io.csi4j.client.node.NodeService;
import io.csi4j.client.node.NodeService.NodeInfo;
import io.csi4j.client.node.VolumeStats;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Checks and converts the answers of the node service. Throws {@link UnusableAnswerException} if
 * the findings contain a violation.
 */
public final class NodeAnswerMapping {

  /** Maximum number of usage entries of one volume that are kept; the spec defines two units. */
  public static final int USAGE_LIMIT = 64;

  private static final Map<Integer, NodeCapability> CAPABILITIES =
      Arrays.stream(NodeCapability.values())
          .collect(Collectors.toUnmodifiableMap(NodeCapability::number, Function.identity()));

  private NodeAnswerMapping() {}

  public static CapabilitySet<NodeCapability> nodeGetCapabilities(
      NodeGetCapabilitiesRequest request,
      NodeGetCapabilitiesResponse response,
      AnswerFindings findings) {
    var tally = new CapabilityTally<>(NodeCapability.class);
    response
        .getCapabilitiesList()
        .forEach(
            capability -> {
              if (capability.hasRpc()) {
                int number = capability.getRpc().getTypeValue();
                tally.addRpc(Optional.ofNullable(CAPABILITIES.get(number)), number);
              } else {
                tally.addUnrecognized(CapabilityTally.EMPTY);
              }
            });
    return tally.result();
  }

  public static NodeInfo nodeGetInfo(
      NodeGetInfoRequest request, NodeGetInfoResponse response, AnswerFindings findings) {
    AnswerRules.id(findings, "node_id", response.getNodeId(), FieldLimits.NODE_ID);
    OptionalLong maxVolumes =
        AnswerRules.sizeOrUnknown(
            findings, "max_volumes_per_node", response.getMaxVolumesPerNode());
    AnswerRules.topology(findings, "accessible_topology", response.getAccessibleTopology());
    return findings.result(
        () ->
            new NodeResults.NodeInfoValue(
                NodeId.of(response.getNodeId()),
                maxVolumes,
                Optional.<Topology>of(ValueMapping.fromProto(response.getAccessibleTopology()))
                    .filter(place -> !place.segments().isEmpty())));
  }

  public static VolumeStats nodeGetVolumeStats(
      NodeGetVolumeStatsRequest request,
      NodeGetVolumeStatsResponse response,
      AnswerFindings findings) {
    int count = response.getUsageCount();
    if (count > USAGE_LIMIT) {
      findings.warning(
          "usage", Rule.TOO_LARGE, "has " + count + " entries; " + USAGE_LIMIT + " are kept");
    }
    List<VolumeStats.Usage> usages = new ArrayList<>();
    for (int i = 0; i < Math.min(count, USAGE_LIMIT); i++) {
      VolumeStats.Usage usage = usage(response.getUsage(i));
      if (!usage.isPlausible()) {
        findings.warning(
            "usage[" + i + "]",
            Rule.OUT_OF_RANGE,
            "cannot be true: available "
                + usage.available()
                + ", total "
                + usage.total()
                + ", used "
                + usage.used());
      }
      usages.add(usage);
    }
    return findings.result(
        () ->
            new NodeResults.VolumeStatsValue(
                List.copyOf(usages),
                response.hasVolumeCondition()
                    ? Optional.of(ValueMapping.fromProto(response.getVolumeCondition(), findings))
                    : Optional.empty()));
  }

  private static VolumeStats.Usage usage(io.csi4j.client.internal.proto.VolumeUsage usage) {
    VolumeStats.Usage.Unit unit =
        switch (usage.getUnit()) {
          case BYTES -> VolumeStats.Usage.Unit.BYTES;
          case INODES -> VolumeStats.Usage.Unit.INODES;
          case UNKNOWN, UNRECOGNIZED -> VolumeStats.Usage.Unit.UNRECOGNIZED;
        };
    return new VolumeStats.Usage(unit, usage.getAvailable(), usage.getTotal(), usage.getUsed());
  }

  public static NodeService.ExpandVolumeResult nodeExpandVolume(
      NodeExpandVolumeRequest request, NodeExpandVolumeResponse response, AnswerFindings findings) {
    OptionalLong capacity =
        AnswerRules.size(findings, "capacity_bytes", response.getCapacityBytes());
    AnswerRules.within(findings, "capacity_bytes", capacity, request.getCapacityRange());
    return findings.result(() -> new NodeResults.NodeExpandVolumeResultValue(capacity));
  }
}
