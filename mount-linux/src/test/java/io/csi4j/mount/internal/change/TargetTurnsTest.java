package io.csi4j.mount.internal.change;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.mount.model.MountException;
import io.csi4j.mount.model.MountException.Reason;
import io.csi4j.mount.model.MountPath;
import io.csi4j.mount.model.MountSettings;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class TargetTurnsTest {

  private static final MountPath TARGET = MountPath.of("/a");
  private static final MountPath OTHER = MountPath.of("/b");

  private final MountCallPool pool = new MountCallPool(new MountSettings(Duration.ofMinutes(1), 2));
  private final ExecutorService callers = Executors.newCachedThreadPool();
  private final CountDownLatch kernel = new CountDownLatch(1);
  private final CountDownLatch inside = new CountDownLatch(1);

  @AfterEach
  void letEverythingEnd() {
    kernel.countDown();
    callers.shutdownNow();
  }

  @Test
  void oneWaitsForTheOtherAtTheSameTargetOnly() throws Exception {
    TargetTurns turns = new TargetTurns(Duration.ofMinutes(1));
    Future<String> first = callers.submit(() -> turns.call(pool, "First", TARGET, this::slow));
    inside.await();
    Future<String> second =
        callers.submit(() -> turns.call(pool, "Second", TARGET, gone -> "second"));

    assertThat(turns.<String>call(pool, "Other", OTHER, gone -> "other")).isEqualTo("other");
    assertThat(second).isNotDone();
    kernel.countDown();

    assertThat(first.get()).isEqualTo("first");
    assertThat(second.get()).isEqualTo("second");
    assertThat(turns.size()).isZero();
  }

  @Test
  void whoWaitsTooLongIsRefusedAndTakesNoThreadOfThePool() throws Exception {
    TargetTurns turns = new TargetTurns(Duration.ofMillis(20));
    Future<String> first = callers.submit(() -> turns.call(pool, "First", TARGET, this::slow));
    inside.await();

    for (int i = 0; i < 5; i++) {
      assertThatThrownBy(() -> turns.call(pool, "Mounting /a", TARGET, gone -> "never"))
          .isInstanceOfSatisfying(
              MountException.class, e -> assertThat(e.reason()).isEqualTo(Reason.DEADLINE))
          .hasMessageStartingWith(
              "Mounting /a did not begin in time: another call for the same target has not"
                  + " returned from the kernel. Nothing was changed.");
    }
    assertThat(pool.stuck()).isZero();
    kernel.countDown();

    assertThat(first.get()).isEqualTo("first");
    assertThat(turns.<String>call(pool, "Again", TARGET, gone -> "again")).isEqualTo("again");
    assertThat(turns.size()).isZero();
  }

  @Test
  void aTurnIsGivenBackByWorkThatFailsOrNeverBegins() {
    TargetTurns turns = new TargetTurns(Duration.ofMinutes(1));
    assertThatThrownBy(
            () ->
                turns.call(
                    pool,
                    "Failing",
                    TARGET,
                    gone -> {
                      throw new IllegalStateException("no");
                    }))
        .hasMessage("no");
    Thread.currentThread().interrupt();
    assertThatThrownBy(() -> turns.call(pool, "Interrupted", TARGET, gone -> "never"))
        .isInstanceOfSatisfying(
            MountException.class, e -> assertThat(e.reason()).isEqualTo(Reason.INTERRUPTED));
    assertThat(Thread.interrupted()).isTrue();

    assertThat(turns.size()).isZero();
  }

  private String slow(java.util.function.BooleanSupplier abandoned) {
    inside.countDown();
    try {
      kernel.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
    return "first";
  }
}
