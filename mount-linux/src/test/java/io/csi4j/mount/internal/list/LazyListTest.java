package io.csi4j.mount.internal.list;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.mount.internal.table.MountInfoParser;
import io.csi4j.mount.model.MountPath;
import io.csi4j.mount.model.MountRecord;
import io.csi4j.mount.model.MountSnapshot;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class LazyListTest {

  private static final List<MountRecord> MOUNTS =
      MountInfoParser.parse(
              "1 0 0:1 / / rw - t a rw\n2 1 0:2 / /b rw - t b rw\n"
                  .getBytes(StandardCharsets.US_ASCII),
              "boot")
          .records();

  private final AtomicInteger made = new AtomicInteger();
  private final List<MountRecord> lazy = new LazyList<>(MOUNTS.size(), this::make);

  private List<MountRecord> make() {
    made.incrementAndGet();
    return new ArrayList<>(MOUNTS);
  }

  @Test
  void aSnapshotKnowsHowManyThereAreBeforeAnyIsMade() {
    MountSnapshot table = MountSnapshot.of(lazy, 3, before -> noChange(before));

    int mounts = table.records().size();
    assertThat(mounts).isEqualTo(2);
    assertThat(table).hasToString("2 mounts");
    assertThat(MountSnapshot.of(MOUNTS.subList(0, 1), 0, before -> noChange(before)))
        .hasToString("1 mount");
    assertThat(table.skippedRows()).isEqualTo(3);
    assertThat(table.refresh().now()).isSameAs(table);
    assertThat(made).hasValue(0);

    assertThat(table.at(MountPath.of("/b"))).contains(MOUNTS.get(1));
    assertThat(table.matching(mount -> true)).isEqualTo(MOUNTS);
    assertThat(made).hasValue(1);
  }

  @Test
  void itIsAListLikeAnyOther() {
    assertThat(lazy).isEqualTo(MOUNTS).hasSameHashCodeAs(MOUNTS).hasToString(MOUNTS.toString());
    assertThat(MOUNTS).isEqualTo(lazy);
    assertThat(List.copyOf(lazy)).isEqualTo(MOUNTS);
    assertThat(lazy.subList(1, 2)).containsExactly(MOUNTS.get(1));
    assertThat(lazy.stream().toList()).isEqualTo(MOUNTS);
    assertThat(lazy.contains(MOUNTS.get(1))).isTrue();
    assertThatThrownBy(() -> lazy.set(0, MOUNTS.get(1)))
        .isInstanceOf(UnsupportedOperationException.class);
    assertThatThrownBy(() -> lazy.iterator().remove())
        .isInstanceOf(UnsupportedOperationException.class);
    assertThat(made).hasValue(1);
  }

  @Test
  void threadsThatLookWhileTheMountsAreMadeSeeTheSameOnes() throws Exception {
    List<Thread> threads = new ArrayList<>();
    List<FutureTask<MountRecord>> looks = new ArrayList<>();
    List<MountRecord> shared =
        new LazyList<>(
            2,
            () -> {
              made.incrementAndGet();
              while (made.get() == 1 && threads.stream().anyMatch(LazyListTest::isOnItsWay)) {
                Thread.onSpinWait();
              }
              return MOUNTS.stream().map(LazyListTest::copy).toList();
            });
    for (int i = 0; i < 4; i++) {
      FutureTask<MountRecord> look = new FutureTask<>(() -> shared.get(1));
      looks.add(look);
      threads.add(new Thread(look, "look-" + i));
    }
    threads.forEach(Thread::start);

    Set<MountRecord> seen = Collections.newSetFromMap(new IdentityHashMap<>());
    for (FutureTask<MountRecord> look : looks) {
      seen.add(look.get());
    }
    assertThat(seen).hasSize(1);
    assertThat(made).hasValue(1);
  }

  /** Whether a thread has neither come to the lock nor made the mounts. */
  private static boolean isOnItsWay(Thread thread) {
    return thread != Thread.currentThread() && thread.getState() != Thread.State.WAITING;
  }

  private static MountRecord copy(MountRecord mount) {
    return new MountRecord(
        mount.ref(),
        mount.id(),
        mount.parentId(),
        mount.parentUniqueId(),
        mount.device(),
        mount.root(),
        mount.flags(),
        mount.propagation(),
        mount.type(),
        mount.source(),
        mount.options());
  }

  @Test
  void whatFailedOnceIsTriedAgain() {
    List<MountRecord> failing =
        new LazyList<>(
            2,
            () -> {
              if (made.incrementAndGet() == 1) {
                throw new OutOfMemoryError("no space for them");
              }
              return MOUNTS;
            });

    assertThatThrownBy(() -> failing.get(0)).isInstanceOf(OutOfMemoryError.class);
    assertThat(failing).isEqualTo(MOUNTS);
  }

  private static MountSnapshot.Changes noChange(MountSnapshot before) {
    return new MountSnapshot.Changes(before, List.of(), List.of());
  }
}
