package io.csi4j.testkit.cli;

/** The end that a program that serves waits for. */
@FunctionalInterface
interface ShutdownTrigger {

  /** Hears from now on, so that nothing is missed that comes before {@link #await}. */
  default void listen() {}

  /** Returns when it is time to end. */
  void await() throws InterruptedException;
}
