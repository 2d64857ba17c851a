package io.csi4j.testkit.cli;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** The event that ends a running program. */
@FunctionalInterface
interface ShutdownTrigger {

  /** Listens from now on, so that an event before {@link #await} is not missed. */
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

  /** Listens from now on, and runs an action on its own thread when the program must end. */
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
