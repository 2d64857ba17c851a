package io.csi4j.volume.internal.time;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.volume.internal.text.CapturedLog;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

@Isolated("Counts threads, and reads the log of the modules.")
class SystemSchedulerTest {

  private final CapturedLog log = CapturedLog.ofVolumes();

  @AfterEach
  void releaseTheLog() {
    log.close();
  }

  private static final Duration CLOSING = Duration.ofSeconds(20);

  private static List<String> alive(String name) {
    return Thread.getAllStackTraces().keySet().stream()
        .map(Thread::getName)
        .filter(each -> each.startsWith(name))
        .sorted()
        .toList();
  }

  /** Gives so many threads and then none. */
  private static ThreadFactory limited(int threads, String name, boolean byError) {
    AtomicInteger left = new AtomicInteger(threads);
    NamedThreads source = new NamedThreads(name);
    return work -> {
      if (left.getAndDecrement() > 0) {
        return source.newThread(work);
      }
      if (byError) {
        throw new OutOfMemoryError("unable to create native thread");
      }
      return null;
    };
  }

  /** What the kernel says of a thread; nothing if it has ended meanwhile. */
  private static List<String> status(Path thread) {
    try {
      return Files.readAllLines(thread.resolve("status"));
    } catch (IOException gone) {
      return List.of();
    }
  }

  @Test
  void timersThatAreCancelledLongBeforeTheirTimeWakeNoThread() throws Exception {
    try (SystemScheduler scheduler = new SystemScheduler(1, "csi4j-w", CLOSING)) {
      // A thread gives itself its name in the kernel, some time after it was started.
      CompletableFuture<Void> runs = new CompletableFuture<>();
      scheduler.after(Duration.ZERO, () -> runs.complete(null));
      runs.get(20, TimeUnit.SECONDS);
      scheduler.after(Duration.ofSeconds(10), () -> {}).cancel();
      long before = switches("csi4j-w-timer");

      for (int i = 0; i < 500; i++) {
        scheduler.after(Duration.ofSeconds(10), () -> {}).cancel();
        LockSupport.parkNanos(100_000);
      }

      assertThat(switches("csi4j-w-timer") - before).isLessThan(50);
    }
  }

  /** How often a thread of this process, whose name begins like that, has gone to sleep. */
  private static long switches(String name) throws IOException {
    try (Stream<Path> threads = Files.list(Path.of("/proc/self/task"))) {
      for (Path thread : threads.toList()) {
        List<String> status = status(thread);
        if (!status.isEmpty() && status.get(0).startsWith("Name:\t" + name)) {
          return status.stream()
              .filter(line -> line.startsWith("voluntary_ctxt_switches:"))
              .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
              .sum();
        }
      }
    }
    throw new AssertionError("no thread " + name);
  }

  @Test
  void allThreadsAreMadeAtTheStartAndAreNamedDaemons() {
    try (SystemScheduler scheduler = new SystemScheduler(3, "csi4j-a", CLOSING)) {
      assertThat(scheduler.threads()).isEqualTo(4);
      assertThat(alive("csi4j-a"))
          .containsExactly(
              "csi4j-a-timer-1", "csi4j-a-worker-1", "csi4j-a-worker-2", "csi4j-a-worker-3");
      assertThat(Thread.getAllStackTraces().keySet())
          .filteredOn(thread -> thread.getName().startsWith("csi4j-a"))
          .allMatch(Thread::isDaemon);
    }
    Waits.until(() -> alive("csi4j-a").isEmpty());
  }

  @Test
  void aMachineThatGivesTooFewThreadsFailsTheStartAndKeepsNone() {
    for (boolean byError : List.of(true, false)) {
      assertThatThrownBy(
              () ->
                  new SystemScheduler(
                      4, limited(2, "csi4j-b", byError), new NamedThreads("csi4j-b"), CLOSING))
          .isInstanceOf(NoThreadsException.class)
          .hasMessageContaining("of 5 threads could be started")
          .hasMessageContaining("ulimit -u");
    }
    Waits.until(() -> alive("csi4j-b").isEmpty());
  }

  @Test
  void aMachineThatGivesNoThreadForTheTimerFailsTheStart() {
    assertThatThrownBy(
            () ->
                new SystemScheduler(
                    1, new NamedThreads("csi4j-c"), limited(0, "csi4j-c", true), CLOSING))
        .isInstanceOf(NoThreadsException.class)
        .hasMessageContaining("only 1 of 2 threads could be started");
    Waits.until(() -> alive("csi4j-c").isEmpty());
  }

  @Test
  void workThatThrowsAnErrorHarmsNoOther() throws Exception {
    try (SystemScheduler scheduler = new SystemScheduler(1, "csi4j-d", CLOSING)) {
      CompletableFuture<Thread> before = new CompletableFuture<>();
      CompletableFuture<Thread> after = new CompletableFuture<>();
      scheduler.execute(
          () -> {
            before.complete(Thread.currentThread());
            throw new AssertionError("of a test");
          });
      scheduler.execute(() -> after.complete(Thread.currentThread()));

      assertThat(after.get(20, TimeUnit.SECONDS)).isSameAs(before.get());
      assertThat(scheduler.threads()).isEqualTo(2);
    }
    Waits.until(() -> !log.warnings().isEmpty());
    assertThat(log.warnings()).containsOnly("A task of the volume manager failed. Report this.");
  }

  @Test
  void whatIsDueAndThrowsRunsAgainUntilItReturns() {
    try (SystemScheduler scheduler = new SystemScheduler(1, "csi4j-g", CLOSING)) {
      AtomicInteger runs = new AtomicInteger();
      scheduler.after(
          Duration.ZERO,
          () -> {
            if (runs.incrementAndGet() == 1) {
              throw new Error("of a test");
            }
          });
      Waits.until(() -> runs.get() == 2);
    }
    Waits.until(() -> !log.warnings().isEmpty());
    assertThat(log.warnings()).containsOnly("A task of the volume manager failed. Report this.");
  }

  @Test
  void whatIsDueRunsOnAWorkerAndFailsAlone() throws Exception {
    try (SystemScheduler scheduler = new SystemScheduler(1, "csi4j-e", CLOSING)) {
      scheduler.after(
          Duration.ZERO,
          () -> {
            throw new AssertionError("of a test");
          });
      CompletableFuture<String> due = new CompletableFuture<>();
      scheduler.after(Duration.ofMillis(1), () -> due.complete(Thread.currentThread().getName()));

      assertThat(due.get(20, TimeUnit.SECONDS)).isEqualTo("csi4j-e-worker-1");
    }
    Waits.until(() -> !log.warnings().isEmpty());
    assertThat(log.warnings()).containsOnly("A task of the volume manager failed. Report this.");
  }

  @Test
  void whatIsCancelledDoesNotRun() throws Exception {
    try (SystemScheduler scheduler = new SystemScheduler(1, "csi4j-f", CLOSING)) {
      CompletableFuture<String> first = new CompletableFuture<>();
      scheduler.after(Duration.ofMillis(20), () -> first.complete("cancelled")).cancel();
      scheduler.after(Duration.ofMillis(40), () -> first.complete("the other"));

      assertThat(first.get(20, TimeUnit.SECONDS)).isEqualTo("the other");
    }
  }

  @Test
  void timesBeyondAllNumbersAreTakenAsVeryLong() {
    try (SystemScheduler scheduler = new SystemScheduler(1, "csi4j-g", CLOSING)) {
      scheduler.after(Duration.ofSeconds(Long.MAX_VALUE), () -> {}).cancel();
    }
  }

  @Test
  void theInterruptOfWhoHandsWorkOverDoesNotReachIt() throws Exception {
    try (SystemScheduler scheduler = new SystemScheduler(1, "csi4j-h", CLOSING)) {
      CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
      CompletableFuture<Boolean> later = new CompletableFuture<>();
      Thread.currentThread().interrupt();
      try {
        scheduler.execute(() -> interrupted.complete(Thread.currentThread().isInterrupted()));
        scheduler.after(
            Duration.ZERO, () -> later.complete(Thread.currentThread().isInterrupted()));
      } finally {
        assertThat(Thread.interrupted()).isTrue();
      }

      assertThat(interrupted.get(20, TimeUnit.SECONDS)).isFalse();
      assertThat(later.get(20, TimeUnit.SECONDS)).isFalse();
    }
  }

  @Test
  void workThatLeavesAnInterruptBehindDoesNotHandItOn() throws Exception {
    try (SystemScheduler scheduler = new SystemScheduler(1, "csi4j-i", CLOSING)) {
      CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
      scheduler.execute(() -> Thread.currentThread().interrupt());
      scheduler.execute(() -> interrupted.complete(Thread.currentThread().isInterrupted()));

      assertThat(interrupted.get(20, TimeUnit.SECONDS)).isFalse();
    }
  }

  @Test
  void closingLetsTheWorkBeDoneThatWasHandedOver() throws Exception {
    SystemScheduler scheduler = new SystemScheduler(1, "csi4j-j", CLOSING);
    CountDownLatch mayEnd = new CountDownLatch(1);
    AtomicInteger done = new AtomicInteger();
    scheduler.execute(
        () -> {
          try {
            mayEnd.await();
            done.incrementAndGet();
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
        });
    IntStream.range(0, 100).forEach(each -> scheduler.execute(done::incrementAndGet));
    Thread closer = new Thread(scheduler::close, "closer");
    closer.start();
    Waits.until(() -> closer.getState() == Thread.State.TIMED_WAITING);
    mayEnd.countDown();
    closer.join();

    assertThat(done).hasValue(101);
    Waits.until(() -> scheduler.threads() == 0);
  }

  @Test
  void closingInterruptsWorkThatHangs() throws Exception {
    SystemScheduler scheduler = new SystemScheduler(1, "csi4j-k", Duration.ofMillis(1));
    CountDownLatch begun = new CountDownLatch(1);
    CompletableFuture<String> end = new CompletableFuture<>();
    scheduler.execute(
        () -> {
          begun.countDown();
          try {
            new CountDownLatch(1).await();
          } catch (InterruptedException e) {
            end.complete("interrupted");
          }
        });
    begun.await();
    scheduler.close();
    scheduler.close();

    assertThat(end.get(20, TimeUnit.SECONDS)).isEqualTo("interrupted");
    Waits.until(() -> alive("csi4j-k").isEmpty());
    assertThat(log.warnings())
        .contains(
            "Closing the volume manager: 1 threads are still working after PT0.001S, and are"
                + " interrupted.");
  }

  @Test
  void afterClosingNothingRunsAnyMore() {
    SystemScheduler scheduler = new SystemScheduler(1, "csi4j-l", CLOSING);
    AtomicInteger ran = new AtomicInteger();
    scheduler.after(Duration.ofHours(1), ran::incrementAndGet);
    scheduler.close();

    assertThatThrownBy(() -> scheduler.execute(ran::incrementAndGet))
        .isInstanceOf(RejectedExecutionException.class);
    scheduler.after(Duration.ZERO, ran::incrementAndGet).cancel();
    assertThat(ran).hasValue(0);
  }

  @Test
  void chanceIsBetweenNothingAndOne() {
    try (SystemScheduler scheduler = new SystemScheduler(1, "csi4j-m", CLOSING)) {
      assertThat(IntStream.range(0, 1000).mapToDouble(each -> scheduler.random()).distinct())
          .hasSizeGreaterThan(900)
          .allMatch(each -> each >= 0 && each < 1);
    }
  }
}
