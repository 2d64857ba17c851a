package io.csi4j.client.internal.mapping;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Int64Value;
import com.google.protobuf.Timestamp;
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
import io.csi4j.client.model.GroupSnapshotId;
import io.csi4j.client.model.NodeId;
import io.csi4j.client.model.Page;
import io.csi4j.client.model.PublishContext;
import io.csi4j.client.model.SnapshotId;
import io.csi4j.client.model.Topology;
import io.csi4j.client.model.VolumeCondition;
import io.csi4j.client.model.VolumeContentSource;
import io.csi4j.client.model.VolumeContext;
import io.csi4j.client.model.VolumeId;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ControllerAnswerMappingTest {

  @Nested
  class CreatingAVolume {

    private final CreateVolumeRequest.Builder request = CreateVolumeRequest.newBuilder();
    private final CreateVolumeResponse.Builder response = CreateVolumeResponse.newBuilder();

    @Test
    void aGoodVolumeComesThroughWithoutFindings() {
      request.getCapacityRangeBuilder().setRequiredBytes(10);
      request.getVolumeContentSourceBuilder().getSnapshotBuilder().setSnapshotId("s");
      response
          .getVolumeBuilder()
          .setVolumeId("v")
          .setCapacityBytes(10)
          .putVolumeContext("k", "x")
          .setContentSource(request.getVolumeContentSource())
          .addAccessibleTopologyBuilder()
          .putSegments("zone", "z");
      var answer = create();
      assertThat(answer.get())
          .isEqualTo(
              new ControllerResults.VolumeValue(
                  VolumeId.of("v"),
                  OptionalLong.of(10),
                  VolumeContext.of(Map.of("k", "x")),
                  Optional.of(VolumeContentSource.of(SnapshotId.of("s"))),
                  List.of(Topology.of(Map.of("zone", "z")))));
      assertThat(answer.warnings()).isEmpty();
      assertThat(answer.findings().created()).isEmpty();
    }

    @Test
    void anAnswerWithoutAVolumeOrAUsableIdIsRefused() {
      assertThat(create().violations()).containsExactly("volume REQUIRED");
      response.getVolumeBuilder();
      assertThat(create().violations()).containsExactly("volume.volume_id REQUIRED");
      response.getVolumeBuilder().setVolumeId("v".repeat(4097));
      assertThat(create().violations()).containsExactly("volume.volume_id TOO_LARGE");
      response.getVolumeBuilder().setVolumeId("a\0b");
      assertThat(create().violations()).containsExactly("volume.volume_id NUL");
      assertThat(create().findings().created()).isEmpty();
    }

    @Test
    void anIdBeyondTheSpecsLimitIsReported() {
      response.getVolumeBuilder().setVolumeId("v".repeat(128));
      assertThat(create().warnings()).isEmpty();
      response.getVolumeBuilder().setVolumeId("é".repeat(65));
      assertThat(create().warnings()).containsExactly("volume.volume_id TOO_LARGE");
    }

    @ParameterizedTest
    @CsvSource({
      "0, 0, 0, true",
      "5, 0, 0, true",
      "0, 10, 20, true",
      "10, 10, 20, true",
      "20, 10, 20, true",
      "9, 10, 0, false",
      "21, 0, 20, false",
      "-1, 0, 0, false",
      "-9223372036854775808, 10, 20, false",
      "9223372036854775807, 10, 20, false",
      "9223372036854775807, 10, 0, true"
    })
    void theCapacityHasToBeWithinWhatWasAskedFor(
        long bytes, long required, long limit, boolean good) {
      request.getCapacityRangeBuilder().setRequiredBytes(required).setLimitBytes(limit);
      response.getVolumeBuilder().setVolumeId("v").setCapacityBytes(bytes);
      var answer = create();
      if (good) {
        assertThat(answer.get().capacityBytes()).isEqualTo(ValueMapping.unlessZero(bytes));
      } else {
        assertThat(answer.violations()).containsExactly("volume.capacity_bytes OUT_OF_RANGE");
        assertThat(answer.details().get(0)).contains(String.valueOf(bytes));
        assertThat(answer.findings().created()).contains("v");
      }
    }

    @Test
    void aCapacityOutOfRangeIsReportedWithAllNumbers() {
      request.getCapacityRangeBuilder().setRequiredBytes(10).setLimitBytes(20);
      response.getVolumeBuilder().setVolumeId("v").setCapacityBytes(9);
      assertThat(create().details())
          .containsExactly("volume.capacity_bytes is 9; requested: at least 10, at most 20 bytes");
    }

    @Test
    void anotherSourceThanAskedForOrNoneIsRefused() {
      request.getVolumeContentSourceBuilder().getSnapshotBuilder().setSnapshotId("s");
      response.getVolumeBuilder().setVolumeId("v");
      assertThat(create().violations()).containsExactly("volume.content_source REQUIRED");
      assertThat(create().findings().created()).contains("v");

      var source = response.getVolumeBuilder().getContentSourceBuilder();
      source.getSnapshotBuilder().setSnapshotId("t");
      assertThat(create().details())
          .containsExactly("volume.content_source is snapshot 't'; requested: snapshot 's'");
      assertThat(create().violations()).containsExactly("volume.content_source MISMATCH");

      source.getVolumeBuilder().setVolumeId("s");
      assertThat(create().violations()).containsExactly("volume.content_source MISMATCH");
      assertThat(create().findings().created()).contains("v");
    }

    @Test
    void aSourceThatNobodyAskedForIsReported() {
      response.getVolumeBuilder().setVolumeId("v");
      var source = response.getVolumeBuilder().getContentSourceBuilder();
      assertThat(create().warnings()).isEmpty();
      source.getVolumeBuilder().setVolumeId("w");
      var answer = create();
      assertThat(answer.get().contentSource()).contains(VolumeContentSource.of(VolumeId.of("w")));
      assertThat(answer.warnings()).containsExactly("volume.content_source MISMATCH");

      source.getVolumeBuilder().setVolumeId("");
      var odd = create();
      assertThat(odd.get().contentSource()).isEmpty();
      assertThat(odd.warnings())
          .containsExactly(
              "volume.content_source.volume.volume_id REQUIRED", "volume.content_source MISMATCH");
    }

    @Test
    void aVolumeOutOfReachOfAllRequisitePlacesIsRefused() {
      request
          .getAccessibilityRequirementsBuilder()
          .addRequisiteBuilder()
          .putSegments("region", "r1")
          .putSegments("zone", "z1");
      response.getVolumeBuilder().setVolumeId("v");
      assertThat(create().violations()).isEmpty();

      var place = response.getVolumeBuilder().addAccessibleTopologyBuilder();
      place.putSegments("Region", "r1");
      assertThat(create().violations()).isEmpty();
      place.putSegments("zone", "z1").putSegments("rack", "k1");
      assertThat(create().violations()).isEmpty();
      place.putSegments("zone", "z2");
      assertThat(create().violations()).containsExactly("volume.accessible_topology MISMATCH");
      assertThat(create().findings().created()).contains("v");

      response.getVolumeBuilder().addAccessibleTopologyBuilder().putSegments("zone", "z1");
      assertThat(create().violations()).isEmpty();
    }

    @Test
    void contextsAreReportedOverFourAndRefusedOverSixtyFourKibibytes() {
      response.getVolumeBuilder().setVolumeId("v").putVolumeContext("k", "x".repeat(4095));
      assertThat(create().warnings()).isEmpty();
      response.getVolumeBuilder().putVolumeContext("k", "x".repeat(4096));
      assertThat(create().warnings()).containsExactly("volume.volume_context TOO_LARGE");
      response.getVolumeBuilder().putVolumeContext("k", "é".repeat(32 * 1024));
      assertThat(create().violations()).containsExactly("volume.volume_context TOO_LARGE");
      assertThat(create().findings().created()).contains("v");
    }

    @Test
    void placesAreCheckedAndCounted() {
      response.getVolumeBuilder().setVolumeId("v").addAccessibleTopologyBuilder();
      response.getVolumeBuilder().addAccessibleTopologyBuilder().putSegments("bad key", "v");
      assertThat(create().warnings())
          .containsExactly("volume.accessible_topology[1].segments CHARACTERS");
      for (int i = 0; i < 1024; i++) {
        response.getVolumeBuilder().addAccessibleTopologyBuilder();
      }
      assertThat(create().violations()).containsExactly("volume.accessible_topology TOO_LARGE");
    }

    @Test
    void allThatIsWrongIsToldAtOnce() {
      request.getVolumeContentSourceBuilder().getVolumeBuilder().setVolumeId("w");
      response.getVolumeBuilder().setCapacityBytes(-5).putVolumeContext("k", "x".repeat(1 << 17));
      assertThat(create().violations())
          .containsExactly(
              "volume.capacity_bytes OUT_OF_RANGE",
              "volume.volume_id REQUIRED",
              "volume.volume_context TOO_LARGE",
              "volume.content_source REQUIRED");
    }

    private MappedAnswer<Volume> create() {
      return MappedAnswer.of(
          findings ->
              ControllerAnswerMapping.createVolume(request.build(), response.build(), findings));
    }
  }

  @Nested
  class ListingVolumes {

    private final ListVolumesResponse.Builder response = ListVolumesResponse.newBuilder();

    @Test
    void entriesComeWithTheirNodesAndCondition() {
      var entry = response.addEntriesBuilder();
      entry.getVolumeBuilder().setVolumeId("v").setCapacityBytes(7);
      entry
          .getStatusBuilder()
          .addPublishedNodeIds("n1")
          .addPublishedNodeIds("")
          .addPublishedNodeIds("a\0")
          .addPublishedNodeIds("n2")
          .getVolumeConditionBuilder()
          .setAbnormal(true)
          .setMessage("x".repeat(1 << 20));
      response.addEntriesBuilder().getVolumeBuilder().setVolumeId("w");
      response.setNextToken("next");
      var answer = list(0);
      Page<VolumeEntry> page = answer.get();
      assertThat(page.entries()).extracting(e -> e.volume().id().value()).containsExactly("v", "w");
      assertThat(page.entries().get(0).volume().capacityBytes()).hasValue(7);
      assertThat(page.entries().get(0).publishedNodes())
          .containsExactly(NodeId.of("n1"), NodeId.of("n2"));
      assertThat(page.entries().get(0).condition())
          .get()
          .matches(VolumeCondition::abnormal)
          .extracting(condition -> condition.message().length() < 1100)
          .isEqualTo(true);
      assertThat(page.entries().get(1).condition()).isEmpty();
      assertThat(page.nextToken()).contains("next");
      assertThat(page.skipped()).isZero();
      assertThat(answer.warnings())
          .containsExactly(
              "entries[0].status.published_node_ids[1] REQUIRED",
              "entries[0].status.published_node_ids[2] NUL");
    }

    @Test
    void entriesThatCannotBeUsedAreLeftOutAndCounted() {
      response.addEntriesBuilder();
      response.addEntriesBuilder().getVolumeBuilder().setVolumeId("");
      response.addEntriesBuilder().getVolumeBuilder().setVolumeId("v");
      response.addEntriesBuilder().getVolumeBuilder().setVolumeId("v".repeat(5000));
      response.addEntriesBuilder().getVolumeBuilder().setVolumeId("\0");
      response
          .addEntriesBuilder()
          .getVolumeBuilder()
          .setVolumeId("w")
          .putVolumeContext("k", "x".repeat(1 << 17));
      var answer = list(0);
      assertThat(answer.get().entries())
          .extracting(e -> e.volume().id().value())
          .containsExactly("v");
      assertThat(answer.get().skipped()).isEqualTo(5);
      assertThat(answer.get().nextToken()).isEmpty();
      assertThat(answer.warnings()).containsExactly("entries REQUIRED");
      assertThat(answer.findings().warnings().get(0))
          .hasToString(
              "entries 5 of 6 were left out, the first because entries[0].volume.volume_id is"
                  + " empty");
    }

    @Test
    void aNegativeCapacityInAListCountsAsUnknown() {
      response.addEntriesBuilder().getVolumeBuilder().setVolumeId("v").setCapacityBytes(-1);
      var answer = list(0);
      assertThat(answer.get().entries().get(0).volume().capacityBytes()).isEmpty();
      assertThat(answer.warnings())
          .containsExactly("entries[0].volume.capacity_bytes OUT_OF_RANGE");
    }

    @Test
    void moreEntriesThanAskedForAreTakenAndReported() {
      response.addEntriesBuilder().getVolumeBuilder().setVolumeId("v");
      response.addEntriesBuilder().getVolumeBuilder().setVolumeId("w");
      assertThat(list(2).warnings()).isEmpty();
      var answer = list(1);
      assertThat(answer.get().entries()).hasSize(2);
      assertThat(answer.warnings()).containsExactly("entries TOO_LARGE");
    }

    @Test
    void oneKindOfOddityIsReportedOnceForAPage() {
      for (int i = 0; i < 100; i++) {
        response.addEntriesBuilder().getVolumeBuilder().setVolumeId("v".repeat(200) + i);
      }
      assertThat(list(0).warnings()).containsExactly("entries[0].volume.volume_id TOO_LARGE");
    }

    private MappedAnswer<Page<VolumeEntry>> list(int maxEntries) {
      return MappedAnswer.of(
          findings ->
              ControllerAnswerMapping.listVolumes(
                  ListVolumesRequest.newBuilder().setMaxEntries(maxEntries).build(),
                  response.build(),
                  findings));
    }
  }

  @Nested
  class ReadingAVolume {

    private final ControllerGetVolumeResponse.Builder response =
        ControllerGetVolumeResponse.newBuilder();

    @Test
    void theVolumeComesWithItsNodesAndCondition() {
      response.getVolumeBuilder().setVolumeId("v");
      response
          .getStatusBuilder()
          .addPublishedNodeIds("n")
          .getVolumeConditionBuilder()
          .setMessage("fine");
      var answer = get();
      assertThat(answer.get().publishedNodes()).containsExactly(NodeId.of("n"));
      assertThat(answer.get().condition()).contains(new VolumeCondition(false, "fine"));
      assertThat(answer.warnings()).isEmpty();
    }

    @Test
    void anotherVolumeThanAskedForIsRefused() {
      response.getVolumeBuilder().setVolumeId("w\n");
      assertThat(get().violations()).containsExactly("volume.volume_id MISMATCH");
      assertThat(get().details()).containsExactly("volume.volume_id is 'w\\n'; requested: 'v'");
    }

    @Test
    void noVolumeNoIdAndNegativeSizesAreRefused() {
      assertThat(get().violations()).containsExactly("volume REQUIRED");
      response.getVolumeBuilder().setCapacityBytes(-1);
      assertThat(get().violations())
          .containsExactly("volume.capacity_bytes OUT_OF_RANGE", "volume.volume_id REQUIRED");
    }

    private MappedAnswer<VolumeEntry> get() {
      return MappedAnswer.of(
          findings ->
              ControllerAnswerMapping.controllerGetVolume(
                  ControllerGetVolumeRequest.newBuilder().setVolumeId("v").build(),
                  response.build(),
                  findings));
    }
  }

  @Nested
  class Publishing {

    @Test
    void theContextIsTakenAsItIs() {
      assertThat(publish("token").get().publishContext())
          .isEqualTo(PublishContext.of(Map.of("k", "token")));
    }

    @Test
    void largeContextsAreReportedAndHugeOnesRefused() {
      assertThat(publish("x".repeat(5000)).warnings()).containsExactly("publish_context TOO_LARGE");
      var huge = publish("hunter2".repeat(10_000));
      assertThat(huge.violations()).containsExactly("publish_context TOO_LARGE");
      assertThat(huge.details().toString()).doesNotContain("hunter2");
    }

    private static MappedAnswer<ControllerService.PublishVolumeResult> publish(String value) {
      return MappedAnswer.of(
          findings ->
              ControllerAnswerMapping.controllerPublishVolume(
                  ControllerPublishVolumeRequest.getDefaultInstance(),
                  ControllerPublishVolumeResponse.newBuilder()
                      .putPublishContext("k", value)
                      .build(),
                  findings));
    }
  }

  @Nested
  class ReadingTheCapacity {

    private final GetCapacityResponse.Builder response = GetCapacityResponse.newBuilder();

    @Test
    void anAbsentBoundDiffersFromZero() {
      response.setAvailableCapacity(5);
      assertThat(get().get())
          .isEqualTo(
              new ControllerResults.CapacityValue(5, OptionalLong.empty(), OptionalLong.empty()));
      response.setMaximumVolumeSize(Int64Value.of(0)).setMinimumVolumeSize(Int64Value.of(0));
      assertThat(get().get())
          .isEqualTo(
              new ControllerResults.CapacityValue(5, OptionalLong.of(0), OptionalLong.of(0)));
      assertThat(get().warnings()).isEmpty();
    }

    @Test
    void aNegativeCapacityIsRefused() {
      response.setAvailableCapacity(Long.MIN_VALUE);
      assertThat(get().violations()).containsExactly("available_capacity OUT_OF_RANGE");
    }

    @Test
    void oddBoundsAreReported() {
      response.setMaximumVolumeSize(Int64Value.of(-1)).setMinimumVolumeSize(Int64Value.of(-2));
      assertThat(get().get().maximumVolumeSize()).isEmpty();
      assertThat(get().get().minimumVolumeSize()).isEmpty();
      assertThat(get().warnings())
          .containsExactly("maximum_volume_size OUT_OF_RANGE", "minimum_volume_size OUT_OF_RANGE");
      response.setMaximumVolumeSize(Int64Value.of(1)).setMinimumVolumeSize(Int64Value.of(2));
      assertThat(get().get().minimumVolumeSize()).hasValue(2);
      assertThat(get().warnings()).containsExactly("minimum_volume_size MISMATCH");
    }

    private MappedAnswer<Capacity> get() {
      return MappedAnswer.of(
          findings ->
              ControllerAnswerMapping.getCapacity(
                  GetCapacityRequest.getDefaultInstance(), response.build(), findings));
    }
  }

  @Nested
  class Snapshots {

    private final io.csi4j.client.internal.proto.Snapshot.Builder snapshot =
        io.csi4j.client.internal.proto.Snapshot.newBuilder()
            .setSnapshotId("s")
            .setSourceVolumeId("v")
            .setCreationTime(Timestamp.newBuilder().setSeconds(5).setNanos(6));

    @Test
    void aGoodSnapshotComesThroughWithoutFindings() {
      snapshot.setSizeBytes(7).setReadyToUse(true).setGroupSnapshotId("g");
      snapshot.addAccessibleTopologyBuilder().putSegments("zone", "z1");
      for (var answer : List.of(create(), get())) {
        assertThat(answer.get())
            .isEqualTo(
                new ControllerResults.SnapshotValue(
                    SnapshotId.of("s"),
                    VolumeId.of("v"),
                    OptionalLong.of(7),
                    Optional.of(Instant.ofEpochSecond(5, 6)),
                    true,
                    Optional.of(GroupSnapshotId.of("g")),
                    List.of(Topology.of(Map.of("zone", "z1")))));
        assertThat(answer.warnings()).isEmpty();
        assertThat(answer.findings().created()).isEmpty();
      }
    }

    @Test
    void aSnapshotWithMorePlacesThanAnyoneHasIsRefused() {
      for (int i = 0; i < ControllerAnswerMapping.TOPOLOGY_LIMIT; i++) {
        snapshot.addAccessibleTopologyBuilder().putSegments("zone", "z" + i);
      }
      assertThat(get().get().accessibleTopology()).hasSize(ControllerAnswerMapping.TOPOLOGY_LIMIT);
      snapshot.addAccessibleTopologyBuilder().putSegments("zone", "one-more");
      assertThat(get().violations()).containsExactly("snapshot.accessible_topology TOO_LARGE");
    }

    @Test
    void aSnapshotInAPlaceThatWasNotAskedForIsKeptAndReported() {
      snapshot.addAccessibleTopologyBuilder().putSegments("zone", "z2");
      CreateSnapshotRequest.Builder request =
          CreateSnapshotRequest.newBuilder().setSourceVolumeId("v");
      request.getAccessibilityRequirementsBuilder().addRequisiteBuilder().putSegments("zone", "z1");
      var elsewhere = created(request);
      assertThat(elsewhere.get().accessibleTopology())
          .containsExactly(Topology.of(Map.of("zone", "z2")));
      assertThat(elsewhere.warnings()).containsExactly("snapshot.accessible_topology MISMATCH");

      request.getAccessibilityRequirementsBuilder().addRequisiteBuilder().putSegments("zone", "z2");
      assertThat(created(request).warnings()).isEmpty();
    }

    private MappedAnswer<Snapshot> created(CreateSnapshotRequest.Builder request) {
      return MappedAnswer.of(
          findings ->
              ControllerAnswerMapping.createSnapshot(
                  request.build(),
                  CreateSnapshotResponse.newBuilder().setSnapshot(snapshot).build(),
                  findings));
    }

    @Test
    void anAnswerWithoutASnapshotIsRefused() {
      assertThat(
              MappedAnswer.of(
                      findings ->
                          ControllerAnswerMapping.createSnapshot(
                              CreateSnapshotRequest.getDefaultInstance(),
                              CreateSnapshotResponse.getDefaultInstance(),
                              findings))
                  .violations())
          .containsExactly("snapshot REQUIRED");
      assertThat(
              MappedAnswer.of(
                      findings ->
                          ControllerAnswerMapping.getSnapshot(
                              GetSnapshotRequest.getDefaultInstance(),
                              GetSnapshotResponse.getDefaultInstance(),
                              findings))
                  .violations())
          .containsExactly("snapshot REQUIRED");
    }

    @Test
    void aSnapshotOfAnotherVolumeIsRefusedAndNotOfferedForDeletion() {
      snapshot.setSourceVolumeId("w");
      var answer = create();
      assertThat(answer.details())
          .containsExactly("snapshot.source_volume_id is 'w'; requested: 'v'");
      assertThat(answer.violations()).containsExactly("snapshot.source_volume_id MISMATCH");
      assertThat(answer.findings().created()).isEmpty();
    }

    @Test
    void aSnapshotThatCannotBeUsedIsNamed() {
      snapshot.setSizeBytes(-1).setGroupSnapshotId("\0");
      var answer = create();
      assertThat(answer.violations())
          .containsExactly("snapshot.size_bytes OUT_OF_RANGE", "snapshot.group_snapshot_id NUL");
      assertThat(answer.findings().created()).contains("s");
      snapshot.clearSourceVolumeId();
      assertThat(create().violations()).contains("snapshot.source_volume_id REQUIRED");
      assertThat(create().findings().created()).contains("s");
    }

    @Test
    void anotherSnapshotThanAskedForIsRefused() {
      snapshot.setSnapshotId("t");
      assertThat(get().violations()).containsExactly("snapshot.snapshot_id MISMATCH");
      assertThat(get().findings().created()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
      "0, 0, true",
      "253402300799, 999999999, true",
      "253402300800, 0, false",
      "-1, 0, false",
      "5, -1, false",
      "5, 1000000000, false",
      "9223372036854775807, 2147483647, false",
      "-9223372036854775808, -2147483648, false"
    })
    void impossibleTimesCountAsNone(long seconds, int nanos, boolean possible) {
      snapshot.setCreationTime(Timestamp.newBuilder().setSeconds(seconds).setNanos(nanos));
      var answer = create();
      assertThat(answer.get().creationTime())
          .isEqualTo(
              possible ? Optional.of(Instant.ofEpochSecond(seconds, nanos)) : Optional.empty());
      assertThat(answer.warnings())
          .isEqualTo(possible ? List.of() : List.of("snapshot.creation_time OUT_OF_RANGE"));
    }

    @Test
    void anAbsentTimeIsReported() {
      snapshot.clearCreationTime();
      assertThat(create().get().creationTime()).isEmpty();
      assertThat(create().warnings()).containsExactly("snapshot.creation_time REQUIRED");
    }

    @Test
    void entriesThatCannotBeUsedAreLeftOutAndCounted() {
      var response = ListSnapshotsResponse.newBuilder().setNextToken("t");
      response.addEntriesBuilder();
      response.addEntriesBuilder().setSnapshot(snapshot);
      response.addEntriesBuilder().setSnapshot(snapshot.clone().setSizeBytes(-1));
      response.addEntriesBuilder().setSnapshot(snapshot.clone().clearSourceVolumeId());
      var answer = list(ListSnapshotsRequest.newBuilder().setMaxEntries(3), response);
      assertThat(answer.get().entries()).hasSize(2);
      assertThat(answer.get().entries().get(1).sizeBytes()).isEmpty();
      assertThat(answer.get().skipped()).isEqualTo(2);
      assertThat(answer.get().nextToken()).contains("t");
      assertThat(answer.warnings())
          .containsExactly(
              "entries TOO_LARGE",
              "entries[2].snapshot.size_bytes OUT_OF_RANGE",
              "entries REQUIRED");
    }

    @Test
    void entriesThatWereNotAskedForAreReported() {
      var response = ListSnapshotsResponse.newBuilder();
      response.addEntriesBuilder().setSnapshot(snapshot);
      assertThat(
              list(
                      ListSnapshotsRequest.newBuilder().setSnapshotId("s").setSourceVolumeId("v"),
                      response)
                  .warnings())
          .isEmpty();
      assertThat(
              list(
                      ListSnapshotsRequest.newBuilder().setSnapshotId("t").setSourceVolumeId("w"),
                      response)
                  .warnings())
          .containsExactly(
              "entries[0].snapshot.source_volume_id MISMATCH",
              "entries[0].snapshot.snapshot_id MISMATCH");
    }

    private MappedAnswer<Snapshot> create() {
      return MappedAnswer.of(
          findings ->
              ControllerAnswerMapping.createSnapshot(
                  CreateSnapshotRequest.newBuilder().setSourceVolumeId("v").build(),
                  CreateSnapshotResponse.newBuilder().setSnapshot(snapshot).build(),
                  findings));
    }

    private MappedAnswer<Snapshot> get() {
      return MappedAnswer.of(
          findings ->
              ControllerAnswerMapping.getSnapshot(
                  GetSnapshotRequest.newBuilder().setSnapshotId("s").build(),
                  GetSnapshotResponse.newBuilder().setSnapshot(snapshot).build(),
                  findings));
    }

    private static MappedAnswer<Page<Snapshot>> list(
        ListSnapshotsRequest.Builder request, ListSnapshotsResponse.Builder response) {
      return MappedAnswer.of(
          findings ->
              ControllerAnswerMapping.listSnapshots(request.build(), response.build(), findings));
    }
  }

  @ParameterizedTest
  @CsvSource({"0, true", "10, true", "11, true", "9, false", "21, false", "-1, false"})
  void aGrownVolumeHasToBeAsLargeAsAskedFor(long bytes, boolean good) {
    var request = ControllerExpandVolumeRequest.newBuilder();
    request.getCapacityRangeBuilder().setRequiredBytes(10).setLimitBytes(20);
    MappedAnswer<ControllerService.ExpandVolumeResult> answer =
        MappedAnswer.of(
            findings ->
                ControllerAnswerMapping.controllerExpandVolume(
                    request.build(),
                    ControllerExpandVolumeResponse.newBuilder()
                        .setCapacityBytes(bytes)
                        .setNodeExpansionRequired(true)
                        .build(),
                    findings));
    assertThat(answer.violations())
        .isEqualTo(good ? List.of() : List.of("capacity_bytes OUT_OF_RANGE"));
    if (good) {
      assertThat(answer.get().capacityBytes()).isEqualTo(ValueMapping.unlessZero(bytes));
      assertThat(answer.get().nodeExpansionRequired()).isTrue();
    }
  }

  @Test
  void everyControllerCapabilityIsKnownAndOthersAreNoted() {
    var response = ControllerGetCapabilitiesResponse.newBuilder();
    for (int number = 0; number <= ControllerCapability.values().length; number++) {
      response.addCapabilitiesBuilder().getRpcBuilder().setTypeValue(number);
      response.addCapabilitiesBuilder().getRpcBuilder().setTypeValue(number);
    }
    response.addCapabilitiesBuilder().getRpcBuilder().setTypeValue(99);
    response.addCapabilitiesBuilder();
    var answer =
        ControllerAnswerMapping.controllerGetCapabilities(
            ControllerGetCapabilitiesRequest.getDefaultInstance(),
            response.build(),
            new AnswerFindings());
    assertThat(answer.offered()).containsExactlyInAnyOrder(ControllerCapability.values());
    assertThat(answer.unrecognized()).containsExactlyInAnyOrder("rpc 0", "rpc 99", "empty");
  }
}
