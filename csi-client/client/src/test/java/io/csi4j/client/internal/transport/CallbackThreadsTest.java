package io.csi4j.client.internal.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What short actions cost, and that none waits for one that blocks, fails or is never given a
 * thread.
 */
class CallbackThreadsTest {

  /** Behind one that blocks, somebody looks each tenth of a millisecond, in nanoseconds. */
  private static final long LESS_THAN_A_LOOK = 50_000;

  private final CallbackThreads callbacks = new CallbackThreads();
  private final List<CountDownLatch> holders = new ArrayList<>();

  @AfterEach
  void close() throws InterruptedException {
    holders.forEach(CountDownLatch::countDown);
    close(callbacks);
  }

  private static void close(CallbackThreads callbacks) throws InterruptedException {
    callbacks.shutdown();
    callbacks.shutdownNow();
    assertThat(callbacks.awaitTermination(30, TimeUnit.SECONDS)).isTrue();
  }

  /** What holds up an action until it is counted down, at the end of the test at the latest. */
  private CountDownLatch holder() {
    CountDownLatch holder = new CountDownLatch(1);
    holders.add(holder);
    return holder;
  }

  /** Blocks a thread until what is returned lets it go. */
  private CountDownLatch block() throws InterruptedException {
    CountDownLatch blocks = new CountDownLatch(1);
    CountDownLatch letGo = holder();
    callbacks.execute(
        () -> {
          blocks.countDown();
          awaitUninterrupted(letGo);
        });
    blocks.await();
    return letGo;
  }

  private static void awaitUninterrupted(CountDownLatch latch) {
    while (latch.getCount() > 0) {
      try {
        latch.await();
      } catch (InterruptedException ignored) {
        // it is let go in the end
      }
    }
  }

  @Test
  void actionsThatAreShortRunOneAfterTheOtherOnThreadsThatAreFew() throws InterruptedException {
    int actions = 20_000;
    CountDownLatch all = new CountDownLatch(actions);
    Set<Thread> used = ConcurrentHashMap.newKeySet();

    for (int i = 0; i < actions; i++) {
      callbacks.execute(
          () -> {
            used.add(Thread.currentThread());
            all.countDown();
          });
    }
    all.await();

    // With a thread for each that another one is still in the way of, there were hundreds.
    assertThat(used).hasSizeLessThan(20);
  }

  @Test
  void whatComesWhileOneBlocksRunsOnAnotherThread() throws InterruptedException {
    CountDownLatch letGo = block();
    CountDownLatch ran = new CountDownLatch(3);

    for (int i = 0; i < 3; i++) {
      callbacks.execute(ran::countDown);
    }

    assertThat(ran.await(30, TimeUnit.SECONDS)).isTrue();
    letGo.countDown();
  }

  @Test
  void whatComesAfterOneThatBlocksWasLeftBehindWaitsForNobody() throws InterruptedException {
    var unused = block();
    CountDownLatch ran = new CountDownLatch(1);
    callbacks.execute(ran::countDown);
    ran.await();
    CallbackThreads others = new CallbackThreads();
    List<Long> later = new ArrayList<>();

    try {
      // A busy machine makes some rounds slow.
      do {
        later.add(nanosLater(callbacks, others));
      } while (later.get(later.size() - 1) >= LESS_THAN_A_LOOK && later.size() < 20);
    } finally {
      close(others);
    }

    assertThat(later).anyMatch(nanos -> nanos < LESS_THAN_A_LOOK);
  }

  /** How much later an action begins than one of those where nothing blocks, by the medians. */
  private static long nanosLater(CallbackThreads callbacks, CallbackThreads others)
      throws InterruptedException {
    List<Long> behind = new ArrayList<>();
    List<Long> without = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      behind.add(nanosOfOne(callbacks));
      without.add(nanosOfOne(others));
    }
    return median(behind) - median(without);
  }

  private static long nanosOfOne(CallbackThreads threads) throws InterruptedException {
    CountDownLatch ran = new CountDownLatch(1);
    long began = System.nanoTime();
    threads.execute(ran::countDown);
    ran.await();
    return System.nanoTime() - began;
  }

  private static long median(List<Long> nanos) {
    return nanos.stream().sorted().skip(nanos.size() / 2).findFirst().orElseThrow();
  }

  @Test
  void whatIsTooMuchForOneThreadIsShared() throws InterruptedException {
    assumeThat(Runtime.getRuntime().availableProcessors()).isGreaterThan(1);
    int actions = 500;
    CountDownLatch all = new CountDownLatch(actions);
    AtomicInteger running = new AtomicInteger();
    AtomicInteger together = new AtomicInteger();

    for (int i = 0; i < actions; i++) {
      callbacks.execute(
          () -> {
            if (running.incrementAndGet() > 1) {
              together.incrementAndGet();
            }
            LockSupport.parkNanos(200_000);
            running.decrementAndGet();
            all.countDown();
          });
    }
    all.await();

    // A thread that goes on in the place of another one makes some, when the machine is busy.
    assertThat(together).hasValueGreaterThan(actions / 10);
  }

  @Test
  void anActionThatThrowsIsToldToItsThreadAndHoldsUpNoOther() throws InterruptedException {
    CountDownLatch letGo = holder();
    CountDownLatch ran = new CountDownLatch(1);
    AtomicInteger told = new AtomicInteger();
    callbacks.execute(
        () -> {
          Thread.currentThread()
              .setUncaughtExceptionHandler((thread, thrown) -> told.incrementAndGet());
          awaitUninterrupted(letGo);
          throw new IllegalStateException("an action of the host failed");
        });
    callbacks.execute(ran::countDown);

    letGo.countDown();

    assertThat(ran.await(30, TimeUnit.SECONDS)).isTrue();
    while (told.get() == 0) {
      LockSupport.parkNanos(100_000);
    }
    assertThat(told).hasValue(1);
  }

  @Test
  void anActionIsNotInterruptedForTheOneBeforeIt() throws InterruptedException {
    CountDownLatch letGo = holder();
    AtomicBoolean isInterrupted = new AtomicBoolean();
    CountDownLatch ran = new CountDownLatch(2);
    callbacks.execute(
        () -> {
          awaitUninterrupted(letGo);
          Thread.currentThread().interrupt();
        });
    for (int i = 0; i < 2; i++) {
      callbacks.execute(
          () -> {
            if (Thread.currentThread().isInterrupted()) {
              isInterrupted.set(true);
            }
            ran.countDown();
          });
    }

    letGo.countDown();
    ran.await();

    assertThat(isInterrupted).isFalse();
  }

  @Test
  void whatWaitsForOneThatBlocksHasAThreadOfItsOwnWhenTheyAreClosed() throws InterruptedException {
    CountDownLatch letGo = block();
    CountDownLatch ran = new CountDownLatch(2);
    callbacks.execute(
        () -> {
          ran.countDown();
          awaitUninterrupted(ran);
        });
    callbacks.execute(
        () -> {
          ran.countDown();
          awaitUninterrupted(ran);
        });

    callbacks.shutdown();

    assertThat(ran.await(30, TimeUnit.SECONDS)).isTrue();
    letGo.countDown();
  }

  @Test
  void whatWouldWaitForOneThatBlocksRunsWhereItComesFromIfTheMachineGivesNoThread()
      throws InterruptedException {
    CountDownLatch letGo = block();
    callbacks.setThreadFactory(
        task -> {
          throw new OutOfMemoryError("unable to create native thread");
        });
    List<Thread> where = new ArrayList<>();

    callbacks.execute(() -> where.add(Thread.currentThread()));

    assertThat(where).containsExactly(Thread.currentThread());
    letGo.countDown();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void eachActionRunsOnceWhateverOthersDo(boolean isClosedMeanwhile) throws InterruptedException {
    int submitters = 4;
    int each = 2_000;
    AtomicIntegerArray runs = new AtomicIntegerArray(submitters * each);
    CountDownLatch all = new CountDownLatch(submitters * each);
    List<Thread> threads = new ArrayList<>();
    for (int s = 0; s < submitters; s++) {
      int first = s * each;
      Thread thread =
          new Thread(
              () -> {
                for (int i = first; i < first + each; i++) {
                  int number = i;
                  callbacks.execute(
                      () -> {
                        runs.incrementAndGet(number);
                        all.countDown();
                        if (number % 97 == 0) {
                          LockSupport.parkNanos(3_000_000);
                        }
                        if (number % 501 == 0 && callbacks.isCurrent()) {
                          Thread.currentThread().setUncaughtExceptionHandler((ended, thrown) -> {});
                          throw new IllegalStateException("an action of the host failed");
                        }
                      });
                  if (number % 41 == 0) {
                    LockSupport.parkNanos(1);
                  }
                }
              });
      threads.add(thread);
    }
    threads.forEach(Thread::start);
    if (isClosedMeanwhile) {
      TimeUnit.MILLISECONDS.sleep(2);
      callbacks.shutdown();
    }
    for (Thread thread : threads) {
      thread.join();
    }

    assertThat(all.await(60, TimeUnit.SECONDS)).isTrue();
    for (int i = 0; i < submitters * each; i++) {
      assertThat(runs.get(i)).as("action %s", i).isEqualTo(1);
    }
  }
}
