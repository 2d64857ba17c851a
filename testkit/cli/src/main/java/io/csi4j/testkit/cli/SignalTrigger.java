package io.csi4j.testkit.cli;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The end that comes by a signal: Ctrl-C, or SIGTERM.
 *
 * <p>The JVM would end with a code of its own. Its last thread waits here until the program has put
 * things in order, and then ends with the code of the program. Where that takes too long, the
 * processes that the program started are killed, and the JVM ends.
 */
final class SignalTrigger implements ShutdownTrigger {

  private final Duration patience;
  private final AtomicBoolean listens = new AtomicBoolean();
  private final CountDownLatch asked = new CountDownLatch(1);
  private final CountDownLatch finished = new CountDownLatch(1);
  private final AtomicInteger code = new AtomicInteger();

  /**
   * No signal has come yet.
   *
   * @param patience how long the program may take to put things in order
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

  /** Says that the program is done; true if a signal ended it, so that the process ends by it. */
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
