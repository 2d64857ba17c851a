package io.csi4j.testkit.cli;

/** The end that a program that serves waits for. */
@FunctionalInterface
interface ShutdownTrigger {

  /** Hears from now on, so that nothing is missed that comes before {@link #await}. */
  default void listen() {}

  /** Returns when it is time to end. */
  void await() throws InterruptedException;

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
