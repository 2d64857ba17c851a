package io.csi4j.testkit.cli;

/** What a program that serves waits for before it ends. */
@FunctionalInterface
interface ShutdownTrigger {

  /** Hears from now on, so that nothing is missed that comes before {@link #await}. */
  default void listen() {}

  /** Returns when it is time to end. */
  void await() throws InterruptedException;
}
