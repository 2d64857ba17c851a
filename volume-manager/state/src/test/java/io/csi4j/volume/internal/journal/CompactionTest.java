package io.csi4j.volume.internal.journal;

import static io.csi4j.volume.state.StateStore.Durability.DEFERRED;
import static io.csi4j.volume.state.StateStore.Durability.REQUIRED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.csi4j.volume.internal.disk.DiskException.Kind;
import io.csi4j.volume.internal.disk.FakeDisk;
import io.csi4j.volume.internal.disk.FakeDisk.Operation;
import io.csi4j.volume.internal.disk.FakeDisk.PowerCut;
import io.csi4j.volume.state.JournalSettings;
import io.csi4j.volume.state.LoadedState;
import io.csi4j.volume.state.StateEvent;
import io.csi4j.volume.state.StateException;
import io.csi4j.volume.state.StateKey;
import io.csi4j.volume.state.StateStore;
import io.csi4j.volume.state.StateStore.Durability;
import io.csi4j.volume.state.StateStore.Stored;
import io.csi4j.volume.state.StateValue;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A new segment is written beside the writers, who go on in the one before. */
class CompactionTest {

  private static final int SEGMENT = 16 * 1024;
  private static final int KEYS = 40;
  private static final int MANY_WRITES = 10_000;

  private final Fixture fixture = new Fixture();
  private FakeDisk disk = FakeDisk.with(Fixture.ROOT);

  /** What was told to be durable, and what is there if the write under way is. */
  private static final class Model {
    private final TreeMap<StateKey, StateValue> acknowledged = new TreeMap<>();
    private TreeMap<StateKey, StateValue> after = new TreeMap<>();
    private int number;

    void put(StateStore store, StateKey key, int size) {
      StateValue value = sized(number++, size);
      after.put(key, value);
      done(store.put(key, value, REQUIRED));
    }

    void remove(StateStore store, StateKey key) {
      after.remove(key);
      done(store.remove(key));
    }

    void bury(StateStore store, StateKey key) {
      StateValue tombstone = sized(number++, 20);
      after.remove(key);
      after.put(StateKey.tombstone(key.id()), tombstone);
      done(store.bury(key, tombstone));
    }

    private void done(Stored stored) {
      assertThat(stored).isEqualTo(Stored.DURABLE);
      acknowledged.clear();
      acknowledged.putAll(after);
    }

    /** One change of some key. */
    void change(StateStore store, Random random) {
      StateKey key = key(random.nextInt(KEYS));
      switch (random.nextInt(6)) {
        case 0 -> remove(store, key);
        case 1 -> bury(store, key);
        case 2 -> remove(store, StateKey.tombstone(key.id()));
        default -> put(store, key, random.nextInt(150));
      }
    }
  }

  private static StateKey key(int i) {
    return StateKey.volume("v" + i);
  }

  private static StateValue sized(int seed, int size) {
    byte[] bytes = new byte[size];
    new Random(seed).nextBytes(bytes);
    return StateValue.of(bytes);
  }

  private JournalSettings settings() {
    return fixture.settings().segmentSize(SEGMENT).ballastSize(0).build();
  }

  private Journal open() {
    return Journal.open(disk, Fixture.STATE, settings());
  }

  private static boolean isRunning(FakeDisk disk) {
    return disk.files().stream().anyMatch(CompactionTest::isUnfinished);
  }

  private static boolean isUnfinished(Path file) {
    return file.toString().endsWith(".new");
  }

  private static long unfinishedBytes(FakeDisk disk) {
    return disk.files().stream()
        .filter(CompactionTest::isUnfinished)
        .mapToLong(file -> disk.content(file).length)
        .sum();
  }

  private int compactions() {
    return fixture.told(StateEvent.Compacted.class).size();
  }

  private static LoadedState loaded(FakeDisk disk) {
    try (StateStore store = new Fixture().open(disk)) {
      return store.load();
    }
  }

  /** Writes until one runs. */
  private void begin(Model model, StateStore store) {
    for (int i = 0; !isRunning(disk); i++) {
      assertThat(i).isLessThan(MANY_WRITES);
      model.put(store, key(i % KEYS), 100);
    }
  }

  /** Writes until it has ended, and says how often. */
  private int end(Model model, StateStore store, Random random) {
    int writes = 0;
    for (int before = compactions(); compactions() == before; writes++) {
      assertThat(writes).isLessThan(MANY_WRITES);
      model.change(store, random);
    }
    return writes;
  }

  // ---- in steps

  @Test
  void noWriteWaitsForMoreThanTwoSyncsOfACompactionAndEachStepIsSmall() {
    int keys = 5_000;
    Journal store = Journal.open(disk, Fixture.STATE, settings());
    for (int i = 0; i < keys; i++) {
      store.put(key(i), sized(i, 100), REQUIRED);
    }
    int[] syncs = {0};
    disk.fail(
        Kind.FAILED,
        (operation, path) -> {
          syncs[0] += operation.name().startsWith("SYNC") ? 1 : 0;
          return false;
        });
    int before = compactions();
    long most = 0;
    int steps = 0;
    for (int i = 0; compactions() < before + 3; i++) {
      syncs[0] = 0;
      long bytes = unfinishedBytes(disk);
      store.put(key(i * 7 % keys), sized(i, 100), REQUIRED);
      assertThat(syncs[0]).as("its own sync, and those of a step").isBetween(1, 3);
      long written = unfinishedBytes(disk) - bytes;
      most = Math.max(most, written);
      steps += written > 0 ? 1 : 0;
    }

    assertThat(most).as("bytes of a step").isLessThan(80 * 1024);
    assertThat(steps).as("steps of three compactions").isGreaterThan(30);
    assertThat(loaded(disk.restart(new Random(1))).values()).hasSize(keys);
  }

  /** Writes until the large segment before the one before is being given up. */
  private static int beginToGiveUp(FakeDisk disk, Journal store, int keys) {
    for (int i = 0; i < keys; i++) {
      store.put(key(i), sized(i, 100), REQUIRED);
    }
    int operations = disk.operations();
    boolean[] cut = {false};
    disk.fail(
        Kind.FAILED,
        (operation, path) -> {
          cut[0] |= operation == Operation.CUT;
          return false;
        });
    for (int i = 0; !cut[0]; i++) {
      assertThat(i).isLessThan(3 * MANY_WRITES);
      operations = disk.operations();
      store.put(key(i * 7 % keys), sized(i * 7 % keys, 100), REQUIRED);
    }
    return operations;
  }

  private static List<Path> segments(FakeDisk disk) {
    return disk.files().stream().filter(file -> file.toString().endsWith(".j")).sorted().toList();
  }

  @Test
  void aLargeSegmentThatIsNotNeededAnyMoreIsGivenUpInPieces() {
    int keys = 7_000;
    Journal store = Journal.open(disk, Fixture.STATE, settings());
    beginToGiveUp(disk, store, keys);
    assertThat(segments(disk)).hasSize(3);
    Path old = segments(disk).get(0);
    int expected = (disk.content(old).length + SegmentFiles.CUT - 1) / SegmentFiles.CUT;
    int pieces = 0;
    for (int left = disk.content(old).length; segments(disk).size() == 3; pieces++) {
      store.put(key(pieces), sized(pieces, 100), REQUIRED);
      int now = segments(disk).size() < 3 ? 0 : disk.content(old).length;
      assertThat(left - now).isBetween(1, SegmentFiles.CUT);
      left = now;
    }

    assertThat(pieces).isGreaterThan(3).isEqualTo(expected);
    assertThat(segments(disk)).doesNotContain(old);
    LoadedState loaded = loaded(disk.restart(new Random(1)));
    assertThat(loaded.uncertainties()).isEmpty();
    assertThat(loaded.values()).hasSize(keys);
  }

  @Tag("campaign")
  @Test
  void aCrashBesideItLeavesAStateWithoutDoubtsAndTheNextOwnerGivesUpTheRest() {
    int keys = 5_000;
    int begun = beginToGiveUp(disk, open(), keys);
    for (int after = 0; after < 20; after += 3) {
      FakeDisk cutting = FakeDisk.with(Fixture.ROOT).cutPowerAt(begun + after);
      assertThatExceptionOfType(PowerCut.class)
          .isThrownBy(
              () -> {
                Journal store = Journal.open(cutting, Fixture.STATE, settings());
                beginToGiveUp(cutting, store, keys);
                for (int i = 0; i < 100; i++) {
                  store.put(key(i), sized(i, 100), REQUIRED);
                }
              });
      FakeDisk again = cutting.restart(FakeDisk.chance(after));
      try (Journal store = Journal.open(again, Fixture.STATE, settings())) {
        assertThat(store.load().values()).hasSize(keys);
        assertThat(store.load().uncertainties())
            .allMatch(doubt -> doubt.reason() == StateException.Reason.JOURNAL_TAIL_DROPPED);
        for (int i = 0; i < 10; i++) {
          store.put(key(i), sized(i, 100), REQUIRED);
        }
      }
      assertThat(segments(again)).hasSize(2);
    }
  }

  @Test
  void aLargeSegmentThatCannotBeCutIsDeleted() {
    Journal store = Journal.open(disk, Fixture.STATE, settings());
    int keys = 5_000;
    for (int i = 0; i < keys; i++) {
      store.put(key(i), sized(i, 100), REQUIRED);
    }
    disk.fail(Kind.FAILED, (operation, path) -> operation == Operation.CUT);
    int before = compactions();
    for (int i = 0; compactions() < before + 3; i++) {
      store.put(key(i * 7 % keys), sized(i, 100), REQUIRED);
    }
    store.put(key(1), sized(1, 100), REQUIRED);

    assertThat(segments(disk)).hasSize(2);
  }

  @Test
  void aStateThatGrowsAndShrinksIsCompactedBesideItsWriters() {
    Journal store = open();
    Model model = new Model();
    for (int round = 0; round < 3; round++) {
      for (int i = 0; i < 400; i++) {
        model.put(store, key(i), 150);
      }
      for (int i = 0; i < 400; i++) {
        model.remove(store, key(i));
      }
    }

    assertThat(loaded(disk.restart(new Random(1))).values()).isEqualTo(model.acknowledged);
    assertThat(compactions()).isGreaterThan(9);
    int between = 0;
    for (String line : disk.history().subList(disk.operations() / 50, disk.operations())) {
      if (line.startsWith("CREATE")) {
        between = 0;
      } else if (line.startsWith("RENAME")) {
        assertThat(between).as("writes beside it").isPositive();
      }
      between += line.startsWith("SYNC") && line.endsWith(".j") ? 1 : 0;
    }
  }

  @Test
  void aWriterThatDoesNotWaitForTheMediumDoesNotDoSoForAFewStepsEither() {
    Journal store = open();
    Model model = new Model();
    begin(model, store);
    int before = syncs();
    for (int i = 0; i < 2; i++) {
      assertThat(store.put(key(i), sized(i, 100), DEFERRED)).isEqualTo(Stored.DEFERRED);
    }

    assertThat(syncs()).isEqualTo(before);
    assertThat(isRunning(disk)).isTrue();
  }

  private int syncs() {
    return (int) disk.history().stream().filter(line -> line.startsWith("SYNC")).count();
  }

  @Test
  void whatIsOnlyDeferredIsCompactedToo() {
    Journal store = open();
    Map<StateKey, StateValue> all = new TreeMap<>();
    for (int i = 0; compactions() < 4; i++) {
      assertThat(i).isLessThan(MANY_WRITES);
      StateValue value = sized(i, 100);
      all.put(key(i % KEYS), value);
      store.put(key(i % KEYS), value, DEFERRED);
    }
    assertThat(store.put(key(0), all.get(key(0)), REQUIRED)).isEqualTo(Stored.DURABLE);

    assertThat(loaded(disk.restart(new Random(1))).values()).isEqualTo(all);
  }

  @Test
  void callersWhoseWritesAreDoneDoNotWaitForAStep() throws Exception {
    Journal store = open();
    Model model = new Model();
    begin(model, store);
    CountDownLatch inStep = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    CountDownLatch syncing = new CountDownLatch(1);
    CountDownLatch queued = new CountDownLatch(1);
    disk.fail(
        Kind.FAILED,
        (operation, path) -> {
          if (operation == Operation.SYNC && !isUnfinished(path) && syncing.getCount() > 0) {
            syncing.countDown();
            awaited(queued);
          } else if (operation == Operation.SYNC && isUnfinished(path) && queued.getCount() == 0) {
            inStep.countDown();
            awaited(goOn);
          }
          return false;
        });

    // The first waits for its sync, and two come meanwhile; one of them writes for both.
    List<FutureTask<Stored>> callers = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      int number = i;
      FutureTask<Stored> task =
          new FutureTask<>(
              () -> store.put(key(number), sized(number, number == 0 ? 1 : 500), REQUIRED));
      Thread thread = new Thread(task, "caller " + i);
      thread.setDaemon(true);
      callers.add(task);
      thread.start();
      if (i == 0) {
        syncing.await();
      } else {
        while (thread.getState() != Thread.State.WAITING) {
          LockSupport.parkNanos(100_000);
        }
      }
    }
    queued.countDown();
    inStep.await();
    for (int told = 0; told < 2; ) {
      told = (int) callers.stream().filter(FutureTask::isDone).count();
      LockSupport.parkNanos(100_000);
    }
    assertThat(callers).filteredOn(FutureTask::isDone).hasSize(2);
    goOn.countDown();
    for (FutureTask<Stored> caller : callers) {
      assertThat(caller.get()).isEqualTo(Stored.DURABLE);
    }
  }

  private static void awaited(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  // ---- what changes meanwhile

  @Test
  void whatChangesWhileOneRunsIsInTheNewSegmentAndWhatIsGoneStaysGone() {
    for (int seed = 0; seed < 60; seed++) {
      disk = FakeDisk.with(Fixture.ROOT);
      fixture.events.clear();
      Journal store = open();
      Model model = new Model();
      Random random = FakeDisk.chance(seed);
      StateKey leaving = StateKey.volume("leaving");
      model.put(store, leaving, 100);
      begin(model, store);
      model.remove(store, leaving);
      assertThat(isRunning(disk)).as("one went meanwhile").isTrue();
      assertThat(end(model, store, random)).as("writes beside it").isGreaterThan(5);

      LoadedState loaded = loaded(disk.restart(FakeDisk.chance(seed)));
      assertThat(loaded.uncertainties()).isEmpty();
      assertThat(loaded.values()).as("seed %s", seed).isEqualTo(model.acknowledged);
    }
  }

  @Test
  void doubtsThatAreSettledWhileOneRunsStaySettled() {
    JournalSettings expecting =
        fixture.settings().segmentSize(SEGMENT).ballastSize(0).stateExpected(true).build();
    Journal store = Journal.open(disk, Fixture.STATE, expecting);
    Model model = new Model();
    begin(model, store);
    assertThat(store.load().uncertainties())
        .singleElement()
        .satisfies(
            doubt -> assertThat(doubt.reason()).isEqualTo(StateException.Reason.STATE_MISSING));
    assertThat(store.settle()).isEqualTo(Stored.DURABLE);
    end(model, store, new Random(1));

    LoadedState loaded = loaded(disk.restart(new Random(1)));
    assertThat(loaded.uncertainties()).isEmpty();
    assertThat(loaded.values()).isEqualTo(model.acknowledged);
  }

  @Test
  void doubtsThatAreNotSettledOutliveIt() {
    JournalSettings expecting =
        fixture.settings().segmentSize(SEGMENT).ballastSize(0).stateExpected(true).build();
    Journal store = Journal.open(disk, Fixture.STATE, expecting);
    Model model = new Model();
    begin(model, store);
    end(model, store, new Random(1));

    assertThat(loaded(disk.restart(new Random(1))).uncertainties())
        .singleElement()
        .satisfies(
            doubt -> assertThat(doubt.reason()).isEqualTo(StateException.Reason.STATE_MISSING));
  }

  // ---- crashes

  /** From before a compaction begins to after it ended, with changes of all kinds. */
  private static void play(FakeDisk disk, Model model, int seed) {
    Random random = FakeDisk.chance(seed);
    try (StateStore store =
        Journal.open(
            disk,
            Fixture.STATE,
            new Fixture().settings().segmentSize(SEGMENT).ballastSize(0).build())) {
      for (int i = 0; i < 80; i++) {
        model.put(store, key(i % KEYS), 90);
      }
      for (int i = 0; i < 90; i++) {
        model.change(store, random);
      }
    }
  }

  @Test
  void aPowerCutAtEachOperationBesideACompactionLosesNothingAndBringsNothingBack() {
    cutAtEachOperation(1, 2);
  }

  @Tag("campaign")
  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void whateverAPowerCutLeavesBesideACompactionNothingIsLostAndNothingComesBack(int seed) {
    cutAtEachOperation(seed, 8);
  }

  /** Each cut leaves one disk for each choice, of what was not synced. */
  private static void cutAtEachOperation(int seed, int choices) {
    FakeDisk whole = FakeDisk.with(Fixture.ROOT);
    play(whole, new Model(), seed);
    List<String> history = whole.history();
    int begun = history.indexOf("CREATE seg-00000002.new");
    int named = history.indexOf("RENAME seg-00000002.j");
    assertThat(begun).isPositive();
    assertThat(history.subList(begun, named))
        .filteredOn("SYNC seg-00000001.j"::equals)
        .as("writes beside the compaction")
        .hasSizeGreaterThan(10);

    for (int cut = begun - 2; cut < Math.min(history.size(), named + 30); cut++) {
      for (int choice = 0; choice < choices; choice++) {
        FakeDisk cutting = FakeDisk.with(Fixture.ROOT).cutPowerAt(cut);
        Model model = new Model();
        try {
          play(cutting, model, seed);
        } catch (PowerCut e) {
          // What this test is about.
        }
        FakeDisk again = cutting.restart(FakeDisk.chance(cut * 100L + choice));
        checkAfter(again, model, "cut at " + cut + ": " + history.get(cut));
      }
    }
  }

  @Test
  void aProcessThatIsKilledBesideACompactionLeavesNothingOfIt() {
    FakeDisk whole = FakeDisk.with(Fixture.ROOT);
    play(whole, new Model(), 3);
    List<String> history = whole.history();
    for (int crash = history.indexOf("CREATE seg-00000002.new");
        crash < history.indexOf("RENAME seg-00000002.j") + 10;
        crash++) {
      FakeDisk killed = FakeDisk.with(Fixture.ROOT).cutPowerAt(crash);
      Model model = new Model();
      try {
        play(killed, model, 3);
      } catch (PowerCut e) {
        // Only the process ends.
      }
      checkAfter(killed.restartProcess(), model, "killed at " + crash);
    }
  }

  private static void checkAfter(FakeDisk again, Model model, String when) {
    try (StateStore store = new Fixture().open(again)) {
      LoadedState loaded = store.load();
      assertThat(loaded.values()).as(when).isIn(model.acknowledged, model.after);
      assertThat(loaded.uncertainties())
          .as(when)
          .allMatch(doubt -> doubt.reason() == StateException.Reason.JOURNAL_TAIL_DROPPED);
      assertThat(isRunning(again)).as(when).isFalse();
    }
  }

  @Test
  void theSegmentBeforeFillsInForANewOneThatIsDamagedAtOnce() {
    Journal store = open();
    Model model = new Model();
    begin(model, store);
    end(model, store, new Random(5));
    disk.overwrite(Fixture.segment(2), new byte[SEGMENT]);

    LoadedState loaded = loaded(disk.restartProcess());
    assertThat(loaded.values()).isEqualTo(model.acknowledged);
    assertThat(loaded.values().keySet()).allMatch(loaded::isDoubtful);
    assertThat(loaded.mayMissKeys()).isTrue();
  }

  @Test
  void damageAmongTheRecordsOfACompactionIsNoTornEnd() {
    Journal store = open();
    Model model = new Model();
    begin(model, store);
    end(model, store, new Random(5));
    byte[] bytes = disk.content(Fixture.segment(2));
    SegmentScan scan = SegmentScan.of(bytes);
    bytes[scan.end() - 900] ^= 1;
    disk.overwrite(Fixture.segment(2), bytes);

    assertThat(loaded(disk.restartProcess()).uncertainties())
        .extracting(doubt -> doubt.reason())
        .contains(StateException.Reason.JOURNAL_DAMAGED);
  }

  @Test
  void closingGivesACompactionUp() {
    Journal store = open();
    Model model = new Model();
    begin(model, store);
    store.close();

    assertThat(isRunning(disk)).isFalse();
    assertThat(disk.files()).contains(Fixture.segment(1)).doesNotContain(Fixture.segment(2));
    assertThat(loaded(disk.restart(new Random(1))).values()).isEqualTo(model.acknowledged);
  }

  // ---- trouble

  @Test
  void nothingIsDoneInAnotherDirectoryThatLiesOverTheState() {
    Journal store = open();
    beginToGiveUp(disk, store, 5_000);
    disk.erase(Fixture.STATE);
    disk.mkdir(Fixture.STATE);
    int before = disk.operations();

    assertThatExceptionOfType(StateException.class)
        .isThrownBy(() -> store.put(key(1), sized(1, 30), REQUIRED))
        .satisfies(e -> assertThat(e.reason()).isEqualTo(StateException.Reason.STATE_NOT_USABLE));
    assertThat(disk.operations()).isEqualTo(before);
    store.close();
    assertThat(disk.operations()).isEqualTo(before);
  }

  @ParameterizedTest
  @ValueSource(strings = {"CREATE", "WRITE", "SYNC", "RENAME"})
  void aDiskThatFailsACompactionDoesNotFailAWriteAndItIsTriedAgain(Operation failing) {
    Journal store = open();
    Model model = new Model();
    Random random = new Random(7);
    disk.fail(
        Kind.FAILED,
        (operation, path) ->
            operation == failing && (isUnfinished(path) || path.equals(Fixture.segment(2))));
    int failed = 0;
    int between = 0;
    for (int i = 0; failed < 2; i++) {
      between += failed;
      assertThat(i).isLessThan(MANY_WRITES);
      int before = disk.history().size();
      model.put(store, key(i % KEYS), 30);
      if (disk.history().subList(before, disk.history().size()).stream()
          .anyMatch(line -> line.startsWith(failing + " seg-00000002"))) {
        failed++;
        assertThat(isRunning(disk)).as("left of it").isFalse();
      }
    }
    assertThat(between).as("writes between two tries").isGreaterThan(5);
    model.change(store, random);
    LoadedState meanwhile = loaded(disk.restart(new Random(1)));
    assertThat(meanwhile.values()).isEqualTo(model.acknowledged);
    assertThat(meanwhile.uncertainties()).as("no number is left out").isEmpty();
    assertThat(compactions()).isOne();
    disk.heal();
    end(model, store, random);

    assertThat(fixture.told(StateEvent.WritesStopped.class)).isEmpty();
    assertThat(fixture.told(StateEvent.Repaired.class)).isEmpty();
    LoadedState loaded = loaded(disk.restart(new Random(1)));
    assertThat(loaded.values()).isEqualTo(model.acknowledged);
    assertThat(loaded.uncertainties()).isEmpty();
  }

  @Test
  void aDiskThatBecomesFullBesideACompactionTakesFurtherWritesAndGetsItsSpaceBack() {
    Journal store = open();
    Model model = new Model();
    begin(model, store);
    disk.leave(1000);
    for (int i = 0; isRunning(disk); i++) {
      assertThat(i).isLessThan(MANY_WRITES);
      model.put(store, key(i % KEYS), 30);
    }
    for (int i = 0; i < 10; i++) {
      model.put(store, key(i), 30);
    }
    assertThat(fixture.told(StateEvent.WritesStopped.class)).isEmpty();
    assertThat(store.capacity().canRecordIntent()).isTrue();
    assertThat(loaded(disk.restart(new Random(1))).values()).isEqualTo(model.acknowledged);
    disk.heal();
    end(model, store, new Random(2));

    assertThat(loaded(disk.restart(new Random(1))).values()).isEqualTo(model.acknowledged);
  }

  @Test
  void whenTheNameOfTheNewSegmentMayBeLostNeitherIsWrittenAndAnotherOneIsMade() {
    Journal store = open();
    Model model = new Model();
    begin(model, store);
    boolean[] failed = {false};
    disk.fail(
        Kind.FAILED,
        (operation, path) -> {
          boolean now = operation == Operation.SYNC_DIRECTORY && !failed[0];
          failed[0] |= now;
          return now;
        });
    while (!failed[0]) {
      model.put(store, key(1), 30);
    }
    assertThat(store.capacity().canRecordIntent()).isFalse();
    int before = disk.history().size();
    model.put(store, key(2), 30);

    assertThat(disk.history().subList(before, disk.history().size()))
        .noneMatch(line -> line.matches("WRITE seg-0000000[12].j"))
        .contains("RENAME seg-00000003.j");
    assertThat(fixture.told(StateEvent.Recovered.class))
        .containsExactly(new StateEvent.Recovered(StateException.Reason.JOURNAL_SYNC_FAILED));
    for (int seed = 0; seed < 16; seed++) {
      assertThat(loaded(disk.restart(FakeDisk.chance(seed))).values())
          .isEqualTo(model.acknowledged);
    }
  }

  @Test
  void aSegmentThatFailsBesideACompactionIsFollowedByOneThatIsWrittenAtOnce() {
    Journal store = open();
    Model model = new Model();
    begin(model, store);
    boolean[] failed = {false};
    disk.fail(
        Kind.FAILED,
        (operation, path) -> {
          boolean now =
              operation == Operation.SYNC && path.equals(Fixture.segment(1)) && !failed[0];
          failed[0] |= now;
          return now;
        });
    model.put(store, key(3), 77);

    assertThat(fixture.told(StateEvent.Repaired.class))
        .containsExactly(
            new StateEvent.Repaired(StateException.Reason.JOURNAL_SYNC_FAILED, Fixture.segment(1)));
    assertThat(isRunning(disk)).isFalse();
    assertThat(loaded(disk.restart(new Random(1))).values()).isEqualTo(model.acknowledged);
  }

  @Test
  @Tag("A24")
  void anOwnerThatLostTheStateLeavesTheUnfinishedSegmentOfTheNextOneAlone() {
    SwitchedDisk shared = new SwitchedDisk(disk);
    Journal old = Journal.open(shared, Fixture.STATE, settings());
    Model model = new Model();
    begin(model, old);
    shared.loseLocks();
    Journal fresh = Journal.open(shared, Fixture.STATE, settings());
    assertThat(isRunning(disk)).isFalse();
    begin(model, fresh);

    StateException refused =
        catchThrowableOfType(
            StateException.class, () -> old.put(key(1), sized(1, 30), Durability.REQUIRED));
    assertThat(refused.reason())
        .as("A24: a first that lost it writes nothing")
        .isEqualTo(StateException.Reason.STATE_TAKEN_OVER);
    old.close();
    assertThat(isRunning(disk)).isTrue();
    end(model, fresh, new Random(1));
    assertThat(loaded(disk.restart(new Random(1))).values()).isEqualTo(model.acknowledged);
  }
}
