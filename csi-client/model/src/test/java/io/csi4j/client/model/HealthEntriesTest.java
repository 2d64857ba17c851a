package io.csi4j.client.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a plugin says is wrong with a volume or a storage. */
class HealthEntriesTest {

  @ParameterizedTest
  @EnumSource
  void aStatusOfAVolumeIsFoundByItsNumber(VolumeHealthEntry.Status status) {
    VolumeHealthEntry entry =
        VolumeHealthEntry.of(status.number(), HealthReason.of("Reason"), "message");
    assertThat(entry).isEqualTo(VolumeHealthEntry.of(status, HealthReason.of("Reason"), "message"));
    assertThat(entry.status()).isEqualTo(status);
  }

  @ParameterizedTest
  @EnumSource
  void aStatusOfAStorageIsFoundByItsNumber(StorageHealthEntry.Status status) {
    StorageHealthEntry entry =
        StorageHealthEntry.of(
            status.number(), HealthReason.of("Reason"), "message", Optional.empty());
    assertThat(entry.status()).isEqualTo(status);
    assertThat(entry.number()).isEqualTo(status.number());
  }

  @ParameterizedTest
  @ValueSource(ints = {Integer.MIN_VALUE, -1, 4, 99})
  void anUnknownNumberIsKept(int number) {
    VolumeHealthEntry ofVolume = VolumeHealthEntry.of(number, HealthReason.of(""), "");
    assertThat(ofVolume.status()).isEqualTo(VolumeHealthEntry.Status.UNRECOGNIZED);
    assertThat(ofVolume.number()).isEqualTo(number);
    StorageHealthEntry ofStorage =
        StorageHealthEntry.of(number, HealthReason.of(""), "", Optional.empty());
    assertThat(ofStorage.status()).isEqualTo(StorageHealthEntry.Status.UNRECOGNIZED);
    assertThat(ofStorage.number()).isEqualTo(number);
  }

  @Test
  void aStatusWithTheNumberOfAnotherIsRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(
            () ->
                new VolumeHealthEntry(
                    VolumeHealthEntry.Status.DEGRADED, 3, HealthReason.of("Reason"), ""))
        .withMessage("The status DEGRADED of a volume does not have the number 3.");
    assertThatIllegalArgumentException()
        .isThrownBy(
            () ->
                new StorageHealthEntry(
                    StorageHealthEntry.Status.UNRECOGNIZED,
                    1,
                    HealthReason.of("Reason"),
                    "",
                    Optional.empty()))
        .withMessage("The status UNRECOGNIZED of a storage does not have the number 1.");
  }

  @Test
  void aReportKeepsItsEntriesWhateverTheCallerDoesWithTheList() {
    List<VolumeHealthEntry> entries = new ArrayList<>();
    VolumeHealthReport well = new VolumeHealthReport(VolumeId.of("v"), entries);
    entries.add(
        VolumeHealthEntry.of(VolumeHealthEntry.Status.DATA_LOSS, HealthReason.of("DiskLost"), ""));
    VolumeHealthReport sick = new VolumeHealthReport(VolumeId.of("v"), entries);
    entries.clear();

    assertThat(well.isWell()).isTrue();
    assertThat(sick.isWell()).isFalse();
  }

  @Test
  void textsAreMadeFitToPrint() {
    VolumeHealthEntry entry = VolumeHealthEntry.of(1, HealthReason.of("a\nb"), "\u001b[2J");
    assertThat(entry.toString().chars()).noneMatch(Character::isISOControl);
    StorageHealthEntry storage =
        StorageHealthEntry.of(1, HealthReason.of("a\nb"), "\u001b[2J", Optional.empty());
    assertThat(storage.toString().chars()).noneMatch(Character::isISOControl);
  }
}
