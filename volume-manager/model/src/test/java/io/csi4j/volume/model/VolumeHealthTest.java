package io.csi4j.volume.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.client.model.HealthReason;
import io.csi4j.client.model.StorageHealthEntry;
import io.csi4j.client.model.VolumeHealthEntry;
import io.csi4j.client.model.VolumeHealthEntry.Status;
import io.csi4j.volume.model.VolumeHealth.Finding;
import io.csi4j.volume.model.VolumeHealth.Source;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What is wrong with a volume or a storage, in order and in words. */
class VolumeHealthTest {

  private static final Instant T1 = Instant.parse("2026-11-24T03:00:00Z");
  private static final Instant T2 = Instant.parse("2026-11-24T03:05:00Z");

  private static VolumeHealthEntry entry(Status status, String reason, String message) {
    return VolumeHealthEntry.of(status, HealthReason.of(reason), message);
  }

  private static Finding finding(VolumeHealthEntry entry, Instant since) {
    return new Finding(entry, Source.controller(), since, T2);
  }

  private static final Finding SLOW = finding(entry(Status.DEGRADED, "Slow", ""), T1);
  private static final Finding LATER = finding(entry(Status.DEGRADED, "Later", ""), T2);
  private static final Finding LOST = finding(entry(Status.DATA_LOSS, "Lost", ""), T2);
  private static final Finding UNKNOWN =
      finding(VolumeHealthEntry.of(9, HealthReason.of("New"), ""), T1);

  @Test
  void theWorstComesFirstThenTheOldestAndUnknownNumbersLast() {
    VolumeHealth health = new VolumeHealth(List.of(UNKNOWN, LATER, SLOW, LOST));
    assertThat(health.findings()).containsExactly(LOST, SLOW, LATER, UNKNOWN);
    assertThat(health.worst()).contains(LOST);
    assertThat(health.isWell()).isFalse();
  }

  @Test
  void aVolumeWithoutFindingsIsWell() {
    assertThat(VolumeHealth.well().isWell()).isTrue();
    assertThat(VolumeHealth.well().worst()).isEmpty();
    assertThat(new VolumeHealth(List.of())).isEqualTo(VolumeHealth.well());
  }

  @Test
  void whatIsKnownInTwoPlacesIsPutTogetherInOrder() {
    VolumeHealth here = new VolumeHealth(List.of(SLOW));
    VolumeHealth there = new VolumeHealth(List.of(UNKNOWN, LOST));
    assertThat(here.and(there).findings()).containsExactly(LOST, SLOW, UNKNOWN);
    assertThat(here.and(VolumeHealth.well())).isEqualTo(here);
  }

  @Test
  void aFindingIsOneLineWithStatusReasonSourceTimeAndWords() {
    VolumeHealthEntry dead = entry(Status.INACCESSIBLE, "DiskFailing", "two disks do not answer");
    Source node = new Source(Source.Kind.NODE, Optional.of(NodeName.of("n1")));
    assertThat(new Finding(dead, node, T1, T2).text())
        .isEqualTo(
            "INACCESSIBLE (DiskFailing), the plugin on node 'n1' says since 2026-11-24T03:00:00Z:"
                + " 'two disks do not answer'");
    assertThat(SLOW.text())
        .isEqualTo("DEGRADED (Slow), the plugin's controller says since 2026-11-24T03:00:00Z");
    Source host = new Source(Source.Kind.HOST, Optional.empty());
    assertThat(new Finding(entry(Status.DEGRADED, "", ""), host, T1, T2).text())
        .isEqualTo("DEGRADED, seen since 2026-11-24T03:00:00Z");
  }

  @Test
  void anUnknownStatusIsShownByItsNumber() {
    assertThat(UNKNOWN.entry().fault()).isEqualTo("status 9 (New)");
    assertThat(VolumeHealthEntry.of(0, HealthReason.of(""), "").fault()).isEqualTo("status 0");
  }

  @Test
  void aFindingOfStorageIsOneLine() {
    StorageHealthEntry far =
        StorageHealthEntry.of(
            StorageHealthEntry.Status.STORAGE_UNREACHABLE.number(),
            HealthReason.of("NoRoute"),
            "the array does not answer",
            Optional.empty());
    assertThat(new StorageFinding(far, T1, T2).text())
        .isEqualTo(
            "STORAGE_UNREACHABLE (NoRoute) since 2026-11-24T03:00:00Z: 'the array does not"
                + " answer'");
    StorageHealthEntry other =
        StorageHealthEntry.of(7, HealthReason.of("New"), "", Optional.empty());
    assertThat(new StorageFinding(other, T1, T2).text())
        .isEqualTo("status 7 (New) since 2026-11-24T03:00:00Z");
  }
}
