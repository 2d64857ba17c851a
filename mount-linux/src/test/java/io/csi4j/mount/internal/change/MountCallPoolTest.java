package io.csi4j.mount.internal.change;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.mount.model.MountException;
import io.csi4j.mount.model.MountException.Reason;
import io.csi4j.mount.model.MountSettings;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class MountCallPoolTest {

  private static final Duration LONG = Duration.ofMinutes(1);
  private static final Duration SHORT = Duration.ofMillis(20);

  private final CountDownLatch kernel = new CountDownLatch(1);
  private final ExecutorService callers = Executors.newCachedThreadPool();

  @AfterEach
  void letEverythingEnd() {
    kernel.countDown();
    callers.shutdownNow();
  }

  @Test
  void aResultComesFromADaemonThreadOfThePool() {
    Thread thread = pool(LONG, 1).call("Asking", Duration.ZERO, gone -> Thread.currentThread());

    assertThat(thread.getName()).isEqualTo("csi4j-mount-1");
    assertThat(thread.isDaemon()).isTrue();
  }

  @Test
  void aFailureIsThrownAsItIsWithTheStackOfTheCaller() {
    MountException failure = MountException.builder(Reason.BUSY, "It is busy.").build();

    assertThatThrownBy(
            () ->
                pool(LONG, 1)
                    .call(
                        "Asking",
                        Duration.ZERO,
                        gone -> {
                          throw failure;
                        }))
        .isSameAs(failure);
    assertThat(failure.getStackTrace())
        .extracting(StackTraceElement::getClassName)
        .contains(MountCallPool.class.getName(), MountCallPoolTest.class.getName())
        .doesNotContain(ThreadPoolExecutor.class.getName());
  }

  @Test
  void anErrorIsThrownAsItIs() {
    AssertionError error = new AssertionError("wrong");

    assertThatThrownBy(
            () ->
                pool(LONG, 1)
                    .call(
                        "Asking",
                        Duration.ZERO,
                        gone -> {
                          throw error;
                        }))
        .isSameAs(error);
  }

  @Test
  void aCallPastItsDeadlineIsCountedUntilItEndsAndIsUndone() throws Exception {
    MountCallPool pool = pool(SHORT, 2);
    Stuck stuck = new Stuck();

    assertThatThrownBy(() -> pool.call("Mounting /a", Duration.ZERO, stuck))
        .isInstanceOfSatisfying(
            MountException.class, e -> assertThat(e.reason()).isEqualTo(Reason.DEADLINE))
        .hasMessage(
            "Mounting /a did not end within 0.02 s: the call is still in the"
                + " kernel, most likely because a filesystem does not answer. Its effect"
                + " will be undone when it ends. Find the mount whose server hangs; a"
                + " forced unmount of it frees the call.");
    assertThat(pool.stuck()).isEqualTo(1);
    await(() -> stuck.gone.get() != null);
    assertThat(stuck.gone.get().getAsBoolean()).isTrue();

    kernel.countDown();
    stuck.undone.await();
    await(() -> pool.stuck() == 0);
    assertThat(pool.<String>call("Asking", LONG, gone -> "again")).isEqualTo("again");
  }

  @Test
  void aCallThatFailsAfterItsDeadlineIsNotCountedAnyMoreAndNotUndone() throws Exception {
    MountCallPool pool = pool(SHORT, 1);
    AtomicBoolean undone = new AtomicBoolean();

    MountCallPool.Work<String> failing =
        new MountCallPool.Work<>() {
          @Override
          public String run(BooleanSupplier abandoned) {
            awaitKernel();
            throw new IllegalStateException("late");
          }

          @Override
          public void undo(String result) {
            undone.set(true);
          }
        };
    assertThatThrownBy(() -> pool.call("Mounting /a", Duration.ZERO, failing))
        .isInstanceOf(MountException.class);

    kernel.countDown();
    await(() -> pool.stuck() == 0);
    assertThat(undone).isFalse();
  }

  @Test
  void theExtraTimeIsWaitedForToo() throws Exception {
    MountCallPool pool = pool(SHORT, 1);
    CountDownLatch inside = new CountDownLatch(1);
    Future<String> caller =
        callers.submit(
            () ->
                pool.call(
                    "Waiting",
                    LONG,
                    gone -> {
                      inside.countDown();
                      awaitKernel();
                      return "in time";
                    }));
    inside.await();
    assertThatThrownBy(() -> pool.call("Mounting /b", Duration.ZERO, gone -> "never"))
        .isInstanceOfSatisfying(
            MountException.class, e -> assertThat(e.reason()).isEqualTo(Reason.DEADLINE));

    kernel.countDown();
    assertThat(caller.get()).isEqualTo("in time");
  }

  @Test
  void aPoolFullOfStuckCallsRefusesAtOnce() {
    MountCallPool pool = pool(SHORT, 2);
    for (int i = 0; i < 2; i++) {
      assertThatThrownBy(() -> pool.call("Mounting /a", Duration.ZERO, new Stuck()))
          .isInstanceOfSatisfying(
              MountException.class, e -> assertThat(e.reason()).isEqualTo(Reason.DEADLINE));
    }
    AtomicBoolean ran = new AtomicBoolean();

    assertThatThrownBy(
            () ->
                pool.call(
                    "Mounting /b",
                    LONG,
                    gone -> {
                      ran.set(true);
                      return "";
                    }))
        .isInstanceOfSatisfying(
            MountException.class, e -> assertThat(e.reason()).isEqualTo(Reason.STUCK))
        .hasMessage(
            "Mounting /b was not tried: all 2 threads are in calls that did not return from the"
                + " kernel. Find the mount whose server hangs; a forced unmount of it frees the"
                + " calls.");
    assertThat(pool.stuck()).isEqualTo(2);
    kernel.countDown();
    await(() -> pool.stuck() == 0);
    assertThat(ran).isFalse();
  }

  @Test
  void aBusyPoolLetsCallsWaitTheirTurn() throws Exception {
    MountCallPool pool = pool(LONG, 1);
    CountDownLatch inside = new CountDownLatch(1);
    Future<String> first =
        callers.submit(
            () ->
                pool.call(
                    "First",
                    Duration.ZERO,
                    gone -> {
                      inside.countDown();
                      awaitKernel();
                      return "first";
                    }));
    inside.await();
    Future<String> second =
        callers.submit(() -> pool.call("Second", Duration.ZERO, gone -> "second"));
    assertThat(pool.stuck()).isZero();

    kernel.countDown();

    assertThat(first.get()).isEqualTo("first");
    assertThat(second.get()).isEqualTo("second");
  }

  @Test
  void aCallThatDidNotBeginBeforeItsDeadlineNeverBegins() throws Exception {
    MountCallPool pool = pool(SHORT, 1);
    CountDownLatch inside = new CountDownLatch(1);
    Future<String> busy =
        callers.submit(
            () ->
                pool.call(
                    "Busy",
                    LONG,
                    gone -> {
                      inside.countDown();
                      awaitKernel();
                      return "";
                    }));
    inside.await();
    AtomicBoolean ran = new AtomicBoolean();

    assertThatThrownBy(
            () ->
                pool.call(
                    "Mounting /b",
                    Duration.ZERO,
                    gone -> {
                      ran.set(true);
                      return "";
                    }))
        .isInstanceOfSatisfying(
            MountException.class, e -> assertThat(e.reason()).isEqualTo(Reason.DEADLINE))
        .hasMessageStartingWith(
            "Mounting /b did not begin within 0.02 s: the calls before it took too long, for the"
                + " same target or for the only thread. Nothing was changed.");
    assertThat(pool.stuck()).isZero();
    kernel.countDown();
    busy.get();
    pool.<String>call("Flushing the queue", LONG, gone -> "");
    assertThat(ran).isFalse();
  }

  @Test
  void anInterruptedCallerIsToldWithItsFlagSetAndTheCallIsUndone() throws Exception {
    MountCallPool pool = pool(LONG, 1);
    Stuck stuck = new Stuck();
    CompletableFuture<MountException> told = new CompletableFuture<>();
    AtomicBoolean flag = new AtomicBoolean();
    Thread caller =
        new Thread(
            () -> {
              try {
                pool.call("Mounting /a", Duration.ZERO, stuck);
              } catch (MountException e) {
                flag.set(Thread.currentThread().isInterrupted());
                told.complete(e);
              }
            });
    caller.start();
    stuck.inside.await();
    caller.interrupt();

    assertThat(told.get().reason()).isEqualTo(Reason.INTERRUPTED);
    assertThat(told.get())
        .hasMessage(
            "Mounting /a was not waited for: this thread was interrupted. The call is still in the"
                + " kernel. Its effect will be undone when it ends.");
    assertThat(flag).isTrue();
    assertThat(pool.stuck()).isEqualTo(1);
    kernel.countDown();
    stuck.undone.await();
    await(() -> pool.stuck() == 0);
  }

  @Test
  void aCallerThatIsInterruptedAlreadyChangesNothing() {
    AtomicBoolean ran = new AtomicBoolean();
    Thread.currentThread().interrupt();

    assertThatThrownBy(
            () ->
                pool(LONG, 1)
                    .call(
                        "Mounting /a",
                        Duration.ZERO,
                        gone -> {
                          ran.set(true);
                          return "";
                        }))
        .isInstanceOfSatisfying(
            MountException.class, e -> assertThat(e.reason()).isEqualTo(Reason.INTERRUPTED))
        .hasMessageEndingWith("Nothing was changed.");
    assertThat(Thread.interrupted()).isTrue();
    assertThat(ran).isFalse();
  }

  @Test
  void everyCallEitherGivesItsResultOrIsUndoneHoweverCloseItEndsToItsDeadline() throws Exception {
    MountCallPool pool = pool(Duration.ofNanos(30_000), 4);
    AtomicInteger done = new AtomicInteger();
    AtomicInteger undone = new AtomicInteger();
    int given = 0;
    for (int i = 0; i < 5_000; i++) {
      try {
        given +=
            pool.<Integer>call(
                "Counting",
                Duration.ZERO,
                new MountCallPool.Work<>() {
                  @Override
                  public Integer run(BooleanSupplier abandoned) {
                    done.incrementAndGet();
                    return 1;
                  }

                  @Override
                  public void undo(Integer result) {
                    undone.incrementAndGet();
                  }
                });
      } catch (MountException e) {
        assertThat(e.reason()).isIn(Reason.DEADLINE, Reason.STUCK);
      }
    }
    await(() -> pool.stuck() == 0);

    int delivered = given;
    await(() -> done.get() == delivered + undone.get());
  }

  /** A call that stays in the kernel until the kernel lets it go. */
  private final class Stuck implements MountCallPool.Work<String> {

    private final CountDownLatch inside = new CountDownLatch(1);
    private final CountDownLatch undone = new CountDownLatch(1);
    private final AtomicReference<BooleanSupplier> gone = new AtomicReference<>();

    @Override
    public String run(BooleanSupplier abandoned) {
      gone.set(abandoned);
      inside.countDown();
      awaitKernel();
      return "late";
    }

    @Override
    public boolean canUndo() {
      return true;
    }

    @Override
    public void undo(String result) {
      undone.countDown();
    }
  }

  private void awaitKernel() {
    try {
      kernel.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private static void await(BooleanSupplier condition) {
    while (!condition.getAsBoolean()) {
      LockSupport.parkNanos(100_000);
    }
  }

  private static MountCallPool pool(Duration deadline, int threads) {
    return new MountCallPool(new MountSettings(deadline, threads));
  }
}
