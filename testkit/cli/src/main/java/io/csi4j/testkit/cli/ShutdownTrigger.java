package io.csi4j.testkit.cli;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** The event that ends a running program. */
@FunctionalInterface
interface ShutdownTrigger {

  /** Starts listening for the event, so that an event before {@link #await} is not missed. */
  default void listen() {}

  /** Waits until the program must end. */
  void await() throws InterruptedException;

  /** Runs an action repeatedly until the program must end. */
  default void await(Duration every, Runnable action) throws InterruptedException {
    CountDownLatch over = new CountDownLatch(1);
    whenAsked(over::countDown);
    while (!over.await(every.toMillis(), TimeUnit.MILLISECONDS)) {
      action.run();
    }
  }

  /**
   * Starts listening for the event. When the program must end, runs the action on a separate
   * thread.
   */
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
