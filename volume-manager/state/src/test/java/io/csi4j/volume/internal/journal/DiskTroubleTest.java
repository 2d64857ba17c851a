package io.csi4j.volume.internal.journal;

import static io.csi4j.volume.state.StateStore.Durability.BEST_EFFORT;
import static io.csi4j.volume.state.StateStore.Durability.REQUIRED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.csi4j.volume.internal.disk.DiskException.Kind;
import io.csi4j.volume.internal.disk.FakeDisk;
import io.csi4j.volume.internal.disk.FakeDisk.Operation;
import io.csi4j.volume.state.StateEvent;
import io.csi4j.volume.state.StateException;
import io.csi4j.volume.state.StateKey;
import io.csi4j.volume.state.StateStore;
import io.csi4j.volume.state.StateStore.Stored;
import io.csi4j.volume.state.StateValue;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A disk that is full, read-only, failing, or of the wrong kind. */
class DiskTroubleTest {

  private final Fixture fixture = new Fixture();
  private final FakeDisk disk = FakeDisk.with(Fixture.ROOT);

  private static StateValue large() {
    return StateValue.of(new byte[500]);
  }

  private static StateException.Reason refused(StateStore store) {
    try {
      store.put(Fixture.C, large(), REQUIRED);
      throw new AssertionError("taking was to be refused");
    } catch (StateException e) {
      return e.reason();
    }
  }

  /** Takes until it is refused, and says how often it was not. */
  private static int takeUntilRefused(StateStore store) {
    for (int taken = 0; taken < 100; taken++) {
      try {
        store.put(StateKey.volume("c" + taken), large(), REQUIRED);
      } catch (StateException e) {
        assertThat(e.reason()).isEqualTo(StateException.Reason.STATE_DISK_FULL);
        return taken;
      }
    }
    throw new AssertionError("taking never ended");
  }

  /** Opens it with segments that are given up in pieces. */
  private Journal openWithLargeSegments() {
    return Journal.open(
        disk,
        Fixture.STATE,
        fixture.settings().segmentSize(2 * SegmentFiles.CUT).ballastSize(16 * 1024).build());
  }

  private void putUntilNewest(StateStore store, int segment) {
    for (int i = 0; !disk.files().contains(Fixture.segment(segment)); i++) {
      assertThat(i).isLessThan(10_000);
      store.put(Fixture.A, large(), REQUIRED);
    }
  }

  // ---- full

  @Test
  void onAFullDiskTakingGoesOnInTheRoomThatWasMadeAndThenIsRefused() {
    Journal store = fixture.open(disk);
    disk.leave(0);

    assertThat(takeUntilRefused(store)).isBetween(4, 7);
    assertThat(store.capacity())
        .isInstanceOfSatisfying(
            StateStore.Capacity.ReleasesOnly.class,
            only -> assertThat(only.reason()).isEqualTo(StateException.Reason.STATE_DISK_FULL));
    assertThat(fixture.told(StateEvent.WritesStopped.class))
        .singleElement()
        .satisfies(
            event -> {
              assertThat(event.reason()).isEqualTo(StateException.Reason.STATE_DISK_FULL);
              assertThat(event.text()).contains("Free space", "/disk/state");
            });
  }

  @Test
  void onAFullDiskGivingBackIsDurableInTheRoomKeptForItAndThenRemembered() {
    Journal store = fixture.open(disk);
    disk.leave(0);
    takeUntilRefused(store);

    StateValue less = StateValue.of(new byte[400]);
    assertThat(store.put(Fixture.A, less, BEST_EFFORT)).isEqualTo(Stored.DURABLE);
    assertThat(store.put(Fixture.A, StateValue.of(new byte[1000]), BEST_EFFORT))
        .isEqualTo(Stored.REMEMBERED);
    assertThat(store.remove(StateKey.volume("c0"))).isEqualTo(Stored.DURABLE);
    assertThat(fixture.told(StateEvent.KeptInMemory.class))
        .containsExactly(
            new StateEvent.KeptInMemory(Fixture.A, StateException.Reason.STATE_DISK_FULL));
    Journal after = fixture.open(disk.restart(new Random(1)));
    assertThat(after.load().value(Fixture.A)).contains(less);
    assertThat(after.load().value(StateKey.volume("c0"))).isEmpty();
    assertThat(after.load().value(StateKey.volume("c1"))).isPresent();
  }

  @Test
  void aBallastIsGivenUpForMoreRoomOnAFullDisk() {
    Journal store =
        Journal.open(disk, Fixture.STATE, fixture.settings().ballastSize(16 * 1024).build());
    disk.leave(0);
    int taken = takeUntilRefused(store);
    Journal after = fixture.open(disk.restart(new Random(1)));

    assertThat(taken).isBetween(12, 30);
    assertThat(disk.files()).doesNotContain(Fixture.STATE.resolve("ballast"));
    assertThat(after.load().values()).hasSize(taken);
  }

  @Test
  void onAFullDiskAStateThatDoesNotGrowGoesOnInTheSpaceOfTheBallast() {
    Journal store =
        Journal.open(disk, Fixture.STATE, fixture.settings().ballastSize(16 * 1024).build());
    disk.leave(0);
    for (int i = 0; i < 200; i++) {
      store.put(Fixture.A, large(), REQUIRED);
    }

    assertThat(fixture.told(StateEvent.WritesStopped.class)).isEmpty();
  }

  @Test
  void onAFullDiskTheSpaceOfALargeSegmentBringsTheBallastBackAtOnce() {
    Journal store = openWithLargeSegments();
    putUntilNewest(store, 2);
    disk.leave(0);
    putUntilNewest(store, 3);

    assertThat(disk.files()).doesNotContain(Fixture.segment(1));
    assertThat(disk.files()).contains(Fixture.STATE.resolve("ballast"));
    assertThat(fixture.told(StateEvent.WritesStopped.class)).isEmpty();
  }

  @Test
  void onAFullDiskANewSegmentIsWrittenInTheSpaceOfAnOldOne() {
    Journal store = openWithLargeSegments();
    putUntilNewest(store, 3);
    disk.leave(0);
    disk.fail(
        Kind.FAILED,
        (operation, path) -> operation == Operation.SYNC && path.equals(Fixture.segment(3)));

    assertThat(store.put(Fixture.A, large(), REQUIRED)).isEqualTo(Stored.DURABLE);

    assertThat(disk.content(Fixture.segment(4))).hasSize(2 * SegmentFiles.CUT);
    assertThat(disk.files())
        .contains(Fixture.STATE.resolve("ballast"))
        .doesNotContain(Fixture.segment(1));
  }

  @Test
  void theBallastComesBackWithTheSpace() {
    Journal store =
        Journal.open(disk, Fixture.STATE, fixture.settings().ballastSize(16 * 1024).build());
    disk.leave(0);
    takeUntilRefused(store);
    disk.heal();
    store.put(Fixture.A, Fixture.value("one"), REQUIRED);

    assertThat(disk.files()).contains(Fixture.STATE.resolve("ballast"));
    assertThat(fixture.told(StateEvent.Recovered.class))
        .containsExactly(new StateEvent.Recovered(StateException.Reason.STATE_DISK_FULL));
    assertThat(store.capacity().canRecordIntent()).isTrue();
  }

  @Test
  void aStateOpensOnADiskThatIsFull() {
    fixture.open(disk).put(Fixture.A, Fixture.value("one"), REQUIRED);
    FakeDisk full = disk.restart(new Random(1));
    full.leave(0);
    Journal store = fixture.open(full);

    assertThat(store.load().value(Fixture.A)).contains(Fixture.value("one"));
    assertThat(store.remove(Fixture.A)).isEqualTo(Stored.DURABLE);
  }

  @Test
  void aNewStateOnAFullDiskOpensAndRefusesToTake() {
    disk.leave(100);
    Journal store = fixture.open(disk);

    assertThat(refused(store)).isEqualTo(StateException.Reason.STATE_DISK_FULL);
    assertThat(store.capacity().canRecordIntent()).isFalse();
  }

  // ---- read-only

  @Test
  @Tag("F3")
  void onAReadOnlyDiskTakingIsRefusedAndGivingBackIsRemembered() {
    Journal store = fixture.open(disk);
    store.put(Fixture.A, Fixture.value("one"), REQUIRED);
    disk.makeReadOnly();

    assertThat(refused(store))
        .as("F3: an intent is refused")
        .isEqualTo(StateException.Reason.STATE_READ_ONLY);
    assertThat(store.bury(Fixture.A, Fixture.value("was")))
        .as("F3: a release goes on in memory")
        .isEqualTo(Stored.REMEMBERED);
    assertThat(store.load().values()).containsOnlyKeys(StateKey.tombstone("a"));
    assertThat(fixture.told(StateEvent.KeptInMemory.class))
        .containsExactly(
            new StateEvent.KeptInMemory(Fixture.A, StateException.Reason.STATE_READ_ONLY));
  }

  @Test
  void aStateOpensOnADiskThatIsReadOnly() {
    fixture.open(disk).put(Fixture.A, Fixture.value("one"), REQUIRED);
    FakeDisk readOnly = disk.restart(new Random(1));
    readOnly.makeReadOnly();
    Journal store = fixture.open(readOnly);

    assertThat(store.load().value(Fixture.A)).contains(Fixture.value("one"));
    assertThat(store.capacity().canRecordIntent()).isFalse();
    assertThat(store.remove(Fixture.A)).isEqualTo(Stored.REMEMBERED);
    readOnly.heal();
    assertThat(store.put(Fixture.B, Fixture.value("two"), REQUIRED)).isEqualTo(Stored.DURABLE);
    assertThat(fixture.open(readOnly.restart(new Random(1))).load().values())
        .containsOnlyKeys(Fixture.B);
  }

  @Test
  void aStateThatWasOpenedReadOnlyIsNotWrittenWhileAnotherHasTheLock() {
    fixture.open(disk).close();
    FakeDisk shared = disk.restart(new Random(1));
    shared.makeReadOnly();
    Journal first = fixture.open(shared);
    shared.heal();
    fixture.open(shared);

    assertThatExceptionOfType(StateException.class)
        .isThrownBy(() -> first.put(Fixture.A, Fixture.value("one"), REQUIRED))
        .satisfies(e -> assertThat(e.reason()).isEqualTo(StateException.Reason.STATE_NOT_USABLE))
        .withMessageContaining("another process has the lock");
  }

  @Test
  void aStateThatWasOpenedReadOnlyIsNotWrittenAfterAnotherHadIt() {
    fixture.open(disk).close();
    FakeDisk shared = disk.restart(new Random(1));
    shared.makeReadOnly();
    Journal first = fixture.open(shared);
    first.remove(Fixture.A);
    shared.heal();
    try (StateStore second = fixture.open(shared)) {
      second.put(Fixture.B, Fixture.value("two"), REQUIRED);
    }

    assertThatExceptionOfType(StateException.class)
        .isThrownBy(() -> first.put(Fixture.A, Fixture.value("late"), REQUIRED))
        .satisfies(e -> assertThat(e.reason()).isEqualTo(StateException.Reason.STATE_TAKEN_OVER));
    first.close();
    assertThat(fixture.open(shared).load().values()).containsOnlyKeys(Fixture.B);
  }

  // ---- failing

  private static boolean isSegment(Path path) {
    return path.getFileName().toString().startsWith("seg-");
  }

  private static boolean isFirstSync(Operation operation, Path path) {
    return operation == Operation.SYNC && path.equals(Fixture.segment(1));
  }

  @Test
  @Tag("F4")
  void afterASyncThatFailedNothingIsWrittenToThatFileAndAllOfItToANewOne() {
    Journal store = fixture.open(disk);
    store.put(Fixture.A, Fixture.value("one"), REQUIRED);
    disk.fail(Kind.FAILED, DiskTroubleTest::isFirstSync);
    int before = disk.history().size();

    assertThat(store.put(Fixture.B, Fixture.value("two"), REQUIRED)).isEqualTo(Stored.DURABLE);
    store.put(Fixture.C, Fixture.value("three"), REQUIRED);
    List<String> after = disk.history().subList(before, disk.history().size());
    assertThat(after)
        .as("F4: nothing more is written to the file whose sync failed")
        .filteredOn(line -> line.endsWith("seg-00000001.j"))
        .containsExactly("WRITE seg-00000001.j", "SYNC seg-00000001.j");
    assertThat(fixture.told(StateEvent.Repaired.class))
        .as("F4: the new file is told")
        .containsExactly(
            new StateEvent.Repaired(StateException.Reason.JOURNAL_SYNC_FAILED, Fixture.segment(1)));
    assertThat(fixture.open(disk.restart(new Random(3))).load().values())
        .containsOnlyKeys(Fixture.A, Fixture.B, Fixture.C);
  }

  @ParameterizedTest
  @ValueSource(strings = {"SYNC", "WRITE", "CREATE", "RENAME", "SYNC_DIRECTORY"})
  void aDiskThatKeepsFailingRefusesTakingUntilItIsWellAgain(Operation failing) {
    Journal store = fixture.open(disk);
    store.put(Fixture.A, Fixture.value("one"), REQUIRED);
    disk.fail(
        Kind.FAILED, (operation, path) -> operation == failing || isFirstSync(operation, path));

    assertThat(refused(store)).isEqualTo(StateException.Reason.JOURNAL_SYNC_FAILED);
    assertThat(store.load().values()).containsOnlyKeys(Fixture.A);
    assertThat(store.remove(Fixture.A)).isEqualTo(Stored.REMEMBERED);
    disk.heal();
    assertThat(store.put(Fixture.B, Fixture.value("two"), REQUIRED)).isEqualTo(Stored.DURABLE);
    for (int seed = 0; seed < 8; seed++) {
      assertThat(fixture.open(disk.restart(FakeDisk.chance(seed))).load().values())
          .containsOnlyKeys(Fixture.B);
    }
  }

  @Test
  void whatWasDurableIsThereWhenTheNewSegmentWasPublishedOnlyHalf() {
    Journal store = fixture.open(disk);
    store.put(Fixture.A, Fixture.value("one"), REQUIRED);
    disk.fail(
        Kind.FAILED,
        (operation, path) -> operation == Operation.SYNC_DIRECTORY || isFirstSync(operation, path));
    refused(store);
    disk.heal();
    disk.fail(Kind.FAILED, (operation, path) -> operation == Operation.CREATE);
    refused(store);
    disk.heal();
    store.put(Fixture.B, Fixture.value("two"), REQUIRED);

    for (int seed = 0; seed < 16; seed++) {
      assertThat(fixture.open(disk.restart(FakeDisk.chance(seed))).load().values())
          .containsOnlyKeys(Fixture.A, Fixture.B);
    }
  }

  @Test
  void aFileWhoseSyncFailedIsNotEvenGoodEnoughForGivingBack() {
    Journal store = fixture.open(disk);
    store.put(Fixture.A, Fixture.value("one"), REQUIRED);
    boolean[] failed = {false};
    disk.fail(
        Kind.FAILED,
        (operation, path) -> {
          boolean first = isFirstSync(operation, path) && !failed[0];
          failed[0] |= first;
          return first || operation == Operation.CREATE;
        });

    assertThat(store.remove(Fixture.A)).isEqualTo(Stored.REMEMBERED);
    assertThat(store.remove(Fixture.B)).isEqualTo(Stored.REMEMBERED);
  }

  @Test
  void nothingIsAppendedToAFileThatMayHaveASuccessor() {
    Journal store = fixture.open(disk);
    for (int i = 0; i < 6; i++) {
      store.put(Fixture.C, large(), REQUIRED);
    }
    disk.fail(Kind.FAILED, (operation, path) -> operation == Operation.SYNC_DIRECTORY);
    assertThat(refused(store)).isEqualTo(StateException.Reason.JOURNAL_SYNC_FAILED);

    assertThat(store.put(Fixture.A, Fixture.value("less"), BEST_EFFORT))
        .isEqualTo(Stored.REMEMBERED);
  }

  @Test
  @Tag("F18")
  void tooManyOpenFilesAreARefusalOfTheirOwn() {
    Journal store = fixture.open(disk);
    disk.fail(Kind.TOO_MANY_FILES, (operation, path) -> isSegment(path));

    assertThat(refused(store))
        .as("F18: too many open files refuse an intent")
        .isEqualTo(StateException.Reason.TOO_MANY_FILES);
  }

  @Test
  void aStateThatCannotBeReadForNowIsNotTakenForDamaged() {
    fixture.open(disk).put(Fixture.A, Fixture.value("one"), REQUIRED);
    FakeDisk again = disk.restart(new Random(1));
    again.fail(
        Kind.TOO_MANY_FILES, (operation, path) -> operation == Operation.READ && isSegment(path));

    assertThatExceptionOfType(StateException.class)
        .isThrownBy(() -> fixture.open(again))
        .satisfies(e -> assertThat(e.reason()).isEqualTo(StateException.Reason.TOO_MANY_FILES));
    again.heal();
    assertThat(fixture.open(again).load().value(Fixture.A)).contains(Fixture.value("one"));
  }

  // ---- the wrong place

  @ParameterizedTest
  @ValueSource(strings = {"nfs4", "overlay", "9p", "fuse", "fuse.sshfs", "cifs"})
  @Tag("F17")
  void aFilesystemThatPromisesTooLittleIsRefusedByName(String type) {
    disk.type(type);

    assertThatExceptionOfType(StateException.class)
        .as("F17: refused for the state")
        .isThrownBy(() -> fixture.open(disk))
        .satisfies(e -> assertThat(e.reason()).isEqualTo(StateException.Reason.STATE_FS_UNSUITED))
        .withMessageContaining("it is on " + type);
    assertThat(disk.operations()).isZero();
  }

  @Test
  void anyFilesystemIsGoodEnoughWhenTold() {
    disk.type("nfs");

    assertThat(
            Journal.open(disk, Fixture.STATE, fixture.settings().acceptAnyFilesystem(true).build())
                .put(Fixture.A, Fixture.value("one"), REQUIRED))
        .isEqualTo(Stored.DURABLE);
  }

  @ParameterizedTest
  @CsvSource({"DENIED,STATE_NOT_USABLE", "NO_SPACE,STATE_DISK_FULL", "FAILED,JOURNAL_SYNC_FAILED"})
  void aDirectoryThatCannotBeMadeIsARefusal(Kind kind, StateException.Reason reason) {
    disk.fail(kind, (operation, path) -> operation == Operation.CREATE_DIRECTORY);

    assertThatExceptionOfType(StateException.class)
        .isThrownBy(() -> fixture.open(disk))
        .satisfies(e -> assertThat(e.reason()).isEqualTo(reason))
        .withMessageContaining("Opening the state in /disk/state failed");
  }

  @Test
  void aFileWhereTheDirectoryBelongsIsARefusal() {
    disk.overwrite(Fixture.STATE, new byte[0]);

    assertThatExceptionOfType(StateException.class)
        .isThrownBy(() -> fixture.open(disk))
        .satisfies(e -> assertThat(e.reason()).isEqualTo(StateException.Reason.STATE_NOT_USABLE))
        .withMessageContaining("it is a FILE, not a directory");
  }

  @Test
  @Tag("F19")
  void aModeThatIsTooOpenIsSetRight() throws Exception {
    fixture.open(disk).close();
    disk.setMode(Fixture.STATE, 0755);
    disk.setMode(Fixture.segment(1), 0644);
    Journal store = fixture.open(disk);

    assertThat(disk.facts(Fixture.STATE))
        .hasValueSatisfying(it -> assertThat(it.mode()).isEqualTo(0700));
    assertThat(disk.facts(Fixture.segment(1)))
        .hasValueSatisfying(it -> assertThat(it.mode()).isEqualTo(0600));
    assertThat(fixture.told(StateEvent.Repaired.class))
        .as("F19: a mode that is too open is set right and told")
        .containsExactly(
            new StateEvent.Repaired(StateException.Reason.MODE_FIXED, Fixture.STATE),
            new StateEvent.Repaired(StateException.Reason.MODE_FIXED, Fixture.segment(1)));
    store.close();
  }

  // ---- listeners

  @Test
  void aListenerThatFailsOrUsesTheStoreDoesNoHarm() {
    Journal[] store = new Journal[1];
    int[] calls = {0};
    store[0] =
        Journal.open(
            disk,
            Fixture.STATE,
            fixture
                .settings()
                .listener(
                    event -> {
                      calls[0]++;
                      if (store[0] != null) {
                        store[0].load();
                      }
                      throw new IllegalStateException("expected by this test");
                    })
                .build());
    for (int i = 0; i < 20; i++) {
      store[0].put(Fixture.A, large(), REQUIRED);
    }

    assertThat(calls[0]).isGreaterThan(2);
    assertThat(store[0].load().values()).containsOnlyKeys(Fixture.A);
  }

  @Test
  @Tag("G11")
  void theFilesStaySmallHoweverMuchIsWritten() {
    Journal store = fixture.open(disk);
    for (int i = 0; i < 20_000; i++) {
      store.put(StateKey.volume("v" + i % 10), StateValue.of(new byte[i % 100]), REQUIRED);
    }
    long bytes =
        disk.files().stream()
            .filter(DiskTroubleTest::isSegment)
            .mapToLong(file -> disk.content(file).length)
            .sum();

    assertThat(bytes).as("G11: the state does not grow with its history").isEqualTo(2 * 4096);
    assertThat(disk.files()).filteredOn(DiskTroubleTest::isSegment).hasSize(2);
  }

  @Test
  @Tag("G11")
  void theFilesAreAtMostFourTimesAsLargeAsTheState() {
    Journal store = fixture.open(disk);
    for (int i = 0; i < 1000; i++) {
      store.put(StateKey.volume("v" + i % 200), StateValue.of(new byte[1000]), REQUIRED);
    }
    long bytes =
        disk.files().stream()
            .filter(DiskTroubleTest::isSegment)
            .mapToLong(file -> disk.content(file).length)
            .sum();

    assertThat(bytes)
        .as("G11: at most four times as large as what it holds")
        .isLessThanOrEqualTo(4 * 200 * 1040L + 4096);
  }
}
