package io.csi4j.testkit.cli;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Ends the program when it receives a signal: SIGINT (Ctrl-C) or SIGTERM.
 *
 * <p>After a signal, the JVM would exit with its own code. A shutdown hook therefore waits until
 * the program has cleaned up, and then exits with the program's code. If the cleanup takes too
 * long, the hook kills the processes that the program started, and the JVM exits.
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
   * @param patience the time that the program has for cleaning up
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
   * Reports that the program is done. Returns whether a signal ended the program; in that case, the
   * shutdown hook exits the process.
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
      // A plugin that the program started must not continue to run after the program's end.
      ProcessHandle.current().descendants().forEach(ProcessHandle::destroyForcibly);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
