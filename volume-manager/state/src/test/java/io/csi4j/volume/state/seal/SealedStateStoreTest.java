package io.csi4j.volume.state.seal;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.csi4j.volume.state.JournalSettings;
import io.csi4j.volume.state.MemoryMedium;
import io.csi4j.volume.state.StateException;
import io.csi4j.volume.state.StateStore;
import io.csi4j.volume.state.StateStore.Durability;
import io.csi4j.volume.state.StateStoreContract;
import io.csi4j.volume.state.StateValue;
import io.csi4j.volume.state.journal.JournalStateStore;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A sealed store keeps the contract, and the medium below it never sees a value in clear. */
class SealedStateStoreTest extends StateStoreContract {

  private static final String NOTE = "chap-password";
  private static final AesGcmSealer.Keys FIRST = AesGcmSealer.Keys.of("k1", new byte[32]);
  private static final AesGcmSealer.Keys SECOND =
      AesGcmSealer.Keys.of("k2", "0123456789abcdef".getBytes(US_ASCII));

  private final MemoryMedium medium = MemoryMedium.create();

  @Override
  protected StateStore open() {
    return open(FIRST);
  }

  private StateStore open(AesGcmSealer.Keys keys) {
    return SealedStateStore.on(medium.open(), AesGcmSealer.of(keys));
  }

  @Override
  protected void crash(StateStore store) {
    medium.crash();
  }

  @Override
  protected void refuseWrites() {
    medium.refuse(StateException.Reason.STATE_DISK_FULL);
  }

  @Override
  protected void acceptWrites() {
    medium.accept();
  }

  /** What the medium has under a key, byte for byte. */
  private String onTheMedium() {
    try (StateStore clear = medium.open()) {
      return new String(clear.load().value(VOLUME).orElseThrow().bytes(), US_ASCII);
    }
  }

  private void keep(AesGcmSealer.Keys keys) {
    try (StateStore store = open(keys)) {
      store.put(VOLUME, value(NOTE), Durability.REQUIRED);
    }
  }

  @Test
  void theMediumSeesTheIdOfTheKeyAndNothingOfTheValue() {
    keep(FIRST);

    assertThat(onTheMedium()).startsWith("\0\2k1").doesNotContain(NOTE, "chap");
  }

  @Test
  void theJournalKeepsAValueOfTheLargestSizeToo(@TempDir Path directory) {
    StateValue largest = StateValue.of(new byte[StateValue.MAX_SIZE]);
    JournalSettings settings = JournalSettings.builder().acceptAnyFilesystem(true).build();
    try (StateStore store = sealed(directory.resolve("state"), settings)) {
      store.put(VOLUME, largest, Durability.REQUIRED);
    }

    try (StateStore store = sealed(directory.resolve("state"), settings)) {
      assertThat(store.load().value(VOLUME)).contains(largest);
    }
  }

  private static StateStore sealed(Path directory, JournalSettings settings) {
    return SealedStateStore.on(JournalStateStore.open(directory, settings), AesGcmSealer.of(FIRST));
  }

  @Test
  void oneValueIsNeverSealedTheSameTwice() {
    keep(FIRST);
    String before = onTheMedium();
    keep(FIRST);

    assertThat(onTheMedium()).isNotEqualTo(before).hasSameSizeAs(before);
  }

  @Test
  void whatStandsInClearIsReadAndSealedByTheOpening() {
    try (StateStore clear = medium.open()) {
      clear.put(VOLUME, value(NOTE), Durability.REQUIRED);
    }
    try (StateStore store = open(FIRST)) {
      assertThat(store.load().values()).containsEntry(VOLUME, value(NOTE));
    }

    assertThat(onTheMedium()).startsWith("\0\2k1").doesNotContain(NOTE);
  }

  @Test
  void whatAFormerKeySealedIsReadAndSealedWithThePresentOne() {
    keep(FIRST);
    try (StateStore store = open(SECOND.withFormer("k1", new byte[32]))) {
      assertThat(store.load().values()).containsEntry(VOLUME, value(NOTE));
    }

    assertThat(onTheMedium()).startsWith("\0\2k2");
    try (StateStore store = open(SECOND)) {
      assertThat(store.load().values()).as("k1 is not needed").containsEntry(VOLUME, value(NOTE));
    }
  }

  @Test
  void withoutTheKeyNothingIsOpenedAndNothingIsChanged() {
    keep(FIRST);
    String before = onTheMedium();

    assertThatExceptionOfType(StateException.class)
        .isThrownBy(() -> open(SECOND))
        .withMessage(
            "Opening VOLUME/v-1 of the state failed: it is sealed with the key 'k1', which this "
                + "host does not have. Give it that key.")
        .satisfies(e -> assertThat(e.reason()).isEqualTo(StateException.Reason.STATE_SEALED));

    assertThat(onTheMedium()).isEqualTo(before);
  }

  @Test
  void aValueThatWasMovedToAnotherKeyIsNotBelieved() {
    keep(FIRST);
    try (StateStore clear = medium.open()) {
      StateValue sealed = clear.load().value(VOLUME).orElseThrow();
      clear.put(OTHER, sealed, Durability.REQUIRED);
    }

    assertThatExceptionOfType(StateException.class)
        .isThrownBy(() -> open(FIRST))
        .withMessageStartingWith("Opening VOLUME/v-2 of the state failed: its seal is broken")
        .satisfies(e -> assertThat(e.reason()).isEqualTo(StateException.Reason.STATE_SEALED));
  }

  @Test
  void anOpeningOnADiskThatIsFullLeavesForLaterWhatItCannotSeal() {
    try (StateStore clear = medium.open()) {
      clear.put(VOLUME, value(NOTE), Durability.REQUIRED);
    }
    refuseWrites();

    try (StateStore store = open(FIRST)) {
      assertThat(store.load().values()).containsEntry(VOLUME, value(NOTE));
    }
  }
}
