package io.csi4j.client.internal.mapping;

import io.csi4j.client.controller.Snapshot;
import io.csi4j.client.group.GroupControllerCapability;
import io.csi4j.client.group.VolumeGroupSnapshot;
import io.csi4j.client.internal.proto.CreateVolumeGroupSnapshotRequest;
import io.csi4j.client.internal.proto.CreateVolumeGroupSnapshotResponse;
import io.csi4j.client.internal.proto.GetVolumeGroupSnapshotRequest;
import io.csi4j.client.internal.proto.GetVolumeGroupSnapshotResponse;
import io.csi4j.client.internal.proto.GroupControllerGetCapabilitiesRequest;
import io.csi4j.client.internal.proto.GroupControllerGetCapabilitiesResponse;
import io.csi4j.client.model.CapabilitySet;
import io.csi4j.client.model.GroupSnapshotId;
import io.csi4j.client.model.Violation.Rule;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Checks and converts the answers of the group controller service. Throws {@link
 * UnusableAnswerException} if the findings contain a violation.
 */
public final class GroupAnswerMapping {

  private static final String GROUP = "group_snapshot";

  private static final Map<Integer, GroupControllerCapability> CAPABILITIES =
      Arrays.stream(GroupControllerCapability.values())
          .collect(
              Collectors.toUnmodifiableMap(GroupControllerCapability::number, Function.identity()));

  private GroupAnswerMapping() {}

  public static CapabilitySet<GroupControllerCapability> groupControllerGetCapabilities(
      GroupControllerGetCapabilitiesRequest request,
      GroupControllerGetCapabilitiesResponse response,
      AnswerFindings findings) {
    var tally = new CapabilityTally<>(GroupControllerCapability.class);
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

  public static VolumeGroupSnapshot createVolumeGroupSnapshot(
      CreateVolumeGroupSnapshotRequest request,
      CreateVolumeGroupSnapshotResponse response,
      AnswerFindings findings) {
    if (!response.hasGroupSnapshot()) {
      throw AnswerRules.absent(findings, GROUP);
    }
    var made = response.getGroupSnapshot();
    Optional<VolumeGroupSnapshot> group = group(findings, made);
    Set<String> asked = Set.copyOf(request.getSourceVolumeIdsList());
    Set<String> missing = new HashSet<>(asked);
    boolean ours = true;
    for (int i = 0; i < made.getSnapshotsCount(); i++) {
      String source = made.getSnapshots(i).getSourceVolumeId();
      missing.remove(source);
      if (!source.isEmpty() && !asked.contains(source)) {
        ours = false;
        findings.violation(
            member(i) + ".source_volume_id",
            Rule.MISMATCH,
            "is " + findings.quote(source) + ", which is none of the requested volumes");
      }
    }
    if (!missing.isEmpty()) {
      findings.warning(
          GROUP + ".snapshots",
          Rule.MISMATCH,
          "has no snapshot of " + missing.size() + " of the " + asked.size() + " volumes");
    }
    // Deleting the group would delete its snapshots, so the group must not contain a snapshot of a
    // volume that was not requested.
    if (ours && AnswerRules.isId(made.getGroupSnapshotId())) {
      findings.created(made.getGroupSnapshotId());
    }
    return findings.result(group::orElseThrow);
  }

  public static VolumeGroupSnapshot getVolumeGroupSnapshot(
      GetVolumeGroupSnapshotRequest request,
      GetVolumeGroupSnapshotResponse response,
      AnswerFindings findings) {
    if (!response.hasGroupSnapshot()) {
      throw AnswerRules.absent(findings, GROUP);
    }
    var found = response.getGroupSnapshot();
    Optional<VolumeGroupSnapshot> group = group(findings, found);
    if (AnswerRules.isId(found.getGroupSnapshotId())) {
      AnswerRules.same(
          findings,
          GROUP + ".group_snapshot_id",
          request.getGroupSnapshotId(),
          found.getGroupSnapshotId());
    }
    Set<String> asked = Set.copyOf(request.getSnapshotIdsList());
    for (int i = 0; i < found.getSnapshotsCount(); i++) {
      String id = found.getSnapshots(i).getSnapshotId();
      if (!asked.contains(id)) {
        findings.warning(
            member(i) + ".snapshot_id",
            Rule.MISMATCH,
            "is " + findings.quote(id) + ", which is none of the requested snapshots");
      }
    }
    return findings.result(group::orElseThrow);
  }

  /** Returns a group, or empty if a violation was recorded. */
  private static Optional<VolumeGroupSnapshot> group(
      AnswerFindings findings, io.csi4j.client.internal.proto.VolumeGroupSnapshot group) {
    boolean named =
        AnswerRules.id(findings, GROUP + ".group_snapshot_id", group.getGroupSnapshotId());
    List<Snapshot> snapshots = new ArrayList<>();
    for (int i = 0; i < group.getSnapshotsCount(); i++) {
      var snapshot = group.getSnapshots(i);
      ControllerAnswerMapping.snapshot(findings, member(i), snapshot).ifPresent(snapshots::add);
      String field = member(i) + ".group_snapshot_id";
      if (snapshot.getGroupSnapshotId().isEmpty()) {
        findings.warning(field, Rule.REQUIRED, "is empty");
      } else if (named) {
        AnswerRules.same(
            findings, field, group.getGroupSnapshotId(), snapshot.getGroupSnapshotId());
      }
    }
    Optional<Instant> time =
        AnswerRules.time(
            findings, GROUP + ".creation_time", group.hasCreationTime(), group.getCreationTime());
    if (!findings.isUsable()) {
      return Optional.empty();
    }
    return Optional.of(
        new GroupResults.VolumeGroupSnapshotValue(
            GroupSnapshotId.of(group.getGroupSnapshotId()),
            List.copyOf(snapshots),
            time,
            group.getReadyToUse()));
  }

  private static String member(int index) {
    return GROUP + ".snapshots[" + index + "]";
  }
}
