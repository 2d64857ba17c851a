package io.csi4j.testkit.cli;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** One run of the program in this process. */
final class Run implements AutoCloseable {

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();
  private final CountDownLatch end = new CountDownLatch(1);
  private final CountDownLatch serving = new CountDownLatch(1);
  private final CompletableFuture<Integer> code;

  private Run(boolean terminal, String... args) {
    Console console = new Console(new PrintWriter(out), new PrintWriter(err), terminal);
    ShutdownTrigger ending =
        () -> {
          serving.countDown();
          end.await();
        };
    code =
        CompletableFuture.supplyAsync(
            () -> Program.run(console, ending, args),
            work -> {
              Thread thread = new Thread(work, "run");
              thread.setDaemon(true);
              thread.start();
            });
    code.whenComplete((done, failed) -> serving.countDown());
  }

  /** Runs a command to its end. */
  static Run of(String... args) {
    Run run = new Run(false, args);
    run.code();
    return run;
  }

  /** Runs a command to its end, in front of a person. */
  static Run onTerminal(String... args) {
    Run run = new Run(true, args);
    run.code();
    return run;
  }

  /** Runs a command until it serves, or has failed. */
  static Run serving(String... args) {
    Run run = new Run(false, args);
    try {
      if (!run.serving.await(30, TimeUnit.SECONDS)) {
        throw new AssertionError("it neither serves nor fails");
      }
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
    return run;
  }

  /** Waits until it has printed a whole line. */
  void awaitOut() {
    awaitOut("\n");
  }

  /** Waits until it has printed this. */
  void awaitOut(String text) {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    while (!out().contains(text)) {
      if (System.nanoTime() - end > 0 || code.isDone()) {
        throw new AssertionError("it does not print '" + text + "': " + out() + err());
      }
      LockSupport.parkNanos(100_000);
    }
  }

  /** Asks it to end. */
  void end() {
    end.countDown();
  }

  /** Asks it to end, and waits until it has. */
  Run ended() {
    end.countDown();
    code();
    return this;
  }

  int code() {
    return code.orTimeout(60, TimeUnit.SECONDS).join();
  }

  String out() {
    return out.toString();
  }

  String err() {
    return err.toString();
  }

  List<String> outLines() {
    return out().lines().toList();
  }

  List<String> errLines() {
    return err().lines().toList();
  }

  @Override
  public void close() {
    ended();
  }
}
