package io.csi4j.volume.internal.journal;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.volume.internal.disk.DiskException.Kind;
import io.csi4j.volume.internal.disk.FakeDisk;
import io.csi4j.volume.internal.disk.FakeDisk.Operation;
import io.csi4j.volume.internal.disk.FakeDisk.PowerCut;
import io.csi4j.volume.state.JournalSettings;
import io.csi4j.volume.state.LoadedState;
import io.csi4j.volume.state.StateException;
import io.csi4j.volume.state.StateKey;
import io.csi4j.volume.state.StateStore;
import io.csi4j.volume.state.StateStore.Durability;
import io.csi4j.volume.state.StateStore.Stored;
import io.csi4j.volume.state.StateValue;
import io.csi4j.volume.state.Uncertainty;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Callers who write while another one waits for the disk: their records are synced together. */
class TogetherTest {

  private static final JournalSettings SETTINGS =
      JournalSettings.builder().host(Fixture.HOST).segmentSize(16384).ballastSize(0).build();
  private static final int MANY = 6;

  private final FakeDisk disk = FakeDisk.with(Fixture.ROOT);
  private final CountDownLatch syncing = new CountDownLatch(1);
  private final CountDownLatch queued = new CountDownLatch(1);
  private StateStore store;

  /** A caller in a thread of its own. */
  private static final class Caller {
    private final FutureTask<Stored> task;
    private final Thread thread;

    Caller(StateStore store, StateKey key, StateValue value) {
      task = new FutureTask<>(() -> store.put(key, value, Durability.REQUIRED));
      thread = new Thread(task, "caller of " + key.id());
      thread.setDaemon(true);
      thread.start();
    }

    void awaitWaiting() {
      while (thread.getState() != Thread.State.WAITING) {
        LockSupport.parkNanos(100_000);
      }
    }

    Object outcome() throws InterruptedException {
      try {
        return task.get();
      } catch (ExecutionException e) {
        return e.getCause().getClass();
      }
    }
  }

  @BeforeEach
  void open() {
    store = Journal.open(disk, Fixture.STATE, SETTINGS);
  }

  private static StateKey key(int i) {
    return StateKey.volume("v" + i);
  }

  private static StateValue value(int i) {
    byte[] bytes = new byte[600];
    new Random(i).nextBytes(bytes);
    return StateValue.of(bytes);
  }

  /** Lets the first sync wait until the others have come, and the next one fail if told so. */
  private void meet(boolean failing) {
    disk.fail(
        Kind.FAILED,
        (operation, path) -> {
          if (operation != Operation.SYNC || !path.toString().endsWith(".j")) {
            return false;
          }
          boolean first = syncing.getCount() > 0;
          syncing.countDown();
          if (first) {
            awaited(queued);
          }
          return !first && failing;
        });
  }

  private static void awaited(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** One caller, and while it waits for the disk many more. */
  private List<Object> write(Runnable whenAllWait) throws InterruptedException {
    List<Caller> callers = new ArrayList<>();
    callers.add(new Caller(store, key(0), value(0)));
    syncing.await();
    for (int i = 1; i <= MANY; i++) {
      callers.add(new Caller(store, key(i), value(i)));
      callers.get(i).awaitWaiting();
    }
    whenAllWait.run();
    queued.countDown();
    List<Object> outcomes = new ArrayList<>();
    for (Caller caller : callers) {
      outcomes.add(caller.outcome());
    }
    return outcomes;
  }

  private static Path newest(FakeDisk disk) {
    return disk.files().stream()
        .filter(file -> file.toString().endsWith(".j"))
        .max(Path::compareTo)
        .orElseThrow();
  }

  @Test
  void thoseWhoWaitForTheDiskShareTheNextSync() throws InterruptedException {
    meet(false);
    int before = syncs();

    assertThat(write(() -> {})).hasSize(MANY + 1).containsOnly(Stored.DURABLE);

    assertThat(syncs() - before).isEqualTo(2);
    disk.heal();
    assertThat(values(disk.restart(new Random(1)))).isEqualTo(all());
  }

  @Test
  void thoseWhoTakeTogetherLeaveTheReserveToThoseWhoGiveBack() throws InterruptedException {
    Path segment = newest(disk);
    int size = disk.content(segment).length;
    for (int end = 0; end + 640 < size * 3 / 4; ) {
      store.put(key(99), value(99), Durability.REQUIRED);
      end = SegmentScan.of(disk.content(segment)).end();
    }
    meet(false);

    assertThat(write(() -> {})).hasSize(MANY + 1).containsOnly(Stored.DURABLE);

    int left = size - SegmentScan.of(disk.content(segment)).end();
    assertThat(left).isBetween(size / 8, size / 8 + 640);
    Map<StateKey, StateValue> all = all();
    all.put(key(99), value(99));
    assertThat(values(disk.restart(new Random(1)))).isEqualTo(all);
  }

  private int syncs() {
    return (int) disk.history().stream().filter(line -> line.startsWith("SYNC seg-")).count();
  }

  private static Map<StateKey, StateValue> all() {
    Map<StateKey, StateValue> all = new TreeMap<>();
    for (int i = 0; i <= MANY; i++) {
      all.put(key(i), value(i));
    }
    return all;
  }

  private static Map<StateKey, StateValue> values(FakeDisk disk) {
    try (StateStore again = Journal.open(disk, Fixture.STATE, SETTINGS)) {
      return again.load().values();
    }
  }

  @Test
  void whatFailedTogetherIsWrittenToANewSegment() throws InterruptedException {
    meet(true);
    Path old = newest(disk);

    assertThat(write(() -> {})).hasSize(MANY + 1).containsOnly(Stored.DURABLE);

    assertThat(newest(disk)).isNotEqualTo(old);
    disk.heal();
    assertThat(values(disk.restart(new Random(1)))).isEqualTo(all());
  }

  @Test
  @Tag("B2")
  void aPowerCutWhileSeveralAreWrittenLeavesATailAndNoDamage() throws InterruptedException {
    meet(false);

    // The write of all who wait is made, its sync is not.
    List<Object> outcomes = write(() -> disk.cutPowerAt(disk.operations() + 1));

    assertThat(outcomes.get(0)).isEqualTo(Stored.DURABLE);
    assertThat(outcomes.subList(1, MANY + 1))
        .as("B2: nobody whose record may be torn was told to go on")
        .containsOnly(PowerCut.class);
    Set<Integer> left = new HashSet<>();
    for (int seed = 0; seed < 300; seed++) {
      FakeDisk again = disk.restart(FakeDisk.chance(seed));
      try (StateStore opened = Journal.open(again, Fixture.STATE, SETTINGS)) {
        LoadedState loaded = opened.load();
        // As many as came through, in their order, and none after one that is lost.
        assertThat(loaded.values().size()).isGreaterThanOrEqualTo(1);
        for (int i = 0; i < loaded.values().size(); i++) {
          assertThat(loaded.values()).containsEntry(key(i), value(i));
        }
        assertThat(loaded.uncertainties())
            .extracting(Uncertainty::reason)
            .allMatch(reason -> reason == StateException.Reason.JOURNAL_TAIL_DROPPED);
        left.add(loaded.values().size());
      }
      assertThat(again.files()).noneMatch(file -> file.toString().contains("damaged"));
    }
    assertThat(left).hasSizeGreaterThan(2);
  }

  @Test
  void whatIsDeferredIsNotSyncedAndTheNextSyncIsForAll() {
    int before = syncs();
    for (int i = 0; i < MANY; i++) {
      assertThat(store.put(key(i), value(i), Durability.DEFERRED)).isEqualTo(Stored.DEFERRED);
    }
    assertThat(syncs()).isEqualTo(before);
    assertThat(store.put(key(MANY), value(MANY), Durability.REQUIRED)).isEqualTo(Stored.DURABLE);

    assertThat(syncs()).isEqualTo(before + 1);
    assertThat(values(disk.restart(new Random(1)))).isEqualTo(all());
  }

  @Test
  void whatIsDeferredOutlivesTheProcessAndIsOnTheMediumWhenTheStoreIsClosed() {
    for (int i = 0; i <= MANY; i++) {
      store.put(key(i), value(i), Durability.DEFERRED);
    }
    assertThat(values(disk.restartProcess())).isEqualTo(all());

    store.close();

    assertThat(values(disk.restart(new Random(1)))).isEqualTo(all());
  }

  @Test
  void aPowerCutLeavesAnyFirstOnesOfWhatWasDeferredAndNoDamage() {
    store.put(key(0), value(0), Durability.REQUIRED);
    for (int i = 1; i <= MANY; i++) {
      store.put(key(i), value(i), Durability.DEFERRED);
    }
    Set<Integer> left = new HashSet<>();
    for (int seed = 0; seed < 300; seed++) {
      FakeDisk again = disk.restart(FakeDisk.chance(seed));
      try (StateStore opened = Journal.open(again, Fixture.STATE, SETTINGS)) {
        LoadedState loaded = opened.load();
        assertThat(loaded.values()).containsKey(key(0));
        for (int i = 0; i < loaded.values().size(); i++) {
          assertThat(loaded.values()).containsEntry(key(i), value(i));
        }
        assertThat(loaded.uncertainties())
            .extracting(Uncertainty::reason)
            .allMatch(reason -> reason == StateException.Reason.JOURNAL_TAIL_DROPPED);
        left.add(loaded.values().size());
      }
      assertThat(again.files()).noneMatch(file -> file.toString().contains("damaged"));
    }
    assertThat(left).hasSizeGreaterThan(2);
  }

  @Test
  void damageOfWhatWasDeferredIsDamageOnceASyncedRecordWasFollowed() {
    store.put(key(0), value(0), Durability.DEFERRED);
    store.put(key(1), value(1), Durability.REQUIRED);
    store.put(key(2), value(2), Durability.DEFERRED);
    Path segment = newest(disk);
    byte[] bytes = disk.content(segment);
    // In the value of the first record after the header.
    bytes[640 + 300 - 512] ^= 1;
    disk.overwrite(segment, bytes);

    try (StateStore opened = Journal.open(disk.restartProcess(), Fixture.STATE, SETTINGS)) {
      assertThat(opened.load().uncertainties())
          .extracting(Uncertainty::reason)
          .containsExactly(StateException.Reason.JOURNAL_DAMAGED);
      assertThat(opened.load().values()).containsOnlyKeys(key(1), key(2));
    }
  }

  @Test
  void whatIsDeferredIsKeptWhenTheSyncThatItWaitsForFails() {
    store.put(key(0), value(0), Durability.DEFERRED);
    disk.fail(
        Kind.FAILED,
        (operation, path) -> operation == Operation.SYNC && path.toString().endsWith(".j"));
    assertThat(store.put(key(1), value(1), Durability.REQUIRED)).isEqualTo(Stored.DURABLE);
    disk.heal();

    assertThat(values(disk.restart(new Random(1))))
        .isEqualTo(new TreeMap<>(Map.of(key(0), value(0), key(1), value(1))));
  }

  @Test
  void damageOfRecordsThatWereSyncedTogetherIsDamageOnceAnotherFollows()
      throws InterruptedException {
    meet(false);
    write(() -> {});
    store.put(key(99), value(99), Durability.REQUIRED);
    Path segment = newest(disk);
    byte[] bytes = disk.content(segment);
    // In the value of the fourth record after the header.
    bytes[4 * 640 + 300] ^= 1;
    disk.overwrite(segment, bytes);

    try (StateStore opened = Journal.open(disk.restartProcess(), Fixture.STATE, SETTINGS)) {
      assertThat(opened.load().uncertainties())
          .extracting(Uncertainty::reason)
          .contains(StateException.Reason.JOURNAL_DAMAGED);
      assertThat(opened.load().values()).containsKeys(key(0), key(MANY), key(99));
    }
  }

  @Test
  void anInterruptOfOneWhoWaitsEndsNothingAndStaysSet() throws InterruptedException {
    meet(false);
    CountDownLatch interrupted = new CountDownLatch(1);
    Thread[] waiting = new Thread[1];

    List<Object> outcomes =
        write(
            () -> {
              waiting[0] =
                  new Thread(
                      () -> {
                        store.put(key(50), value(50), Durability.REQUIRED);
                        if (Thread.currentThread().isInterrupted()) {
                          interrupted.countDown();
                        }
                      });
              waiting[0].start();
              waiting[0].interrupt();
            });

    interrupted.await();
    assertThat(outcomes).containsOnly(Stored.DURABLE);
    assertThat(store.load().values()).containsKey(key(50));
  }
}
