package io.csi4j.volume.internal.time;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Threads that end, and what waits on a machine that gives no more of them. */
class OnDemandThreadsTest {

  private static final Duration SOON = Duration.ofMillis(1);

  private final AtomicBoolean isFull = new AtomicBoolean(true);
  private final ThreadFactory watch =
      work -> {
        if (isFull.get()) {
          throw new OutOfMemoryError("unable to create native thread");
        }
        return new NamedThreads("watch").newThread(work);
      };

  @Test
  void whatIsToWaitWhereThereIsNoThreadRunsOnceThereIsOne() throws InterruptedException {
    try (OnDemandThreads threads =
        new OnDemandThreads("test", Integer.MAX_VALUE, Duration.ofSeconds(2), watch)) {
      CountDownLatch ran = new CountDownLatch(1);
      AtomicInteger cancelled = new AtomicInteger();
      threads.after(SOON, cancelled::incrementAndGet).cancel();
      var unused = threads.after(SOON, ran::countDown);
      threads.execute(() -> {});
      assertThat(ran.await(50, TimeUnit.MILLISECONDS)).as("there is no thread yet").isFalse();

      isFull.set(false);
      threads.execute(() -> {});

      assertThat(ran.await(30, TimeUnit.SECONDS)).isTrue();
      assertThat(cancelled).hasValue(0);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, Integer.MAX_VALUE})
  void aThreadThatHasNothingToDoEnds(int most) throws InterruptedException {
    try (OnDemandThreads threads =
        new OnDemandThreads(
            "idle-" + most, most, Duration.ofMillis(20), new NamedThreads("idle-" + most + "-t"))) {
      CountDownLatch ran = new CountDownLatch(2);
      var unused = threads.after(SOON, ran::countDown);
      threads.execute(ran::countDown);
      assertThat(ran.await(30, TimeUnit.SECONDS)).isTrue();

      Waits.until(
          () ->
              Thread.getAllStackTraces().keySet().stream()
                  .noneMatch(thread -> thread.getName().startsWith("idle-" + most)));
    }
  }
}
