package io.csi4j.testkit.cli;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** The end that a program that serves waits for. */
@FunctionalInterface
interface ShutdownTrigger {

  /** Hears from now on, so that nothing is missed that comes before {@link #await}. */
  default void listen() {}

  /** Returns when it is time to end. */
  void await() throws InterruptedException;

  /** Runs an action again and again until it is time to end. */
  default void await(Duration every, Runnable action) throws InterruptedException {
    CountDownLatch over = new CountDownLatch(1);
    whenAsked(over::countDown);
    while (!over.await(every.toMillis(), TimeUnit.MILLISECONDS)) {
      action.run();
    }
  }

  /** Hears from now on, and runs an action when it is time to end, on a thread of its own. */
  default void whenAsked(Runnable action) {
    listen();
    Thread waiting =
        new Thread(
            () -> {
              try {
                await();
                action.run();
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
            },
            "csi4j-cli-stop");
    waiting.setDaemon(true);
    waiting.start();
  }
}
