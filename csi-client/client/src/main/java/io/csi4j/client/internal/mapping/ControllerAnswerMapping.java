package io.csi4j.client.internal.mapping;

import io.csi4j.client.controller.Capacity;
import io.csi4j.client.controller.ControllerCapability;
import io.csi4j.client.controller.ControllerService;
import io.csi4j.client.controller.Snapshot;
import io.csi4j.client.controller.Volume;
import io.csi4j.client.controller.VolumeEntry;
import io.csi4j.client.internal.proto.ControllerExpandVolumeRequest;
import io.csi4j.client.internal.proto.ControllerExpandVolumeResponse;
import io.csi4j.client.internal.proto.ControllerGetCapabilitiesRequest;
import io.csi4j.client.internal.proto.ControllerGetCapabilitiesResponse;
import io.csi4j.client.internal.proto.ControllerGetVolumeRequest;
import io.csi4j.client.internal.proto.ControllerGetVolumeResponse;
import io.csi4j.client.internal.proto.ControllerListVolumeHealthRequest;
import io.csi4j.client.internal.proto.ControllerListVolumeHealthResponse;
import io.csi4j.client.internal.proto.ControllerPublishVolumeRequest;
import io.csi4j.client.internal.proto.ControllerPublishVolumeResponse;
import io.csi4j.client.internal.proto.CreateSnapshotRequest;
import io.csi4j.client.internal.proto.CreateSnapshotResponse;
import io.csi4j.client.internal.proto.CreateVolumeRequest;
import io.csi4j.client.internal.proto.CreateVolumeResponse;
import io.csi4j.client.internal.proto.GetCapacityRequest;
import io.csi4j.client.internal.proto.GetCapacityResponse;
import io.csi4j.client.internal.proto.GetSnapshotRequest;
import io.csi4j.client.internal.proto.GetSnapshotResponse;
import io.csi4j.client.internal.proto.ListSnapshotsRequest;
import io.csi4j.client.internal.proto.ListSnapshotsResponse;
import io.csi4j.client.internal.proto.ListVolumesRequest;
import io.csi4j.client.internal.proto.ListVolumesResponse;
import io.csi4j.client.model.CapabilitySet;
import io.csi4j.client.model.GroupSnapshotId;
import io.csi4j.client.model.NodeId;
import io.csi4j.client.model.Page;
import io.csi4j.client.model.PublishContext;
import io.csi4j.client.model.SnapshotId;
import io.csi4j.client.model.Topology;
import io.csi4j.client.model.Violation;
import io.csi4j.client.model.Violation.Rule;
import io.csi4j.client.model.VolumeCondition;
import io.csi4j.client.model.VolumeContentSource;
import io.csi4j.client.model.VolumeContext;
import io.csi4j.client.model.VolumeHealthReport;
import io.csi4j.client.model.VolumeId;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/**
 * Checks and converts the answers of the controller service. Throws {@link UnusableAnswerException}
 * if the findings contain a violation. An unusable entry of a list is not a violation; it is left
 * out.
 */
public final class ControllerAnswerMapping {

  /** Maximum number of places from which a volume may be accessible. */
  public static final int TOPOLOGY_LIMIT = 1024;

  private static final Map<Integer, ControllerCapability> CAPABILITIES =
      Arrays.stream(ControllerCapability.values())
          .collect(Collectors.toUnmodifiableMap(ControllerCapability::number, Function.identity()));

  private ControllerAnswerMapping() {}

  public static CapabilitySet<ControllerCapability> controllerGetCapabilities(
      ControllerGetCapabilitiesRequest request,
      ControllerGetCapabilitiesResponse response,
      AnswerFindings findings) {
    var tally = new CapabilityTally<>(ControllerCapability.class);
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

  public static Volume createVolume(
      CreateVolumeRequest request, CreateVolumeResponse response, AnswerFindings findings) {
    if (!response.hasVolume()) {
      throw AnswerRules.absent(findings, "volume");
    }
    var made = response.getVolume();
    if (AnswerRules.isId(made.getVolumeId())) {
      findings.created(made.getVolumeId());
    }
    OptionalLong capacity =
        AnswerRules.size(findings, "volume.capacity_bytes", made.getCapacityBytes());
    AnswerRules.within(findings, "volume.capacity_bytes", capacity, request.getCapacityRange());
    Optional<Volume> volume = volume(findings, "volume", made, capacity);
    checkSource(request, made, findings);
    checkReachable(request, made, findings);
    return findings.result(volume::orElseThrow);
  }

  private static void checkSource(
      CreateVolumeRequest request,
      io.csi4j.client.internal.proto.Volume made,
      AnswerFindings findings) {
    var asked = request.getVolumeContentSource();
    var answered = made.getContentSource();
    String field = "volume.content_source";
    boolean populated =
        answered.getTypeCase()
            != io.csi4j.client.internal.proto.VolumeContentSource.TypeCase.TYPE_NOT_SET;
    if (!request.hasVolumeContentSource()) {
      if (populated) {
        findings.warning(
            field,
            Rule.MISMATCH,
            "is " + text(answered, findings::quote) + "; an empty volume was requested");
      }
    } else if (!populated) {
      findings.violation(
          field,
          Rule.REQUIRED,
          "is absent, so the volume is empty; requested: " + text(asked, findings::quote));
    } else if (!text(asked, UnaryOperator.identity())
        .equals(text(answered, UnaryOperator.identity()))) {
      findings.violation(
          field,
          Rule.MISMATCH,
          "is " + text(answered, findings::quote) + "; requested: " + text(asked, findings::quote));
    }
  }

  private static String text(
      io.csi4j.client.internal.proto.VolumeContentSource source, UnaryOperator<String> ids) {
    return source.hasSnapshot()
        ? "snapshot " + ids.apply(source.getSnapshot().getSnapshotId())
        : "volume " + ids.apply(source.getVolume().getVolumeId());
  }

  /**
   * Checks that a place of the volume matches a requisite place: both are the same, or one of them
   * only has additional labels.
   */
  private static void checkReachable(
      CreateVolumeRequest request,
      io.csi4j.client.internal.proto.Volume made,
      AnswerFindings findings) {
    notReachable(request.getAccessibilityRequirements(), made.getAccessibleTopologyList(), findings)
        .ifPresent(
            detail -> findings.violation("volume.accessible_topology", Rule.MISMATCH, detail));
  }

  private static Optional<String> notReachable(
      io.csi4j.client.internal.proto.TopologyRequirement asked,
      List<io.csi4j.client.internal.proto.Topology> answered,
      AnswerFindings findings) {
    if (answered.size() > TOPOLOGY_LIMIT) {
      return Optional.empty();
    }
    List<Topology> requisite =
        asked.getRequisiteList().stream().map(ValueMapping::fromProto).toList();
    List<Topology> places = answered.stream().map(ValueMapping::fromProto).toList();
    boolean satisfied =
        requisite.isEmpty()
            || places.isEmpty()
            || requisite.stream()
                .anyMatch(
                    wanted ->
                        places.stream()
                            .anyMatch(place -> place.includes(wanted) || wanted.includes(place)));
    return satisfied
        ? Optional.empty()
        : Optional.of(
            "is "
                + findings.quote(places.toString())
                + ", which is none of the requisite "
                + findings.quote(requisite.toString()));
  }

  public static ControllerService.PublishVolumeResult controllerPublishVolume(
      ControllerPublishVolumeRequest request,
      ControllerPublishVolumeResponse response,
      AnswerFindings findings) {
    AnswerRules.map(findings, "publish_context", response.getPublishContextMap());
    return findings.result(
        () ->
            new ControllerResults.ControllerPublishVolumeResultValue(
                PublishContext.of(response.getPublishContextMap())));
  }

  public static Page<VolumeEntry> listVolumes(
      ListVolumesRequest request, ListVolumesResponse response, AnswerFindings findings) {
    List<VolumeEntry> entries =
        entries(
            findings,
            request.getMaxEntries(),
            response.getEntriesCount(),
            (part, i, field) -> listed(part, field, response.getEntries(i)));
    return findings.result(
        () ->
            new ControllerResults.PageValue<>(
                entries,
                AnswerRules.token(response.getNextToken()),
                response.getEntriesCount() - entries.size()));
  }

  private static Optional<VolumeEntry> listed(
      AnswerFindings findings, String field, ListVolumesResponse.Entry entry) {
    String path = field + ".volume";
    OptionalLong capacity =
        AnswerRules.sizeOrUnknown(
            findings, path + ".capacity_bytes", entry.getVolume().getCapacityBytes());
    return volume(findings, path, entry.getVolume(), capacity)
        .map(
            volume ->
                new ControllerResults.VolumeEntryValue(
                    volume,
                    nodes(findings, field + ".status", entry.getStatus().getPublishedNodeIdsList()),
                    condition(
                        findings,
                        entry.getStatus().hasVolumeCondition(),
                        entry.getStatus().getVolumeCondition())));
  }

  public static VolumeEntry controllerGetVolume(
      ControllerGetVolumeRequest request,
      ControllerGetVolumeResponse response,
      AnswerFindings findings) {
    if (!response.hasVolume()) {
      throw AnswerRules.absent(findings, "volume");
    }
    OptionalLong capacity =
        AnswerRules.size(
            findings, "volume.capacity_bytes", response.getVolume().getCapacityBytes());
    Optional<Volume> volume = volume(findings, "volume", response.getVolume(), capacity);
    if (AnswerRules.isId(response.getVolume().getVolumeId())) {
      AnswerRules.same(
          findings, "volume.volume_id", request.getVolumeId(), response.getVolume().getVolumeId());
    }
    var status = response.getStatus();
    List<NodeId> nodes = nodes(findings, "status", status.getPublishedNodeIdsList());
    return findings.result(
        () ->
            new ControllerResults.VolumeEntryValue(
                volume.orElseThrow(),
                nodes,
                condition(findings, status.hasVolumeCondition(), status.getVolumeCondition())));
  }

  /** Returns a volume, or empty if a violation was recorded. */
  private static Optional<Volume> volume(
      AnswerFindings findings,
      String field,
      io.csi4j.client.internal.proto.Volume volume,
      OptionalLong capacity) {
    AnswerRules.id(findings, field + ".volume_id", volume.getVolumeId());
    AnswerRules.map(findings, field + ".volume_context", volume.getVolumeContextMap());
    Optional<VolumeContentSource> source =
        source(findings, field + ".content_source", volume.getContentSource());
    places(findings, field + ".accessible_topology", volume.getAccessibleTopologyList());
    if (!findings.isUsable()) {
      return Optional.empty();
    }
    return Optional.of(
        new ControllerResults.VolumeValue(
            VolumeId.of(volume.getVolumeId()),
            capacity,
            VolumeContext.of(volume.getVolumeContextMap()),
            source,
            volume.getAccessibleTopologyList().stream().map(ValueMapping::fromProto).toList()));
  }

  private static void places(
      AnswerFindings findings, String field, List<io.csi4j.client.internal.proto.Topology> places) {
    if (places.size() > TOPOLOGY_LIMIT) {
      findings.violation(
          field,
          Rule.TOO_LARGE,
          "has " + places.size() + " entries; up to " + TOPOLOGY_LIMIT + " are accepted");
      return;
    }
    for (int i = 0; i < places.size(); i++) {
      AnswerRules.topology(findings, field + "[" + i + "]", places.get(i));
    }
  }

  /**
   * Returns the source of a volume. A source that is not valid is ignored if it was not requested,
   * because no caller depends on it.
   */
  private static Optional<VolumeContentSource> source(
      AnswerFindings findings,
      String field,
      io.csi4j.client.internal.proto.VolumeContentSource source) {
    Optional<Violation> broken =
        switch (source.getTypeCase()) {
          case SNAPSHOT ->
              AnswerRules.brokenIdRule(
                  field + ".snapshot.snapshot_id", source.getSnapshot().getSnapshotId());
          case VOLUME ->
              AnswerRules.brokenIdRule(
                  field + ".volume.volume_id", source.getVolume().getVolumeId());
          case TYPE_NOT_SET -> Optional.empty();
        };
    if (broken.isPresent()) {
      Violation odd = broken.get();
      findings.warning(odd.field(), odd.rule(), odd.detail());
      return Optional.empty();
    }
    return ValueMapping.fromProto(source);
  }

  private static List<NodeId> nodes(AnswerFindings findings, String field, List<String> ids) {
    List<NodeId> nodes = new ArrayList<>();
    for (int i = 0; i < ids.size(); i++) {
      Optional<Violation> broken =
          AnswerRules.brokenIdRule(field + ".published_node_ids[" + i + "]", ids.get(i));
      if (broken.isPresent()) {
        Violation odd = broken.get();
        findings.warning(odd.field(), odd.rule(), odd.detail());
      } else {
        nodes.add(NodeId.of(ids.get(i)));
      }
    }
    return List.copyOf(nodes);
  }

  private static Optional<VolumeCondition> condition(
      AnswerFindings findings,
      boolean present,
      io.csi4j.client.internal.proto.VolumeCondition condition) {
    return present ? Optional.of(ValueMapping.fromProto(condition, findings)) : Optional.empty();
  }

  public static Page<VolumeHealthReport> controllerListVolumeHealth(
      ControllerListVolumeHealthRequest request,
      ControllerListVolumeHealthResponse response,
      AnswerFindings findings) {
    List<VolumeHealthReport> entries =
        entries(
            findings,
            request.getMaxEntries(),
            response.getEntriesCount(),
            (part, i, field) -> HealthMapping.report(part, field, response.getEntries(i)));
    return findings.result(
        () ->
            new ControllerResults.PageValue<>(
                entries,
                AnswerRules.token(response.getNextToken()),
                response.getEntriesCount() - entries.size()));
  }

  public static Capacity getCapacity(
      GetCapacityRequest request, GetCapacityResponse response, AnswerFindings findings) {
    long available = response.getAvailableCapacity();
    if (available < 0) {
      findings.violation("available_capacity", Rule.OUT_OF_RANGE, AnswerRules.negative(available));
    }
    OptionalLong maximum =
        bound(
            findings,
            "maximum_volume_size",
            response.hasMaximumVolumeSize(),
            response.getMaximumVolumeSize().getValue());
    OptionalLong minimum =
        bound(
            findings,
            "minimum_volume_size",
            response.hasMinimumVolumeSize(),
            response.getMinimumVolumeSize().getValue());
    if (minimum.orElse(0) > maximum.orElse(Long.MAX_VALUE)) {
      findings.warning(
          "minimum_volume_size",
          Rule.MISMATCH,
          "is "
              + minimum.getAsLong()
              + ", which is above the maximum_volume_size "
              + maximum.getAsLong());
    }
    return findings.result(() -> new ControllerResults.CapacityValue(available, maximum, minimum));
  }

  /**
   * Returns a size limit. Unlike in other answers, zero is a valid limit and does not mean that the
   * limit is not set.
   */
  private static OptionalLong bound(
      AnswerFindings findings, String field, boolean present, long value) {
    if (present && value < 0) {
      findings.warning(field, Rule.OUT_OF_RANGE, AnswerRules.negative(value));
    }
    return present && value >= 0 ? OptionalLong.of(value) : OptionalLong.empty();
  }

  public static Snapshot createSnapshot(
      CreateSnapshotRequest request, CreateSnapshotResponse response, AnswerFindings findings) {
    if (!response.hasSnapshot()) {
      throw AnswerRules.absent(findings, "snapshot");
    }
    var made = response.getSnapshot();
    Optional<Snapshot> snapshot = snapshot(findings, "snapshot", made);
    if (AnswerRules.isId(made.getSourceVolumeId())) {
      AnswerRules.same(
          findings,
          "snapshot.source_volume_id",
          request.getSourceVolumeId(),
          made.getSourceVolumeId());
    }
    // If the snapshot is of another volume, it existed before this call and may be the last copy of
    // that volume's data.
    boolean ours =
        made.getSourceVolumeId().isEmpty()
            || made.getSourceVolumeId().equals(request.getSourceVolumeId());
    if (ours && AnswerRules.isId(made.getSnapshotId())) {
      findings.created(made.getSnapshotId());
    }
    // A snapshot in a place that was not requested still contains the data, so it is tolerated.
    notReachable(request.getAccessibilityRequirements(), made.getAccessibleTopologyList(), findings)
        .ifPresent(
            detail -> findings.warning("snapshot.accessible_topology", Rule.MISMATCH, detail));
    return findings.result(snapshot::orElseThrow);
  }

  public static Snapshot getSnapshot(
      GetSnapshotRequest request, GetSnapshotResponse response, AnswerFindings findings) {
    if (!response.hasSnapshot()) {
      throw AnswerRules.absent(findings, "snapshot");
    }
    Optional<Snapshot> snapshot = snapshot(findings, "snapshot", response.getSnapshot());
    if (AnswerRules.isId(response.getSnapshot().getSnapshotId())) {
      AnswerRules.same(
          findings,
          "snapshot.snapshot_id",
          request.getSnapshotId(),
          response.getSnapshot().getSnapshotId());
    }
    return findings.result(snapshot::orElseThrow);
  }

  public static Page<Snapshot> listSnapshots(
      ListSnapshotsRequest request, ListSnapshotsResponse response, AnswerFindings findings) {
    List<Snapshot> entries =
        entries(
            findings,
            request.getMaxEntries(),
            response.getEntriesCount(),
            (part, i, field) -> {
              var snapshot = response.getEntries(i).getSnapshot();
              String path = field + ".snapshot";
              checkFilter(
                  part,
                  path + ".source_volume_id",
                  request.getSourceVolumeId(),
                  snapshot.getSourceVolumeId());
              checkFilter(
                  part, path + ".snapshot_id", request.getSnapshotId(), snapshot.getSnapshotId());
              OptionalLong size =
                  AnswerRules.sizeOrUnknown(part, path + ".size_bytes", snapshot.getSizeBytes());
              return snapshot(part, path, snapshot, size);
            });
    return findings.result(
        () ->
            new ControllerResults.PageValue<>(
                entries,
                AnswerRules.token(response.getNextToken()),
                response.getEntriesCount() - entries.size()));
  }

  private static void checkFilter(
      AnswerFindings findings, String field, String asked, String answered) {
    if (!asked.isEmpty() && !asked.equals(answered)) {
      findings.warning(
          field,
          Rule.MISMATCH,
          "is " + findings.quote(answered) + "; only " + findings.quote(asked) + " was requested");
    }
  }

  /** Returns a snapshot, or empty if a violation was recorded. */
  public static Optional<Snapshot> snapshot(
      AnswerFindings findings, String field, io.csi4j.client.internal.proto.Snapshot snapshot) {
    return snapshot(
        findings,
        field,
        snapshot,
        AnswerRules.size(findings, field + ".size_bytes", snapshot.getSizeBytes()));
  }

  private static Optional<Snapshot> snapshot(
      AnswerFindings findings,
      String field,
      io.csi4j.client.internal.proto.Snapshot snapshot,
      OptionalLong size) {
    AnswerRules.id(findings, field + ".snapshot_id", snapshot.getSnapshotId());
    AnswerRules.id(findings, field + ".source_volume_id", snapshot.getSourceVolumeId());
    String group = snapshot.getGroupSnapshotId();
    if (!group.isEmpty()) {
      AnswerRules.id(findings, field + ".group_snapshot_id", group);
    }
    Optional<Instant> time =
        AnswerRules.time(
            findings,
            field + ".creation_time",
            snapshot.hasCreationTime(),
            snapshot.getCreationTime());
    places(findings, field + ".accessible_topology", snapshot.getAccessibleTopologyList());
    if (!findings.isUsable()) {
      return Optional.empty();
    }
    return Optional.of(
        new ControllerResults.SnapshotValue(
            SnapshotId.of(snapshot.getSnapshotId()),
            VolumeId.of(snapshot.getSourceVolumeId()),
            size,
            time,
            snapshot.getReadyToUse(),
            group.isEmpty() ? Optional.empty() : Optional.of(GroupSnapshotId.of(group)),
            snapshot.getAccessibleTopologyList().stream().map(ValueMapping::fromProto).toList()));
  }

  public static ControllerService.ExpandVolumeResult controllerExpandVolume(
      ControllerExpandVolumeRequest request,
      ControllerExpandVolumeResponse response,
      AnswerFindings findings) {
    OptionalLong capacity =
        AnswerRules.size(findings, "capacity_bytes", response.getCapacityBytes());
    AnswerRules.within(findings, "capacity_bytes", capacity, request.getCapacityRange());
    return findings.result(
        () ->
            new ControllerResults.ControllerExpandVolumeResultValue(
                capacity, response.getNodeExpansionRequired()));
  }

  private interface EntryMapping<E> {
    Optional<E> map(AnswerFindings part, int index, String field);
  }

  /** Returns the usable entries. Records a warning if unusable entries were left out. */
  private static <E> List<E> entries(
      AnswerFindings findings, int asked, int count, EntryMapping<E> mapping) {
    if (asked > 0 && count > asked) {
      findings.warning(
          "entries", Rule.TOO_LARGE, "has " + count + " entries; requested: up to " + asked);
    }
    List<E> entries = new ArrayList<>();
    Optional<Violation> first = Optional.empty();
    for (int i = 0; i < count; i++) {
      AnswerFindings part = findings.forPart();
      Optional<E> entry = mapping.map(part, i, "entries[" + i + "]");
      if (entry.isPresent()) {
        entries.add(entry.get());
        findings.addWarningsOf(part);
      } else if (first.isEmpty()) {
        first = Optional.of(part.violations().get(0));
      }
    }
    int skipped = count - entries.size();
    first.ifPresent(
        violation ->
            findings.warning(
                "entries",
                violation.rule(),
                skipped + " of " + count + " were left out, the first because " + violation));
    return List.copyOf(entries);
  }
}
