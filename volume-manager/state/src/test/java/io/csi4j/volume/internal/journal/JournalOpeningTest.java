package io.csi4j.volume.internal.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.csi4j.volume.internal.disk.DiskException;
import io.csi4j.volume.internal.disk.DiskException.Kind;
import io.csi4j.volume.internal.disk.FakeDisk;
import io.csi4j.volume.internal.disk.FakeDisk.Operation;
import io.csi4j.volume.state.StateEvent;
import io.csi4j.volume.state.StateException;
import io.csi4j.volume.state.StateStore;
import io.csi4j.volume.state.StateStore.Durability;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The checks on the way into a directory. */
class JournalOpeningTest {

  private final Fixture fixture = new Fixture();
  private final FakeDisk disk = FakeDisk.with(Fixture.ROOT);

  private void write() {
    try (StateStore store = fixture.open(disk)) {
      store.put(Fixture.A, Fixture.value("one"), Durability.REQUIRED);
    }
  }

  private StateException refusal() {
    try {
      fixture.open(disk);
      throw new AssertionError("opening was to be refused");
    } catch (StateException e) {
      return e;
    }
  }

  // ---- the directory above

  private void failSyncAbove(Kind kind) {
    disk.fail(
        kind,
        (operation, path) -> operation == Operation.SYNC_DIRECTORY && path.equals(Fixture.ROOT));
  }

  @Test
  void onlyTheLastPartOfThePathIsMade() {
    Path above = Fixture.ROOT.resolve("missing");

    assertThatExceptionOfType(StateException.class)
        .isThrownBy(() -> Journal.open(disk, above.resolve("state"), fixture.settings().build()))
        .withMessage(
            "Opening the state in /disk/missing/state failed: the directory above it,"
                + " /disk/missing, is missing, and csi4j creates only the last part of a path."
                + " Create the one above, or mount its filesystem.")
        .extracting(StateException::reason)
        .isEqualTo(StateException.Reason.STATE_NOT_USABLE);
    assertThat(Journal.open(disk, above, fixture.settings().build()).load().values()).isEmpty();
  }

  @Test
  void aNewDirectoryIsRefusedWhenADiskFailsToKeepItsName() {
    failSyncAbove(Kind.FAILED);

    assertThat(refusal().reason()).isEqualTo(StateException.Reason.JOURNAL_SYNC_FAILED);
  }

  @Test
  void aNewDirectoryIsUsedWhenTheOneAboveMayNotBeRead() {
    failSyncAbove(Kind.DENIED);

    assertThat(fixture.open(disk).put(Fixture.A, Fixture.value("one"), Durability.REQUIRED))
        .isNotNull();
  }

  @ParameterizedTest
  @EnumSource(names = {"FAILED", "DENIED", "NO_SPACE"})
  void aDirectoryThatIsThereIsUsedWhateverTheOneAboveSays(Kind kind) {
    write();
    failSyncAbove(kind);

    assertThat(fixture.open(disk).load().values()).containsOnlyKeys(Fixture.A);
  }

  // ---- modes

  private void failSetMode(Kind kind) {
    disk.fail(kind, (operation, path) -> operation == Operation.SET_MODE);
  }

  @Test
  void aModeThatCannotBeSetRightIsARefusal() throws DiskException {
    write();
    disk.setMode(Fixture.STATE, 0755);
    failSetMode(Kind.DENIED);

    assertThat(refusal().reason()).isEqualTo(StateException.Reason.STATE_NOT_USABLE);
    disk.heal();
    assertThat(fixture.open(disk).load().values())
        .as("the lock was released")
        .containsOnlyKeys(Fixture.A);
  }

  @Test
  void aModeThatAReadOnlyDiskKeepsIsNoRefusal() throws DiskException {
    write();
    disk.setMode(Fixture.STATE, 0755);
    failSetMode(Kind.READ_ONLY);

    assertThat(fixture.open(disk).load().values()).containsOnlyKeys(Fixture.A);
    assertThat(fixture.told(StateEvent.Repaired.class)).isEmpty();
  }

  @Test
  void onlyTheModesOfTheJournalsOwnFilesAreSet() throws DiskException {
    write();
    Path other = Fixture.STATE.resolve("note.txt");
    disk.overwrite(other, new byte[1]);
    disk.setMode(other, 0644);
    fixture.open(disk);

    assertThat(disk.facts(other))
        .hasValueSatisfying(facts -> assertThat(facts.mode()).isEqualTo(0644));
    assertThat(fixture.told(StateEvent.Repaired.class)).isEmpty();
  }

  // ---- between the first look and the lock

  @Test
  void aNewerVersionThatWroteUntilTheLockWasFreeIsRespected() {
    write();
    AtomicBoolean hasWritten = new AtomicBoolean();
    disk.fail(
        Kind.FAILED,
        (operation, path) -> {
          if (operation == Operation.LOCK && hasWritten.compareAndSet(false, true)) {
            byte[] newer = new Header(2, 2, 4096, Fixture.HOST).entry(9, 9).encode();
            disk.overwrite(Fixture.segment(2), Arrays.copyOf(newer, 4096));
          }
          return false;
        });
    StateException refusal = refusal();

    assertThat(hasWritten).isTrue();
    assertThat(refusal.reason()).isEqualTo(StateException.Reason.STATE_FROM_NEWER_VERSION);
    assertThat(refusal)
        .hasMessage(
            "Opening the state in /disk/state failed: a newer version of csi4j wrote it, and"
                + " nothing in it was changed. Run that version or a later one.");
    assertThat(disk.files()).contains(Fixture.segment(1)).doesNotContain(Fixture.segment(3));
  }

  // ---- numbers

  @Test
  void numbersThatAreUsedUpAreTold() {
    long last = 1L << 62;
    byte[] segment = new byte[4096];
    ByteBuffer.wrap(segment)
        .order(ByteOrder.LITTLE_ENDIAN)
        .put(Header.of(1, 4096, Fixture.HOST).entry(last, 5).encode());
    disk.mkdir(Fixture.STATE);
    disk.overwrite(Fixture.segment(1), segment);
    StateException refusal = refusal();

    assertThat(refusal.reason()).isEqualTo(StateException.Reason.STATE_NOT_USABLE);
    assertThat(refusal)
        .hasMessage(
            "Opening the state in /disk/state failed: its records have the number "
                + last
                + " and the epoch 5, the highest possible ones: another program wrote them. Move "
                + "the directory away; the state is then rebuilt from the directories of the"
                + " volumes.");
  }

  @Test
  void aNumberAfterWhichAnOwnerHasEnoughIsNotUsedUp() {
    long most = (1L << 62) - (1L << 40);
    for (long number : new long[] {most, most + 1}) {
      byte[] header = Header.of(1, 4096, Fixture.HOST).entry(number, 5).encode();
      disk.mkdir(Fixture.STATE);
      disk.overwrite(Fixture.segment(1), Arrays.copyOf(header, 4096));
      if (number == most) {
        fixture.open(disk).close();
        disk.erase(Fixture.STATE.resolve("owner"));
      } else {
        assertThat(refusal().reason()).isEqualTo(StateException.Reason.STATE_NOT_USABLE);
      }
    }
  }
}
