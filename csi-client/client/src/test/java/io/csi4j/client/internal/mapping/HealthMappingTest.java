package io.csi4j.client.internal.mapping;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.client.internal.proto.ControllerGetVolumeHealthRequest;
import io.csi4j.client.internal.proto.ControllerGetVolumeHealthResponse;
import io.csi4j.client.internal.proto.ControllerListVolumeHealthRequest;
import io.csi4j.client.internal.proto.ControllerListVolumeHealthResponse;
import io.csi4j.client.internal.proto.NodeGetStorageHealthRequest;
import io.csi4j.client.internal.proto.NodeGetStorageHealthResponse;
import io.csi4j.client.internal.proto.NodeGetVolumeHealthRequest;
import io.csi4j.client.internal.proto.NodeGetVolumeHealthResponse;
import io.csi4j.client.internal.proto.VolumeHealth;
import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.HealthReason;
import io.csi4j.client.model.Page;
import io.csi4j.client.model.StorageHealthEntry;
import io.csi4j.client.model.VolumeCapability;
import io.csi4j.client.model.VolumeHealthEntry;
import io.csi4j.client.model.VolumeHealthReport;
import io.csi4j.client.model.VolumeId;
import io.csi4j.client.node.NodeService.StorageHealth;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class HealthMappingTest {

  private final VolumeHealth.Builder health = VolumeHealth.newBuilder().setVolumeId("v");
  private final NodeGetStorageHealthResponse.Builder storage =
      NodeGetStorageHealthResponse.newBuilder();

  @Test
  void theFaultsOfAVolumeComeThroughInTheirOrder() {
    add(2, "PathLost", "no path to the target");
    add(1, "ReplicaLost", "one of three replicas");
    for (var answer : both()) {
      assertThat(answer.get())
          .isEqualTo(
              new VolumeHealthReport(
                  VolumeId.of("v"),
                  List.of(
                      VolumeHealthEntry.of(
                          VolumeHealthEntry.Status.INACCESSIBLE,
                          HealthReason.of("PathLost"),
                          "no path to the target"),
                      VolumeHealthEntry.of(
                          VolumeHealthEntry.Status.DEGRADED,
                          HealthReason.of("ReplicaLost"),
                          "one of three replicas"))));
      assertThat(answer.get().isWell()).isFalse();
      assertThat(answer.warnings()).isEmpty();
    }
  }

  @Test
  void aVolumeWithoutFaultsIsWell() {
    for (var answer : both()) {
      assertThat(answer.get().isWell()).isTrue();
      assertThat(answer.warnings()).isEmpty();
    }
  }

  @Test
  void anAnswerWithoutHealthDoesNotMeanThatTheVolumeIsWell() {
    assertThat(
            MappedAnswer.of(
                    findings ->
                        HealthMapping.controllerGetVolumeHealth(
                            asked(),
                            ControllerGetVolumeHealthResponse.getDefaultInstance(),
                            findings))
                .violations())
        .containsExactly("volume_health REQUIRED");
    assertThat(
            MappedAnswer.of(
                    findings ->
                        HealthMapping.nodeGetVolumeHealth(
                            askedOnNode(),
                            NodeGetVolumeHealthResponse.getDefaultInstance(),
                            findings))
                .violations())
        .containsExactly("volume_health REQUIRED");
  }

  @Test
  void theHealthOfAnotherVolumeIsRefused() {
    health.setVolumeId("w");
    for (var answer : both()) {
      assertThat(answer.violations()).containsExactly("volume_health.volume_id MISMATCH");
      assertThat(answer.details().toString()).contains("is 'w'; requested: 'v'");
    }
    health.setVolumeId("");
    for (var answer : both()) {
      assertThat(answer.violations()).containsExactly("volume_health.volume_id REQUIRED");
    }
  }

  @Test
  void aStatusThatIsNotKnownIsKeptAsANumber() {
    add(99, "Sulking", "");
    for (var answer : both()) {
      VolumeHealthEntry entry = answer.get().entries().get(0);
      assertThat(entry.status()).isEqualTo(VolumeHealthEntry.Status.UNRECOGNIZED);
      assertThat(entry.number()).isEqualTo(99);
      assertThat(answer.get().isWell()).isFalse();
      assertThat(answer.warnings()).isEmpty();
    }
  }

  @Test
  void anEntryWithoutStatusOrReasonIsKeptAndReported() {
    add(0, "", "something");
    for (var answer : both()) {
      assertThat(answer.get().entries())
          .containsExactly(VolumeHealthEntry.of(0, HealthReason.of(""), "something"));
      assertThat(answer.warnings())
          .containsExactly(
              "volume_health.health_statuses[0].status REQUIRED",
              "volume_health.health_statuses[0].reason REQUIRED");
    }
  }

  @Test
  void ofTwoEntriesWithOneStatusAndReasonTheFirstIsKept() {
    add(1, "ReplicaLost", "first");
    add(2, "ReplicaLost", "another status");
    add(1, "Slow", "another reason");
    add(1, "ReplicaLost", "second");
    for (var answer : both()) {
      assertThat(answer.get().entries())
          .extracting(VolumeHealthEntry::message)
          .containsExactly("first", "another status", "another reason");
      assertThat(answer.warnings()).containsExactly("volume_health.health_statuses[3] MISMATCH");
    }
  }

  @Test
  void moreEntriesThanAnyoneReadsAreNotKept() {
    for (int i = 0; i <= HealthMapping.ENTRY_LIMIT; i++) {
      add(1, "Reason" + i, "");
    }
    for (var answer : both()) {
      assertThat(answer.get().entries()).hasSize(HealthMapping.ENTRY_LIMIT);
      assertThat(answer.warnings()).containsExactly("volume_health.health_statuses TOO_LARGE");
    }
  }

  @Test
  void textsOfAPluginAreMadeFitToPrint() {
    add(1, "Rea\nson", "x".repeat(5000) + "\u001b[2J");
    VolumeHealthEntry entry = both().get(0).get().entries().get(0);
    assertThat(entry.reason().word()).isEqualTo("Rea\\nson");
    assertThat(entry.message()).hasSizeLessThan(1100);
    assertThat(entry.toString().chars()).noneMatch(Character::isISOControl);
  }

  @Test
  void aPageLeavesOutEntriesThatNameNoVolume() {
    add(1, "ReplicaLost", "");
    var response =
        ControllerListVolumeHealthResponse.newBuilder()
            .addEntries(VolumeHealth.getDefaultInstance())
            .addEntries(health)
            .addEntries(VolumeHealth.newBuilder().setVolumeId("well"))
            .setNextToken("next");
    MappedAnswer<Page<VolumeHealthReport>> page = page(0, response);
    assertThat(page.get().entries())
        .extracting(report -> report.volumeId().value() + " " + report.isWell())
        .containsExactly("v false", "well true");
    assertThat(page.get().skipped()).isEqualTo(1);
    assertThat(page.get().nextToken()).contains("next");
    assertThat(page.warnings()).containsExactly("entries REQUIRED");
    assertThat(page(2, response).warnings())
        .containsExactly("entries TOO_LARGE", "entries REQUIRED");
  }

  @Test
  void aStorageMayBeUnwellForOneCapabilityOnly() {
    backend(2, "Unreachable", "no monitor answers");
    backend(2, "Unreachable", "for block devices")
        .getVolumeCapabilityBuilder()
        .setBlock(io.csi4j.client.internal.proto.VolumeCapability.BlockVolume.getDefaultInstance())
        .getAccessModeBuilder()
        .setMode(
            io.csi4j.client.internal.proto.VolumeCapability.AccessMode.Mode.SINGLE_NODE_WRITER);
    storage.addBackendHealth(storage.getBackendHealth(1));
    storage.addBackendHealth(storage.getBackendHealth(0));
    var answer = storage();
    assertThat(answer.get().entries())
        .containsExactly(
            new StorageHealthEntry(
                StorageHealthEntry.Status.STORAGE_UNREACHABLE,
                2,
                HealthReason.of("Unreachable"),
                "no monitor answers",
                Optional.empty()),
            new StorageHealthEntry(
                StorageHealthEntry.Status.STORAGE_UNREACHABLE,
                2,
                HealthReason.of("Unreachable"),
                "for block devices",
                Optional.of(VolumeCapability.block(AccessMode.SINGLE_NODE_WRITER))));
    assertThat(answer.get().isWell()).isFalse();
    assertThat(answer.warnings()).containsExactly("backend_health[2] MISMATCH");
  }

  @Test
  void aStorageWithoutFaultsIsWellAndUnknownStatusesAreKept() {
    assertThat(storage().get().isWell()).isTrue();
    backend(7, "New", "");
    assertThat(storage().get().entries())
        .extracting(StorageHealthEntry::status, StorageHealthEntry::number)
        .containsExactly(
            org.assertj.core.groups.Tuple.tuple(StorageHealthEntry.Status.UNRECOGNIZED, 7));
    assertThat(storage().warnings()).isEmpty();
  }

  private void add(int status, String reason, String message) {
    health.addHealthStatusesBuilder().setStatusValue(status).setReason(reason).setMessage(message);
  }

  private NodeGetStorageHealthResponse.StorageBackendHealth.Builder backend(
      int status, String reason, String message) {
    return storage
        .addBackendHealthBuilder()
        .setStatusValue(status)
        .setReason(reason)
        .setMessage(message);
  }

  private static ControllerGetVolumeHealthRequest asked() {
    return ControllerGetVolumeHealthRequest.newBuilder().setVolumeId("v").build();
  }

  private static NodeGetVolumeHealthRequest askedOnNode() {
    return NodeGetVolumeHealthRequest.newBuilder().setVolumeId("v").build();
  }

  /** The health as a controller tells it, and as a node does. */
  private List<MappedAnswer<VolumeHealthReport>> both() {
    return List.of(
        MappedAnswer.of(
            findings ->
                HealthMapping.controllerGetVolumeHealth(
                    asked(),
                    ControllerGetVolumeHealthResponse.newBuilder().setVolumeHealth(health).build(),
                    findings)),
        MappedAnswer.of(
            findings ->
                HealthMapping.nodeGetVolumeHealth(
                    askedOnNode(),
                    NodeGetVolumeHealthResponse.newBuilder().setVolumeHealth(health).build(),
                    findings)));
  }

  private MappedAnswer<StorageHealth> storage() {
    return MappedAnswer.of(
        findings ->
            HealthMapping.nodeGetStorageHealth(
                NodeGetStorageHealthRequest.getDefaultInstance(), storage.build(), findings));
  }

  private static MappedAnswer<Page<VolumeHealthReport>> page(
      int maxEntries, ControllerListVolumeHealthResponse.Builder response) {
    return MappedAnswer.of(
        findings ->
            ControllerAnswerMapping.controllerListVolumeHealth(
                ControllerListVolumeHealthRequest.newBuilder().setMaxEntries(maxEntries).build(),
                response.build(),
                findings));
  }
}
