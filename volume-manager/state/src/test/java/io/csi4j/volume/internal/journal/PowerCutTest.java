package io.csi4j.volume.internal.journal;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.mount.real.MountTest;
import io.csi4j.mount.real.Scratch;
import io.csi4j.volume.internal.disk.Disk;
import io.csi4j.volume.internal.disk.FakeDisk;
import io.csi4j.volume.internal.disk.FakeDisk.PowerCut;
import io.csi4j.volume.internal.disk.MountedDisk;
import io.csi4j.volume.internal.disk.RealDisk;
import io.csi4j.volume.state.JournalSettings;
import io.csi4j.volume.state.LoadedState;
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
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The power is cut at every operation of a history with openings, compactions and closings, and
 * what was not synced survives in part. What was acknowledged is there afterwards; of what was
 * deferred or on its way, the first writes are there, and none after one that is not.
 */
class PowerCutTest {

  private static final JournalSettings SETTINGS =
      JournalSettings.builder()
          .host(Fixture.HOST)
          .segmentSize(4096)
          .ballastSize(1024)
          .acceptAnyFilesystem(true)
          .build();

  /** Keeps nothing, or all, of what was not synced. */
  private static final class Always extends Random {
    private static final long serialVersionUID = 1L;
    private final boolean answer;

    Always(boolean answer) {
      this.answer = answer;
    }

    @Override
    public boolean nextBoolean() {
      return answer;
    }
  }

  /** One write: what the state is after it. */
  private interface Write {
    Stored to(StateStore store);
  }

  /** The end of a history on a disk that fails from the power cut on. */
  private static final class NotKept extends RuntimeException {
    private static final long serialVersionUID = 1L;
  }

  /**
   * The history, and what is true after the last write that was acknowledged as durable, after each
   * one since, and after the one that is under way.
   */
  private static final class History {
    private final List<Map<StateKey, StateValue>> possible =
        new ArrayList<>(List.of(new TreeMap<>()));
    private Map<StateKey, StateValue> last = new TreeMap<>();
    private Map<StateKey, StateValue> after = new TreeMap<>();
    private int compactions;

    private void write(StateStore store, Map<StateKey, StateValue> then, Write write) {
      after = then;
      Stored stored = write.to(store);
      if (stored == Stored.DURABLE) {
        possible.clear();
      } else if (stored != Stored.DEFERRED) {
        throw new NotKept();
      }
      possible.add(then);
      last = then;
    }

    /** What may be there after a power cut. */
    List<Map<StateKey, StateValue>> afterPowerCut() {
      List<Map<StateKey, StateValue>> all = new ArrayList<>(possible);
      all.add(after);
      return all;
    }

    /** What may be there when only the process has ended. */
    List<Map<StateKey, StateValue>> afterCrash() {
      return List.of(last, after);
    }

    private void put(StateStore store, StateKey key, StateValue value, Durability durability) {
      Map<StateKey, StateValue> then = new TreeMap<>(last);
      then.put(key, value);
      write(store, then, it -> it.put(key, value, durability));
    }

    private void remove(StateStore store, StateKey key) {
      Map<StateKey, StateValue> then = new TreeMap<>(last);
      then.remove(key);
      write(store, then, it -> it.remove(key));
    }

    private void bury(StateStore store, StateKey key, StateValue tombstone) {
      Map<StateKey, StateValue> then = new TreeMap<>(last);
      then.remove(key);
      then.put(StateKey.tombstone(key.id()), tombstone);
      write(store, then, it -> it.bury(key, tombstone));
    }

    /** Two lives of a store, each of which fills several segments. */
    void play(FakeDisk disk) {
      play(disk, Fixture.STATE);
      compactions =
          (int) disk.history().stream().filter(line -> line.startsWith("RENAME seg-")).count();
    }

    /** The same through system calls; false if the power was cut on the way. */
    boolean play(FakeDisk disk, Scratch scratch) {
      Path root = scratch.directory("disk").toPath();
      try (MountedDisk mounted = MountedDisk.mount(disk, Fixture.ROOT, scratch.path("disk"))) {
        play(new RealDisk(), root.resolve(Fixture.STATE.getFileName()));
        return true;
      } catch (StateException | NotKept e) {
        return false;
      }
    }

    private void play(Disk disk, Path state) {
      for (int life = 0; life < 2; life++) {
        try (StateStore store = Journal.open(disk, state, SETTINGS)) {
          for (int i = 0; i < 8; i++) {
            StateKey key = StateKey.volume("v" + i % 5);
            put(store, key, sized(life * 100 + i, 40 + 130 * i), Durability.REQUIRED);
            for (int more = 0; more < i % 4; more++) {
              StateKey other = StateKey.volume("v" + (i + more) % 5);
              put(store, other, sized(life * 100 + i + 50, 30 + 170 * more), Durability.DEFERRED);
            }
            if (i % 3 == 1) {
              bury(store, key, sized(life * 100 + i, 20));
            } else if (i % 3 == 2) {
              remove(store, StateKey.tombstone("v" + (i - 1) % 5));
            }
          }
        }
      }
    }
  }

  private static StateValue sized(int seed, int size) {
    byte[] bytes = new byte[size];
    new Random(seed).nextBytes(bytes);
    return StateValue.of(bytes);
  }

  private static List<Random> choices(int cut) {
    List<Random> choices = new ArrayList<>(List.of(new Always(false), new Always(true)));
    for (int seed = 0; seed < 12; seed++) {
      choices.add(FakeDisk.chance(cut * 1000L + seed));
    }
    return choices;
  }

  @Tag("campaign")
  @Test
  @Tag("B3")
  void h2Issue2067_whatWasAcknowledgedIsThereAfterAPowerCutAtAnyOperation() {
    FakeDisk whole = FakeDisk.with(Fixture.ROOT);
    History complete = new History();
    complete.play(whole);
    assertThat(complete.compactions).isGreaterThanOrEqualTo(4);
    int checked = 0;

    for (int cut = 0; cut < whole.operations(); cut++) {
      for (Random choice : choices(cut)) {
        FakeDisk disk = FakeDisk.with(Fixture.ROOT).cutPowerAt(cut);
        History history = new History();
        try {
          history.play(disk);
        } catch (PowerCut e) {
          // What this test is about.
        }
        FakeDisk again = disk.restart(choice);
        checkAfter(again, history.afterPowerCut(), "cut at " + cut + " of " + whole.operations());
        checked++;
      }
    }

    assertThat(checked)
        .as("B3: the old segment or the new one, whole, after cuts at each operation")
        .isGreaterThan(1000);
  }

  /**
   * The history goes through the disk of the host and the system calls that it makes, in every
   * seventh operation; {@link ForgetfulDiskTest} is about its operations one by one.
   */
  @Nested
  @MountTest
  class ThroughSystemCalls {

    @Test
    void whatWasAcknowledgedIsThereAfterAPowerCut(Scratch scratch) {
      FakeDisk whole = FakeDisk.with(Fixture.ROOT);
      assertThat(new History().play(whole, scratch)).isTrue();
      // A step of a compaction after the last write, and closing the store, fail for nobody.
      int last = whole.operations() - 2;
      while (!whole.history().get(last).matches("SYNC seg-.*\\.j")) {
        last--;
      }
      for (int cut = 0; cut <= last; cut += 7) {
        FakeDisk disk = FakeDisk.with(Fixture.ROOT).cutPowerAt(cut);
        History history = new History();
        assertThat(history.play(disk, scratch)).isFalse();
        for (Random choice : List.of(new Always(false), new Always(true), FakeDisk.chance(cut))) {
          checkAfter(
              disk.restart(choice),
              history.afterPowerCut(),
              "cut at " + cut + " of " + whole.operations());
        }
      }
    }
  }

  @Test
  void whatIsWrittenAfterACrashAtAnyOperationIsThereAfterAPowerCut() {
    FakeDisk whole = FakeDisk.with(Fixture.ROOT);
    new History().play(whole);
    for (int crash = 0; crash < whole.operations(); crash++) {
      FakeDisk disk = FakeDisk.with(Fixture.ROOT).cutPowerAt(crash);
      History history = new History();
      try {
        history.play(disk);
      } catch (PowerCut e) {
        // Only the process ends: the disk has all that was written, synced or not.
      }
      checkAfter(disk.restartProcess(), history.afterCrash(), "crash at " + crash);
    }
  }

  private static void checkAfter(
      FakeDisk disk, List<Map<StateKey, StateValue>> possible, String when) {
    Map<StateKey, StateValue> found;
    try (StateStore store = Journal.open(disk, Fixture.STATE, SETTINGS)) {
      LoadedState loaded = store.load();
      found = loaded.values();
      assertThat(possible).as(when).contains(found);
      assertThat(loaded.uncertainties())
          .as(when)
          .allMatch(doubt -> doubt.reason() == StateException.Reason.JOURNAL_TAIL_DROPPED);
      store.put(Fixture.C, Fixture.value("goes on"), Durability.REQUIRED);
    }
    // Whoever came back writes on, and that survives the next cut.
    try (StateStore store =
        Journal.open(disk.restart(new Always(false)), Fixture.STATE, SETTINGS)) {
      TreeMap<StateKey, StateValue> expected = new TreeMap<>(found);
      expected.put(Fixture.C, Fixture.value("goes on"));
      assertThat(store.load().values()).as(when).isEqualTo(expected);
    }
  }

  /** The next owner writes behind what is not synced. */
  @Tag("campaign")
  @Test
  void aPowerCutWhileTheStateOfAKilledProcessIsOpenedLosesAtMostWhatThatHadDeferred() {
    FakeDisk whole = FakeDisk.with(Fixture.ROOT);
    new History().play(whole);
    for (int crash = 0; crash < whole.operations(); crash += 2) {
      for (int cut = 0; cut < 6; cut++) {
        for (int seed = 0; seed < 4; seed++) {
          FakeDisk disk = FakeDisk.with(Fixture.ROOT).cutPowerAt(crash);
          History history = new History();
          try {
            history.play(disk);
          } catch (PowerCut e) {
            // Only the process ends.
          }
          FakeDisk opened = disk.restartProcess();
          opened.cutPowerAt(opened.operations() + cut);
          try {
            Objects.requireNonNull(Journal.open(opened, Fixture.STATE, SETTINGS));
          } catch (PowerCut e) {
            // As told.
          }
          checkAfter(
              opened.restart(FakeDisk.chance(crash * 100L + seed)),
              history.afterPowerCut(),
              "crash at " + crash + ", cut at " + cut);
        }
      }
    }
  }

  @Test
  void aSecondPowerCutWhileTheStateIsOpenedLosesNothing() {
    FakeDisk whole = FakeDisk.with(Fixture.ROOT);
    new History().play(whole);
    for (int cut = whole.operations() / 2; cut < whole.operations(); cut += 3) {
      FakeDisk disk = FakeDisk.with(Fixture.ROOT).cutPowerAt(cut);
      History history = new History();
      try {
        history.play(disk);
      } catch (PowerCut e) {
        // The first.
      }
      for (int second = 0; second < 12; second++) {
        FakeDisk opened = disk.restart(FakeDisk.chance(cut)).cutPowerAt(second);
        try {
          Objects.requireNonNull(Journal.open(opened, Fixture.STATE, SETTINGS));
        } catch (PowerCut e) {
          // The second.
        }
        checkAfter(
            opened.restart(FakeDisk.chance(second)),
            history.afterPowerCut(),
            "cuts " + cut + " and " + second);
      }
    }
  }
}
