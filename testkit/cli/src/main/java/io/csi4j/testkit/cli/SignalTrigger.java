package io.csi4j.testkit.cli;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Ends the program on a signal: Ctrl-C, or SIGTERM.
 *
 * <p>The JVM would exit with its own code. Its last thread therefore waits here until the program
 * has cleaned up, and then exits with the code of the program. If that takes too long, it kills the
 * processes that the program started, and the JVM exits.
 */
final class SignalTrigger implements ShutdownTrigger {

  private final Duration patience;
  private final AtomicBoolean listens = new AtomicBoolean();
  private final CountDownLatch asked = new CountDownLatch(1);
  private final CountDownLatch finished = new CountDownLatch(1);
  private final AtomicInteger code = new AtomicInteger();

  /**
   * Creates a trigger that has not received a signal.
   *
   * @param patience the time that the program has to clean up
   */
  SignalTrigger(Duration patience) {
    this.patience = patience;
  }

  @Override
  public void listen() {
    if (listens.compareAndSet(false, true)) {
      Runtime.getRuntime().addShutdownHook(new Thread(this::end, "csi4j-cli-end"));
    }
  }

  @Override
  public void await() throws InterruptedException {
    asked.await();
  }

  /**
   * Reports that the program is done; returns whether a signal ended it, in which case the waiting
   * thread exits the process.
   */
  boolean finished(int exitCode) {
    code.set(exitCode);
    finished.countDown();
    return asked.getCount() == 0;
  }

  private void end() {
    asked.countDown();
    try {
      if (finished.await(patience.toNanos(), TimeUnit.NANOSECONDS)) {
        Runtime.getRuntime().halt(code.get());
      }
      // A plugin that the program started must not outlive it.
      ProcessHandle.current().descendants().forEach(ProcessHandle::destroyForcibly);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
