package io.csi4j.volume.internal.journal;

import static io.csi4j.volume.state.StateStore.Durability.BEST_EFFORT;
import static io.csi4j.volume.state.StateStore.Durability.DEFERRED;
import static io.csi4j.volume.state.StateStore.Durability.REQUIRED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.csi4j.volume.internal.disk.DiskException.Kind;
import io.csi4j.volume.internal.disk.FakeDisk;
import io.csi4j.volume.internal.disk.FakeDisk.Operation;
import io.csi4j.volume.internal.disk.FakeDisk.PowerCut;
import io.csi4j.volume.state.LoadedState;
import io.csi4j.volume.state.StateEvent;
import io.csi4j.volume.state.StateException;
import io.csi4j.volume.state.StateKey;
import io.csi4j.volume.state.StateStore;
import io.csi4j.volume.state.StateStore.Stored;
import io.csi4j.volume.state.StateValue;
import io.csi4j.volume.state.Uncertainty;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The files that a journal opens, looks at, fills to the last byte, and closes. */
class JournalTest {

  /** The smallest segment, and what of it only giving back may use. */
  private static final int SEGMENT = 4096;

  private static final int RESERVE = SEGMENT / 8;

  private static final Path OWNER = Fixture.STATE.resolve("owner");
  private static final Path BALLAST = Fixture.STATE.resolve("ballast");

  private final Fixture fixture = new Fixture();
  private FakeDisk disk = FakeDisk.with(Fixture.ROOT);

  /** A value whose record has so many bytes, of a key with one character. */
  private static StateValue sized(int record) {
    return StateValue.of(new byte[record - 36]);
  }

  private static Path unfinished(int number) {
    return Fixture.STATE.resolve("seg-%08d.new".formatted(number));
  }

  /** The room that is left in a segment. */
  private int room(int number) {
    SegmentScan scan = SegmentScan.of(disk.content(Fixture.segment(number)));
    return scan.length() - scan.end();
  }

  private void write() {
    try (StateStore store = fixture.open(disk)) {
      store.put(Fixture.A, Fixture.value("one"), REQUIRED);
    }
  }

  private LoadedState afterPowerCut() {
    return new Fixture().open(disk.restart(new Random(1))).load();
  }

  private StateException refusal(StateStore store) {
    try {
      store.put(Fixture.C, sized(600), REQUIRED);
      throw new AssertionError("taking was to be refused");
    } catch (StateException e) {
      return e;
    }
  }

  // ---- room

  @Test
  void theRoomThatIsToldIsWhatTakingMayUse() {
    Journal store = fixture.open(disk);
    store.put(Fixture.A, sized(400), REQUIRED);

    assertThat(store.capacity()).isEqualTo(new StateStore.Capacity.Free(room(1) - RESERVE));
  }

  @Test
  void takingUsesTheRoomBeforeTheReserveToTheLastByte() {
    Journal store = fixture.open(disk);
    disk.leave(0);

    assertThat(store.put(Fixture.A, sized(room(1) - RESERVE), REQUIRED)).isEqualTo(Stored.DURABLE);
    assertThat(room(1)).isEqualTo(RESERVE);
    assertThat(store.capacity()).isEqualTo(new StateStore.Capacity.Free(0));
    assertThat(refusal(store).reason()).isEqualTo(StateException.Reason.STATE_DISK_FULL);
  }

  @Test
  void givingBackUsesTheReserveToTheLastByte() {
    Journal store = fixture.open(disk);
    disk.leave(0);
    store.put(Fixture.A, sized(room(1) - RESERVE), REQUIRED);
    refusal(store);

    assertThat(store.put(Fixture.B, sized(RESERVE), BEST_EFFORT)).isEqualTo(Stored.DURABLE);
    assertThat(room(1)).isZero();
    assertThat(store.put(Fixture.B, sized(40), BEST_EFFORT)).isEqualTo(Stored.REMEMBERED);
    assertThat(afterPowerCut().value(Fixture.B)).contains(sized(RESERVE));
  }

  @Test
  void aCompactionBeginsWithAQuarterOfTheRoomAndAgainWithHalfOfWhatWasLeft() {
    Journal store = fixture.open(disk);
    disk.fail(Kind.FAILED, (operation, path) -> operation == Operation.CREATE);
    store.put(Fixture.A, sized(room(1) - SEGMENT / 4 - 48), REQUIRED);
    int beginsAt = SEGMENT / 4;
    int tries = 0;
    for (int room = room(1); room >= RESERVE + 48; room = room(1)) {
      int before = disk.operations();
      assertThat(store.put(Fixture.A, sized(48), REQUIRED)).isEqualTo(Stored.DURABLE);
      boolean isTried =
          disk.history().subList(before, disk.operations()).contains("CREATE seg-00000002.new");
      assertThat(isTried).as("with a room of %s", room(1)).isEqualTo(room(1) <= beginsAt);
      if (isTried) {
        tries++;
        beginsAt = (room(1) + RESERVE) / 2;
      }
    }

    assertThat(tries).isBetween(3, 6);
    assertThat(fixture.told(StateEvent.WritesStopped.class)).isEmpty();
  }

  // ---- opening

  @Test
  void openingRemovesWhatIsUnfinishedAndBringsTheBallastBack() {
    write();
    disk.overwrite(unfinished(9), new byte[9]);
    disk.erase(BALLAST);
    fixture.open(disk);

    assertThat(disk.files()).contains(BALLAST).doesNotContain(unfinished(9));
    assertThat(disk.files()).doesNotContain(Fixture.segment(2));
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 8})
  void anOwnerGoesOnInASegmentThatHasRoomForItsHeader(int less) {
    byte[] header = Header.of(1, SEGMENT, Fixture.HOST).entry(1, 1).encode();
    byte[] segment = Arrays.copyOf(header, SEGMENT);
    byte[] record =
        Entry.unplaced(
                EntryName.of(Fixture.A),
                Entry.PUT,
                sized(SEGMENT - 2 * header.length + less).bytes())
            .at(2, 1)
            .encode();
    System.arraycopy(record, 0, segment, header.length, record.length);
    disk.mkdir(Fixture.STATE);
    disk.overwrite(Fixture.segment(1), segment);
    fixture.open(disk);

    assertThat(disk.content(Fixture.segment(1))).hasSize(SEGMENT);
    assertThat(room(1)).isEqualTo(less == 0 ? 0 : header.length - less);
    assertThat(disk.files().contains(Fixture.segment(2))).isEqualTo(less > 0);
  }

  @ParameterizedTest
  @EnumSource(names = {"WRITE", "SYNC"})
  void aSegmentThatFailsAtTheOpeningIsClosedAndFollowedByAnother(Operation failing) {
    write();
    fixture.events.clear();
    disk.fail(
        Kind.FAILED, (operation, path) -> operation == failing && path.equals(Fixture.segment(1)));
    Journal store = fixture.open(disk);

    assertThat(fixture.told(StateEvent.Compacted.class))
        .extracting(StateEvent.Compacted::file)
        .containsExactly(Fixture.segment(2));
    assertThat(disk.opened()).containsExactly(unfinished(2));
    assertThat(store.load().values()).containsOnlyKeys(Fixture.A);
  }

  @Test
  void aPowerCutAtAnOpeningAfterDeferredRecordsLeavesATailAndNoDamage() {
    int steps = 6;
    for (int step = 0; step < steps; step++) {
      FakeDisk killed = deferring();
      int before = killed.operations();
      killed.cutPowerAt(before + step);
      assertThatExceptionOfType(PowerCut.class).isThrownBy(() -> fixture.open(killed));
      Random choice = new Random(step);
      for (int cut = 0; cut < 40; cut++) {
        try (StateStore store = new Fixture().open(killed.restart(choice))) {
          assertThat(store.load().uncertainties())
              .as("step %s of the opening", step)
              .extracting(Uncertainty::reason)
              .allMatch(reason -> reason == StateException.Reason.JOURNAL_TAIL_DROPPED);
        }
      }
    }
  }

  /** A disk after the end of a process that deferred all of its records. */
  private FakeDisk deferring() {
    FakeDisk used = FakeDisk.with(Fixture.ROOT);
    Journal store = new Fixture().open(used);
    for (StateKey key : new StateKey[] {Fixture.A, Fixture.B, Fixture.C}) {
      store.put(key, sized(600), DEFERRED);
    }
    return used.restartProcess();
  }

  @Test
  void anOpeningThatIsRefusedLateReleasesTheLock() {
    write();
    int[] locks = {0};
    disk.fail(
        Kind.READ_ONLY,
        (operation, path) -> {
          if (operation == Operation.LOCK && locks[0]++ == 1) {
            byte[] header = Header.of(2, SEGMENT, Fixture.HOST).entry(50, 9).encode();
            disk.overwrite(Fixture.segment(2), Arrays.copyOf(header, SEGMENT));
          }
          return operation == Operation.LOCK && locks[0] == 1;
        });
    assertThatExceptionOfType(StateException.class)
        .isThrownBy(() -> fixture.open(disk))
        .satisfies(e -> assertThat(e.reason()).isEqualTo(StateException.Reason.STATE_TAKEN_OVER));
    disk.heal();

    assertThat(disk.opened()).isEmpty();
    assertThat(fixture.open(disk).owner().epoch()).isEqualTo(10);
  }

  // ---- looking

  /** Counts how often the first segment is looked at. */
  private int[] looks() {
    int[] looks = {0};
    disk.fail(
        Kind.FAILED,
        (operation, path) -> {
          looks[0] += operation == Operation.LOOK && path.equals(Fixture.segment(1)) ? 1 : 0;
          return false;
        });
    return looks;
  }

  @Test
  void aSegmentIsNotLookedAtBetweenTwoWritesWhenNoNameChanged() {
    Journal store = fixture.open(disk);
    store.put(Fixture.A, sized(48), REQUIRED);
    int[] looks = looks();
    store.put(Fixture.A, sized(48), REQUIRED);
    assertThat(looks[0]).isZero();
    disk.overwrite(Fixture.STATE.resolve("other"), new byte[0]);
    disk.erase(Fixture.STATE.resolve("other"));
    store.put(Fixture.A, sized(48), REQUIRED);

    assertThat(looks[0]).as("another name is gone").isEqualTo(1);
  }

  @Test
  void aSegmentThatIsDeletedIsMissedWhereTheDirectoryWasNotIdentified() {
    boolean[] isBegun = {false};
    disk.fail(
        Kind.FAILED,
        (operation, path) -> {
          isBegun[0] |= operation == Operation.SYNC && path.equals(OWNER);
          return isBegun[0] && operation == Operation.LOOK && path.equals(Fixture.STATE);
        });
    Journal store = fixture.open(disk);
    assertThat(isBegun).containsExactly(true);
    disk.heal();
    store.put(Fixture.A, sized(48), REQUIRED);
    disk.erase(Fixture.segment(1));
    store.put(Fixture.B, sized(48), REQUIRED);

    checkDeletionIsMissed();
  }

  @Test
  void aSegmentThatIsDeletedIsMissedWhereTheDirectoryCannotBeLookedAt() {
    Journal store = fixture.open(disk);
    store.put(Fixture.A, sized(48), REQUIRED);
    disk.erase(Fixture.segment(1));
    boolean[] hasFailed = {false};
    disk.fail(
        Kind.FAILED,
        (operation, path) -> {
          boolean now = !hasFailed[0] && operation == Operation.LOOK && path.equals(Fixture.STATE);
          hasFailed[0] |= now;
          return now;
        });
    store.put(Fixture.B, sized(48), REQUIRED);

    assertThat(hasFailed).containsExactly(true);
    checkDeletionIsMissed();
  }

  private void checkDeletionIsMissed() {
    assertThat(fixture.told(StateEvent.Repaired.class))
        .containsExactly(
            new StateEvent.Repaired(StateException.Reason.JOURNAL_REPLACED, Fixture.segment(1)));
    assertThat(afterPowerCut().values()).containsOnlyKeys(Fixture.A, Fixture.B);
  }

  @Test
  void anOwnersRecordThatWasOnlyTouchedIsStillItsOwn() {
    Journal store = fixture.open(disk);
    disk.overwrite(OWNER, disk.content(OWNER));
    int before = disk.operations();

    assertThat(store.put(Fixture.A, sized(48), REQUIRED)).isEqualTo(Stored.DURABLE);
    assertThat(disk.history().subList(before, disk.operations()))
        .startsWith("WRITE owner", "SYNC owner");
  }

  @Test
  void nothingIsWrittenToAFileThatAnotherProgramPutThere() {
    Journal store = fixture.open(disk);
    byte[] copy = disk.content(Fixture.segment(1));
    disk.erase(Fixture.segment(1));
    disk.overwrite(Fixture.segment(1), copy);
    disk.fail(Kind.FAILED, (operation, path) -> operation == Operation.CREATE);
    int before = disk.operations();

    assertThat(store.remove(Fixture.A)).isEqualTo(Stored.REMEMBERED);
    assertThat(disk.history().subList(before, disk.operations()))
        .noneMatch(line -> line.startsWith("WRITE"));
    assertThat(disk.opened()).isEmpty();
  }

  // ---- trouble

  @Test
  void thatTakingStoppedIsToldOnceForEachReason() {
    Journal store = fixture.open(disk);
    disk.leave(0);
    store.put(Fixture.A, sized(room(1) - RESERVE), REQUIRED);
    for (int i = 0; i < 3; i++) {
      assertThat(refusal(store).reason()).isEqualTo(StateException.Reason.STATE_DISK_FULL);
    }
    disk.heal();
    disk.makeReadOnly();
    for (int i = 0; i < 3; i++) {
      assertThat(refusal(store).reason()).isEqualTo(StateException.Reason.STATE_READ_ONLY);
    }

    assertThat(fixture.told(StateEvent.WritesStopped.class))
        .extracting(StateEvent.WritesStopped::reason)
        .containsExactly(
            StateException.Reason.STATE_DISK_FULL, StateException.Reason.STATE_READ_ONLY);
  }

  @Test
  void inTroubleEachWriteTriesToMakeOneSegment() {
    Journal store = fixture.open(disk);
    disk.fail(Kind.FAILED, (operation, path) -> operation == Operation.CREATE);
    store.put(Fixture.A, sized(room(1) - RESERVE), REQUIRED);
    refusal(store);
    for (StateKey key : new StateKey[] {Fixture.A, Fixture.B}) {
      int before = disk.operations();
      assertThat(store.remove(key)).isEqualTo(Stored.DURABLE);
      assertThat(disk.history().subList(before, disk.operations()))
          .containsExactly(
              "CREATE seg-00000002.new", "WRITE seg-00000001.j", "SYNC seg-00000001.j");
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"WRITE", "SYNC", "RENAME"})
  void aSegmentThatCannotBeMadeIsClosedAndLeavesNoFile(Operation failing) {
    Journal store = fixture.open(disk);
    store.put(Fixture.A, sized(room(1) - RESERVE), REQUIRED);
    disk.fail(
        Kind.FAILED,
        (operation, path) ->
            operation == failing
                && (path.equals(unfinished(2)) || path.equals(Fixture.segment(2))));

    assertThat(refusal(store).reason()).isEqualTo(StateException.Reason.JOURNAL_SYNC_FAILED);
    assertThat(disk.files()).doesNotContain(unfinished(2));
    assertThat(disk.opened()).containsExactly(unfinished(1));
  }

  @Test
  void onlyTheSegmentThatIsInUseIsOpen() {
    Journal store = fixture.open(disk);
    for (int i = 0; i < 100; i++) {
      store.put(Fixture.A, sized(600), REQUIRED);
      assertThat(disk.opened()).hasSizeBetween(1, 2);
    }
    disk.leave(100);
    for (int i = 0; i < 10; i++) {
      store.put(StateKey.volume("d" + i), sized(400), BEST_EFFORT);
    }

    assertThat(disk.opened()).hasSize(1);
  }

  // ---- closing

  @Test
  void closingClosesTheFilesAndReleasesTheLock() {
    Journal store = fixture.open(disk);
    store.close();

    assertThat(disk.opened()).isEmpty();
    assertThat(fixture.open(disk).owner().epoch()).isEqualTo(2);
  }

  @Test
  void closingLeavesALargeSegmentThatIsNotNeededToTheNextOwner() {
    write();
    byte[] whole = disk.content(Fixture.segment(1));
    disk.overwrite(Fixture.segment(1), new byte[SegmentFiles.CUT + 1]);
    disk.overwrite(Fixture.segment(2), whole);
    disk.overwrite(Fixture.segment(3), whole);
    Journal store = fixture.open(disk);
    assertThat(disk.opened()).contains(Fixture.segment(1));
    store.close();

    assertThat(disk.opened()).isEmpty();
    assertThat(disk.content(Fixture.segment(1))).hasSize(SegmentFiles.CUT + 1);
  }

  @Test
  void whatIsDeferredIsOnTheMediumAfterAClosingThatHasNoRoomForItsEnd() {
    Journal store = fixture.open(disk);
    disk.leave(0);
    assertThat(store.put(Fixture.A, sized(room(1)), DEFERRED)).isEqualTo(Stored.DEFERRED);
    assertThat(room(1)).isZero();
    store.close();

    Random choice = new Random(1);
    for (int cut = 0; cut < 8; cut++) {
      LoadedState loaded = new Fixture().open(disk.restart(choice)).load();
      assertThat(loaded.values()).containsOnlyKeys(Fixture.A);
      assertThat(loaded.uncertainties()).isEmpty();
    }
  }

  @Test
  void whatIsWrittenByAClosingIsTold() {
    Journal store = fixture.open(disk);
    disk.makeReadOnly();
    assertThat(store.remove(Fixture.A)).isEqualTo(Stored.REMEMBERED);
    disk.heal();
    fixture.events.clear();
    store.close();

    assertThat(fixture.events)
        .extracting(Object::getClass)
        .containsExactly(
            StateEvent.Compacted.class, StateEvent.Recovered.class, StateEvent.Repaired.class);
  }

  @Test
  void anotherThreadIsToldThatTheStoreIsClosed() throws Exception {
    Journal store = fixture.open(disk);
    store.close();
    store.close();
    FutureTask<Stored> late = new FutureTask<>(() -> store.remove(Fixture.A));
    Thread thread = new Thread(late, "late caller");
    thread.setDaemon(true);
    thread.start();

    assertThatExceptionOfType(ExecutionException.class)
        .isThrownBy(() -> late.get(20, TimeUnit.SECONDS))
        .havingCause()
        .isInstanceOfSatisfying(
            StateException.class,
            e -> assertThat(e.reason()).isEqualTo(StateException.Reason.STATE_CLOSED));
  }

  // ---- another owner

  @Test
  void anOwnerThatLostTheStateClosesItsFiles() {
    SwitchedDisk shared = new SwitchedDisk(disk);
    Journal old = Journal.open(shared, Fixture.STATE, fixture.settings().build());
    for (int i = 0; !disk.files().contains(unfinished(2)); i++) {
      assertThat(i).isLessThan(100);
      old.put(Fixture.A, sized(48), REQUIRED);
    }
    assertThat(disk.opened()).containsExactly(unfinished(1), unfinished(2));
    shared.loseLocks();
    Journal.open(shared, Fixture.STATE, fixture.settings().build());

    assertThat(refusal(old).reason()).isEqualTo(StateException.Reason.STATE_TAKEN_OVER);
    assertThat(disk.opened()).as("of the new owner").containsExactly(Fixture.segment(1));
  }
}
