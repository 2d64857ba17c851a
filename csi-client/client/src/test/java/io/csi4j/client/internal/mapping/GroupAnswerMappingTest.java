package io.csi4j.client.internal.mapping;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Timestamp;
import io.csi4j.client.group.GroupControllerCapability;
import io.csi4j.client.group.VolumeGroupSnapshot;
import io.csi4j.client.internal.proto.CreateVolumeGroupSnapshotRequest;
import io.csi4j.client.internal.proto.CreateVolumeGroupSnapshotResponse;
import io.csi4j.client.internal.proto.GetVolumeGroupSnapshotRequest;
import io.csi4j.client.internal.proto.GetVolumeGroupSnapshotResponse;
import io.csi4j.client.internal.proto.GroupControllerGetCapabilitiesRequest;
import io.csi4j.client.internal.proto.GroupControllerGetCapabilitiesResponse;
import io.csi4j.client.internal.proto.Snapshot;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class GroupAnswerMappingTest {

  private final io.csi4j.client.internal.proto.VolumeGroupSnapshot.Builder group =
      io.csi4j.client.internal.proto.VolumeGroupSnapshot.newBuilder()
          .setGroupSnapshotId("g")
          .setReadyToUse(true)
          .setCreationTime(Timestamp.newBuilder().setSeconds(5))
          .addSnapshots(member("s1", "v1"))
          .addSnapshots(member("s2", "v2"));

  private static Snapshot.Builder member(String id, String source) {
    return Snapshot.newBuilder()
        .setSnapshotId(id)
        .setSourceVolumeId(source)
        .setGroupSnapshotId("g")
        .setCreationTime(Timestamp.newBuilder().setSeconds(5));
  }

  @Test
  void aGoodGroupComesThroughWithoutFindings() {
    for (var answer : List.of(create(), get())) {
      VolumeGroupSnapshot result = answer.get();
      assertThat(result.id().value()).isEqualTo("g");
      assertThat(result.snapshots()).extracting(s -> s.id().value()).containsExactly("s1", "s2");
      assertThat(result.creationTime()).contains(Instant.ofEpochSecond(5));
      assertThat(result.readyToUse()).isTrue();
      assertThat(answer.warnings()).isEmpty();
      assertThat(answer.findings().created()).isEmpty();
    }
  }

  @Test
  void anAnswerWithoutAGroupOrItsIdIsRefused() {
    assertThat(
            MappedAnswer.of(
                    findings ->
                        GroupAnswerMapping.createVolumeGroupSnapshot(
                            CreateVolumeGroupSnapshotRequest.getDefaultInstance(),
                            CreateVolumeGroupSnapshotResponse.getDefaultInstance(),
                            findings))
                .violations())
        .containsExactly("group_snapshot REQUIRED");
    assertThat(
            MappedAnswer.of(
                    findings ->
                        GroupAnswerMapping.getVolumeGroupSnapshot(
                            GetVolumeGroupSnapshotRequest.getDefaultInstance(),
                            GetVolumeGroupSnapshotResponse.getDefaultInstance(),
                            findings))
                .violations())
        .containsExactly("group_snapshot REQUIRED");
    group.clearGroupSnapshotId();
    assertThat(create().violations()).containsExactly("group_snapshot.group_snapshot_id REQUIRED");
    assertThat(create().findings().created()).isEmpty();
  }

  @Test
  void anotherGroupThanAskedForIsRefused() {
    group.setGroupSnapshotId("h").clearSnapshots();
    assertThat(get().violations()).containsExactly("group_snapshot.group_snapshot_id MISMATCH");
    assertThat(get().details())
        .containsExactly("group_snapshot.group_snapshot_id is 'h'; requested: 'g'");
  }

  @Test
  void membersHaveToNameTheirGroup() {
    group.getSnapshotsBuilder(0).clearGroupSnapshotId();
    assertThat(create().warnings())
        .containsExactly("group_snapshot.snapshots[0].group_snapshot_id REQUIRED");
    group.getSnapshotsBuilder(1).setGroupSnapshotId("h");
    assertThat(create().violations())
        .containsExactly("group_snapshot.snapshots[1].group_snapshot_id MISMATCH");
    assertThat(create().findings().created()).contains("g");
  }

  @Test
  void membersOfOtherVolumesAreRefusedAndTheGroupIsNotOfferedForDeletion() {
    group.addSnapshots(member("s3", "v3"));
    assertThat(create().violations())
        .containsExactly("group_snapshot.snapshots[2].source_volume_id MISMATCH");
    assertThat(create().findings().created()).isEmpty();
  }

  @Test
  void membersThatCannotBeUsedMakeTheGroupUnusable() {
    group.getSnapshotsBuilder(0).setSizeBytes(-1);
    group.getSnapshotsBuilder(1).clearSnapshotId();
    assertThat(create().violations())
        .containsExactly(
            "group_snapshot.snapshots[0].size_bytes OUT_OF_RANGE",
            "group_snapshot.snapshots[1].snapshot_id REQUIRED");
    assertThat(create().findings().created()).contains("g");
  }

  @Test
  void missingAndUnknownMembersAreReported() {
    group.removeSnapshots(1);
    assertThat(create().warnings()).containsExactly("group_snapshot.snapshots MISMATCH");
    group.getSnapshotsBuilder(0).setSnapshotId("other");
    assertThat(get().warnings())
        .containsExactly("group_snapshot.snapshots[0].snapshot_id MISMATCH");
  }

  @Test
  void anAbsentTimeIsReported() {
    group.clearCreationTime();
    assertThat(create().get().creationTime()).isEmpty();
    assertThat(create().warnings()).containsExactly("group_snapshot.creation_time REQUIRED");
  }

  @Test
  void everyGroupCapabilityIsKnownAndOthersAreNoted() {
    var response = GroupControllerGetCapabilitiesResponse.newBuilder();
    response.addCapabilitiesBuilder().getRpcBuilder().setTypeValue(1);
    response.addCapabilitiesBuilder().getRpcBuilder().setTypeValue(2);
    response.addCapabilitiesBuilder();
    var answer =
        GroupAnswerMapping.groupControllerGetCapabilities(
            GroupControllerGetCapabilitiesRequest.getDefaultInstance(),
            response.build(),
            new AnswerFindings());
    assertThat(answer.offered()).containsExactly(GroupControllerCapability.values());
    assertThat(answer.unrecognized()).containsExactlyInAnyOrder("rpc 2", "empty");
  }

  private MappedAnswer<VolumeGroupSnapshot> create() {
    return MappedAnswer.of(
        findings ->
            GroupAnswerMapping.createVolumeGroupSnapshot(
                CreateVolumeGroupSnapshotRequest.newBuilder()
                    .addSourceVolumeIds("v1")
                    .addSourceVolumeIds("v2")
                    .build(),
                CreateVolumeGroupSnapshotResponse.newBuilder().setGroupSnapshot(group).build(),
                findings));
  }

  private MappedAnswer<VolumeGroupSnapshot> get() {
    return MappedAnswer.of(
        findings ->
            GroupAnswerMapping.getVolumeGroupSnapshot(
                GetVolumeGroupSnapshotRequest.newBuilder()
                    .setGroupSnapshotId("g")
                    .addSnapshotIds("s1")
                    .addSnapshotIds("s2")
                    .build(),
                GetVolumeGroupSnapshotResponse.newBuilder().setGroupSnapshot(group).build(),
                findings));
  }
}
